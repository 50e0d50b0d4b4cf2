//! The request for an instant answer.

use super::form::{check_length, check_user_agent, under, uri};
use super::{DEFAULT_USER_AGENT, Form, Query, QueryError};
use http::Request;

const HOST: &str = "https://api.duckduckgo.com/";

/// Asks for an [instant answer](crate::InstantAnswer): a definition, an encyclopedia's first lines, a calculation. It is no search, and for most texts the
/// answer is blank. Feature `json`.
///
/// The provider counts it with the searches of the same address, so send it through the same gate.
///
/// ```
/// use search_gate::InstantQuery;
///
/// # fn main() -> Result<(), search_gate::QueryError> {
/// let form = InstantQuery::new("tower bridge").user_agent("my-agent/2.1").form()?;
/// assert_eq!(form.method, "GET");
/// assert_eq!(
///     form.url,
///     "https://api.duckduckgo.com/?q=tower+bridge&format=json&no_html=1&no_redirect=1&skip_disambig=1&t=my-agent"
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[must_use = "a query does nothing until it is sent"]
pub struct InstantQuery {
    text: String,
    base_url: Option<String>,
    user_agent: String,
}

impl InstantQuery {
    /// Asks about `text`. White space around it is taken off.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self {
            text: text.as_ref().trim().to_owned(),
            base_url: None,
            user_agent: DEFAULT_USER_AGENT.to_owned(),
        }
    }

    /// Asks a server of your own instead of the provider.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Names the program that asks, as for a [search](Query::user_agent). The provider asks for the name in the URL too (`t`): it gets what
    /// stands before the first `/`.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// The request in plain types.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if the text is empty or has over [`MAX_QUERY_CHARS`](super::MAX_QUERY_CHARS) characters, or if base URL or user agent
    /// cannot be sent.
    pub fn form(&self) -> Result<Form, QueryError> {
        check_length(&self.text)?;
        check_user_agent(&self.user_agent)?;
        let name = self.user_agent.split('/').next().unwrap_or_default();
        let mut url = under(self.base_url.as_deref().unwrap_or(HOST), "")?;
        url.query_pairs_mut().extend_pairs([
            ("q", &*self.text),
            ("format", "json"),
            ("no_html", "1"),
            ("no_redirect", "1"),
            ("skip_disambig", "1"),
            ("t", name.trim()),
        ]);
        uri(url.as_str())?;
        Ok(Form {
            method: "GET",
            url: url.into(),
            headers: vec![
                ("accept", "application/json".to_owned()),
                ("user-agent", self.user_agent.clone()),
            ],
            body: String::new(),
        })
    }

    /// The request, with an empty body of any type that can be made of text.
    ///
    /// # Errors
    ///
    /// As for [`form`](Self::form).
    pub fn into_request<B: From<String>>(self) -> Result<Request<B>, QueryError> {
        self.form()?.into_request()
    }

    /// What is not set is as in `defaults`.
    pub(crate) fn or(mut self, defaults: &Query) -> Self {
        if self.user_agent == DEFAULT_USER_AGENT {
            self.user_agent.clone_from(&defaults.user_agent);
        }
        self.base_url = self.base_url.or_else(|| defaults.base_url.clone());
        self
    }
}

impl From<&str> for InstantQuery {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for InstantQuery {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// The same text, asked in the same place by the same user agent.
impl From<&Query> for InstantQuery {
    fn from(query: &Query) -> Self {
        Self::new(&query.text).or(query)
    }
}
