//! What an answer's head says of its body: whether it is a page to read, and whether ads may be cut from it.

use std::fmt;

use http::{HeaderMap, HeaderName, Method, StatusCode, header, response::Parts};

use crate::{page::is_html, telemetry};

/// Headers that describe the bytes of a body, and are wrong once ads have been cut from it.
const OF_THE_BYTES: [HeaderName; 7] = [
    header::CONTENT_LENGTH,
    header::ETAG,
    header::ACCEPT_RANGES,
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
    HeaderName::from_static("content-md5"),
];

/// How a page is to be read.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) content_type: String,
    pub(super) status: StatusCode,
    pub(super) cut_ads: bool,
}

/// Why a body is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unreadable {
    NotCovered,
    NoPage,
    Encoded(String),
    NotHtml(StatusCode, Option<String>),
}

impl Plan {
    pub(super) fn of(parts: &Parts, method: &Method) -> Result<Self, Unreadable> {
        let bare = matches!(
            parts.status,
            StatusCode::NO_CONTENT
                | StatusCode::RESET_CONTENT
                | StatusCode::PARTIAL_CONTENT
                | StatusCode::NOT_MODIFIED
        );
        if bare || method == Method::HEAD || parts.status.is_informational() {
            return Err(Unreadable::NoPage);
        }
        let encodings = parts.headers.get_all(header::CONTENT_ENCODING);
        let encoded = encodings
            .into_iter()
            .find(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"));
        if let Some(encoding) = encoded {
            let name = String::from_utf8_lossy(encoding.as_bytes());
            telemetry::encoded(&name);
            return Err(Unreadable::Encoded(name.into_owned()));
        }
        match content_type(&parts.headers) {
            Some(content_type) if is_html(&content_type) => Ok(Self {
                content_type,
                status: parts.status,
                cut_ads: parts.status.is_success(),
            }),
            other => Err(Unreadable::NotHtml(parts.status, other)),
        }
    }
}

/// Takes what is wrong once ads have been cut from the headers of a body, or from its trailers.
pub(super) fn strip(headers: &mut HeaderMap) {
    for name in OF_THE_BYTES {
        headers.remove(name);
    }
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCovered => f.write_str(
                "the answer was not read: the layer does not cover this request (see `only`)",
            ),
            Self::NoPage => {
                f.write_str("the answer has no page: its method or status carries none")
            }
            Self::Encoded(encoding) => write!(
                f,
                "the answer is still encoded ({encoding}); put a decompression layer inside the gate's"
            ),
            Self::NotHtml(status, Some(content_type)) => write!(
                f,
                "the answer (status {status}) is not an html page but {content_type}; see whether the request went where it should"
            ),
            Self::NotHtml(status, None) => write!(
                f,
                "the answer (status {status}) does not say that it is an html page; see whether the request went where it should"
            ),
        }
    }
}
