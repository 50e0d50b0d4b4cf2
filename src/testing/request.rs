//! Reading a request: a search, or none.

use super::log::field;
use crate::query::{Endpoint, MAX_QUERY_CHARS};
use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use std::time::Duration;
use tokio::time::timeout;

/// How many bytes the form of a request may have. A larger one is answered with status 413.
pub const BODY_LIMIT: usize = 16 * 1024;

/// How long a request's form may take to arrive, in real time.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Page(Endpoint),
    #[cfg(feature = "json")]
    Instant,
}

/// A request that is a search.
pub(super) struct Search {
    pub(super) target: Target,
    pub(super) form: Vec<(String, String)>,
}

/// A request that is none: the status and what to say.
pub(super) type Rejection = (StatusCode, &'static str);

/// Reads a request to its end.
pub(super) async fn read(parts: &Parts, body: Incoming) -> Result<Search, Rejection> {
    let target = match parts.uri.path() {
        "/html" | "/html/" => Target::Page(Endpoint::Html),
        "/lite" | "/lite/" => Target::Page(Endpoint::Lite),
        #[cfg(feature = "json")]
        "/" if asks_for_json(parts) => Target::Instant,
        _ => {
            return Err((
                StatusCode::NOT_FOUND,
                "the stand-in has /html/ and /lite/\n",
            ));
        }
    };
    let form: Vec<(String, String)> = match parts.method {
        Method::GET => form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect(),
        Method::POST => form_urlencoded::parse(&collect(body).await?)
            .into_owned()
            .collect(),
        _ => return Err((StatusCode::METHOD_NOT_ALLOWED, "ask with GET or POST\n")),
    };
    match field(&form, "q").map(|query| query.trim().chars().count()) {
        None | Some(0) => Err((
            StatusCode::BAD_REQUEST,
            "the form has no query: send a field q\n",
        )),
        Some(length) if length > MAX_QUERY_CHARS => Err((
            StatusCode::BAD_REQUEST,
            "the query has over 499 characters\n",
        )),
        Some(_) => Ok(Search { target, form }),
    }
}

/// The provider's `/` is a page for people unless it is asked for JSON.
#[cfg(feature = "json")]
fn asks_for_json(parts: &Parts) -> bool {
    let query = parts.uri.query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes())
        .any(|(name, value)| name == "format" && value == "json")
}

async fn collect(body: Incoming) -> Result<Bytes, Rejection> {
    match timeout(BODY_TIMEOUT, Limited::new(body, BODY_LIMIT).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err((StatusCode::PAYLOAD_TOO_LARGE, "the form is too large\n"))
        }
        Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the form ended too soon\n")),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the form took too long\n")),
    }
}
