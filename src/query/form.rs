//! A query becomes a request.

use super::error::Kind;
use super::region::is_known;
use super::{Endpoint, MAX_QUERY_CHARS, Query, QueryError, SafeSearch};
use http::header::{HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use std::borrow::Cow;
use url::Url;

const ACCEPT: &str = "text/html,application/xhtml+xml";
const FORM_TYPE: &str = "application/x-www-form-urlencoded";

/// A request in plain types, for clients that know no `http` crate, or another version of it.
///
/// ```
/// use search_gate::Query;
///
/// # fn main() -> Result<(), search_gate::QueryError> {
/// let form = Query::new("tower middleware").form()?;
/// let mut command = vec!["curl".to_owned(), "--request".to_owned(), form.method.to_owned(), form.url];
/// for (name, value) in form.headers {
///     command.extend(["--header".to_owned(), format!("{name}: {value}")]);
/// }
/// command.extend(["--data-raw".to_owned(), form.body]);
/// # assert_eq!(command.len(), 14);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Form {
    /// The method: `POST`, and `GET` for an instant answer.
    pub method: &'static str,
    /// Where it goes.
    pub url: String,
    /// The headers: names in lower case, each once.
    pub headers: Vec<(&'static str, String)>,
    /// The body: the fields, encoded as forms are. Empty for a `GET`.
    pub body: String,
}

impl Form {
    pub(super) fn into_request<B: From<String>>(self) -> Result<Request<B>, QueryError> {
        let uri = uri(&self.url)?;
        let mut request = Request::new(B::from(self.body));
        *request.method_mut() = match self.method {
            "GET" => Method::GET,
            _ => Method::POST,
        };
        *request.uri_mut() = uri;
        for (name, value) in self.headers {
            let value = HeaderValue::try_from(value).map_err(|error| Kind::UserAgent {
                source: Some(error),
            })?;
            request
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
        Ok(request)
    }
}

impl Query {
    /// The request in plain types.
    ///
    /// Words that begin with `!` are put in single quotes, since the provider takes them for orders to redirect to another site.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if the text is empty or has over [`MAX_QUERY_CHARS`] characters (quotes included), or if region, time, base URL or user
    /// agent cannot be sent.
    pub fn form(&self) -> Result<Form, QueryError> {
        let body = self.body()?;
        let (url, referer) = self.url()?;
        uri(url.as_str())?;
        check_user_agent(&self.user_agent)?;
        let headers = vec![
            ("accept", ACCEPT.to_owned()),
            ("content-type", FORM_TYPE.to_owned()),
            ("referer", referer),
            ("user-agent", self.user_agent.clone()),
        ];
        Ok(Form {
            method: "POST",
            url: url.into(),
            headers,
            body,
        })
    }

    /// The request, with a body of any type that can be made of text: `String`, `Full<Bytes>`, `axum::body::Body`, `reqwest::Body`.
    ///
    /// # Errors
    ///
    /// As for [`form`](Self::form).
    pub fn into_request<B: From<String>>(self) -> Result<Request<B>, QueryError> {
        self.form()?.into_request()
    }

    fn body(&self) -> Result<String, QueryError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        if let Some(fields) = &self.fields {
            check_length(&self.text)?;
            return Ok(form.extend_pairs(fields).finish());
        }
        let text = quote_bangs(&self.text);
        check_length(&text)?;
        if !self.region.is_empty() && !is_known(&self.region) {
            return Err(Kind::Region {
                code: self.region.clone(),
            }
            .into());
        }
        form.append_pair("q", &text);
        if self.endpoint == Endpoint::Html {
            // The html form's button has a name, the lite form's has none.
            form.append_pair("b", "");
        }
        form.append_pair("kl", &self.region);
        form.append_pair(
            "df",
            &self
                .time
                .as_ref()
                .map_or(Ok(String::new()), |time| time.code())?,
        );
        if let Some(level) = self.safe_search {
            form.append_pair(
                "kp",
                match level {
                    SafeSearch::Strict => "1",
                    SafeSearch::Moderate => "-1",
                    SafeSearch::Off => "-2",
                },
            );
        }
        Ok(form.finish())
    }

    /// Where the form goes, and the page that it stands on. The provider's pages ask browsers for a referrer without a path.
    fn url(&self) -> Result<(Url, String), QueryError> {
        let (own_host, path) = match self.endpoint {
            Endpoint::Html => ("https://html.duckduckgo.com/", "html/"),
            Endpoint::Lite => ("https://lite.duckduckgo.com/", "lite/"),
        };
        let url = under(self.base_url.as_deref().unwrap_or(own_host), path)?;
        let referer = format!("{}/", url.origin().ascii_serialization());
        Ok((url, referer))
    }
}

/// `path` under the base URL `base`.
pub(super) fn under(base: &str, path: &str) -> Result<Url, QueryError> {
    let fail = |problem, source| {
        QueryError::from(Kind::BaseUrl {
            url: base.to_owned(),
            problem,
            source,
        })
    };
    let mut url = Url::parse(base).map_err(|error| {
        fail(
            "is not a URL: write it as http://127.0.0.1:8080",
            Some(error.into()),
        )
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(fail("must begin with http:// or https://", None));
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(fail(
            "must have neither user name nor query nor fragment",
            None,
        ));
    }
    let prefix = url.path().trim_end_matches('/');
    if prefix.ends_with("/html") || prefix.ends_with("/lite") {
        return Err(fail(
            "ends as the form's own address does: leave off `html/` or `lite/`, which is put behind it",
            None,
        ));
    }
    let slash = if url.path().ends_with('/') { "" } else { "/" };
    url.set_path(&format!("{}{slash}{path}", url.path()));
    Ok(url)
}

pub(super) fn check_user_agent(name: &str) -> Result<(), QueryError> {
    let source = match name.trim() {
        "" => None,
        _ => match HeaderValue::from_str(name) {
            Ok(_) => return Ok(()),
            Err(error) => Some(error),
        },
    };
    Err(Kind::UserAgent { source }.into())
}

/// A URL that passed `url` may still be none for `http`.
pub(super) fn uri(url: &str) -> Result<Uri, QueryError> {
    Uri::try_from(url).map_err(|error| {
        let problem = "cannot be sent in a request: leave out what is not plain ASCII";
        Kind::BaseUrl {
            url: url.to_owned(),
            problem,
            source: Some(error.into()),
        }
        .into()
    })
}

pub(super) fn check_length(text: &str) -> Result<(), QueryError> {
    match text.chars().count() {
        0 => Err(Kind::Empty.into()),
        chars if chars > MAX_QUERY_CHARS => Err(Kind::TooLong { chars }.into()),
        _ => Ok(()),
    }
}

/// `text` with each word that begins with `!` in single quotes.
fn quote_bangs(text: &str) -> Cow<'_, str> {
    if !text.contains('!') {
        return text.into();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if word.starts_with('!') {
            quoted.extend(["'", word, "'", &piece[word.len()..]]);
        } else {
            quoted.push_str(piece);
        }
    }
    quoted.into()
}
