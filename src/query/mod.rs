//! A search, as the provider's own form sends it.
//!
//! The provider has a form for people, and no interface for programs. It answers its form's own requests best: a GET is challenged sooner, and so
//! is a request without the form's fields. A [`Query`] is such a request, made from a text and a few settings, for whichever client:
//!
//! ```
//! use search_gate::Query;
//!
//! # fn main() -> Result<(), search_gate::QueryError> {
//! let query = Query::new("tower middleware").user_agent("my-agent/2.1 (+https://my-agent.example)");
//! let request: http::Request<String> = query.clone().into_request()?; // for a tower service
//! let form = query.form()?; // for any other client: method, url, headers and body as plain text
//! assert_eq!(request.body(), &form.body);
//! # Ok(())
//! # }
//! ```

mod error;
mod form;
#[cfg(feature = "json")]
mod instant;
mod region;
mod time;

pub use self::error::QueryError;
pub use self::form::Form;
#[cfg(feature = "json")]
pub use self::instant::InstantQuery;
pub use self::region::{ALL_REGIONS, REGIONS};
pub use self::time::TimeRange;

/// How many characters a query may have. The provider refuses longer ones.
pub const MAX_QUERY_CHARS: usize = 499;

/// The user agent of a query that names none: this crate and its version.
pub const DEFAULT_USER_AGENT: &str = concat!("search-gate/", env!("CARGO_PKG_VERSION"));

/// Which of the provider's two pages answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Endpoint {
    /// The html page, the fuller one: only it has file types.
    #[default]
    Html,
    /// The lite page, about half as long.
    Lite,
}

/// How much of what is for adults the provider leaves out, as its `kp` parameter has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SafeSearch {
    /// As much as it can: `1`.
    Strict,
    /// Between the two: `-1`.
    Moderate,
    /// Nothing: `-2`.
    Off,
}

/// A search: what for, where, and how it is asked.
///
/// The provider answers a POST of its form with direct links; a GET is challenged sooner, and its links are wrapped. So a query is sent
/// as that form: the same fields in the same order, the form as referrer, and a user agent that names the program and no browser.
///
/// ```
/// use search_gate::{Query, SafeSearch, TimeRange};
///
/// # fn main() -> Result<(), search_gate::QueryError> {
/// let request: http::Request<String> = Query::new("tower middleware").into_request()?;
/// assert_eq!(request.uri(), "https://html.duckduckgo.com/html/");
/// assert_eq!(request.body(), "q=tower+middleware&b=&kl=&df=");
///
/// let query = Query::new("tower middleware")
///     .region("de-de")
///     .time(TimeRange::Week)
///     .safe_search(SafeSearch::Strict)
///     .user_agent("my-agent/2.1 (+https://my-agent.example)");
/// assert_eq!(query.form()?.body, "q=tower+middleware&b=&kl=de-de&df=w&kp=1");
/// # Ok(())
/// # }
/// ```
///
/// Setters take anything. What cannot be sent is told in one place, when the query becomes a request: a [`QueryError`] from
/// [`into_request`](Self::into_request) or [`form`](Self::form).
///
/// Two equal queries send the same request, so a query is fit to be the key of a cache.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[must_use = "a query does nothing until it is sent"]
pub struct Query {
    text: String,
    region: String,
    time: Option<TimeRange>,
    safe_search: Option<SafeSearch>,
    endpoint: Endpoint,
    base_url: Option<String>,
    user_agent: String,
    /// The fields of a form that the provider made. They are sent as they are.
    fields: Option<Vec<(String, String)>>,
}

impl Query {
    /// A search for `text`, in all regions, of any time, on the html page. White space around the text is taken off.
    ///
    /// Operators (`site:`, `filetype:`, `"a phrase"`, `-word`) are the provider's: they are sent as they are. Words that begin with `!` would
    /// make it redirect to another site: they are [put in quotes](Self::form).
    pub fn new(text: impl AsRef<str>) -> Self {
        Self {
            text: text.as_ref().trim().to_owned(),
            region: String::new(),
            time: None,
            safe_search: None,
            endpoint: Endpoint::Html,
            base_url: None,
            user_agent: DEFAULT_USER_AGENT.to_owned(),
            fields: None,
        }
    }

    /// The search that a form on one of the provider's pages makes, such as that for the next page: its hidden fields, in their order.
    ///
    /// They are sent as they are. Region, time and safe search are already among them, and setting these changes nothing.
    ///
    /// ```
    /// use search_gate::{Endpoint, Query};
    ///
    /// # fn main() -> Result<(), search_gate::QueryError> {
    /// let next = Query::from_form(Endpoint::Html, [("q", "tea"), ("s", "10"), ("vqd", "4-123")]);
    /// assert_eq!(next.form()?.body, "q=tea&s=10&vqd=4-123");
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_form<N: Into<String>, V: Into<String>>(
        endpoint: Endpoint,
        fields: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let fields: Vec<(String, String)> = fields
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let text = fields
            .iter()
            .find(|(name, _)| name == "q")
            .map_or("", |(_, text)| text);
        Self {
            fields: Some(fields.clone()),
            ..Self::new(text).endpoint(endpoint)
        }
    }

    /// Prefers results for a region, by one of the codes in [`REGIONS`], such as `us-en`; [`ALL_REGIONS`] or an empty code for no
    /// preference, which is the default. Case does not matter.
    pub fn region(mut self, code: impl AsRef<str>) -> Self {
        self.region = code.as_ref().trim().to_ascii_lowercase();
        self
    }

    /// Asks for results of this time only. The provider does its best: older ones still come, and some without a date.
    pub fn time(mut self, range: TimeRange) -> Self {
        self.time = Some(range);
        self
    }

    /// Sets how much is left out. Unset, it is the provider's default.
    pub fn safe_search(mut self, level: SafeSearch) -> Self {
        self.safe_search = Some(level);
        self
    }

    /// Asks on this page.
    pub fn endpoint(mut self, endpoint: Endpoint) -> Self {
        self.endpoint = endpoint;
        self
    }

    /// Asks a server of your own instead of the provider: a stand-in in a test, or a mirror. `html/` or `lite/` is put behind the URL,
    /// which must not end so itself.
    ///
    /// Everything else stays: pages are read and refusals recognised as before.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Names the program that asks, best with a way to reach its maker: `my-agent/2.1 (+https://my-agent.example)`. The default is
    /// [`DEFAULT_USER_AGENT`].
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Asks where `first` was asked, and by the same user agent. For a page's [`next`](crate::Page::next), which knows neither.
    ///
    /// ```
    /// use search_gate::{Endpoint, Query};
    ///
    /// # fn main() -> Result<(), search_gate::QueryError> {
    /// let first = Query::new("tea").base_url("http://127.0.0.1:8080");
    /// let next = Query::from_form(Endpoint::Html, [("q", "tea"), ("s", "10")]).asked_as(&first);
    /// assert_eq!(next.form()?.url, "http://127.0.0.1:8080/html/");
    /// # Ok(())
    /// # }
    /// ```
    pub fn asked_as(mut self, first: &Self) -> Self {
        self.base_url.clone_from(&first.base_url);
        self.user_agent.clone_from(&first.user_agent);
        self
    }

    /// What is not set is as in `defaults`.
    pub(crate) fn or(mut self, defaults: &Self) -> Self {
        if self.region.is_empty() {
            self.region.clone_from(&defaults.region);
        }
        if self.user_agent == DEFAULT_USER_AGENT {
            self.user_agent.clone_from(&defaults.user_agent);
        }
        self.safe_search = self.safe_search.or(defaults.safe_search);
        self.base_url = self.base_url.or_else(|| defaults.base_url.clone());
        self
    }

    /// Whether the lite page can be asked the same.
    pub(crate) fn is_for_html(&self) -> bool {
        self.endpoint == Endpoint::Html && self.is_first()
    }

    /// Whether it asks for the first page of a search.
    pub(crate) fn is_first(&self) -> bool {
        self.fields.is_none()
    }

    /// What is searched for, as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Query {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Query {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
