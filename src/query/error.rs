//! Why a query cannot be sent.

use super::MAX_QUERY_CHARS;
use super::region::meant;
use crate::reasons;
use std::error::Error;
use std::fmt;

/// A query that cannot be sent. Its text says what to change; the text of the query itself is never in it. `{error:#}` tells its
/// sources too.
///
/// ```
/// use search_gate::Query;
///
/// let error = Query::new("tea").region("en-us").form().unwrap_err();
/// assert!(error.is_region());
/// assert_eq!(error.to_string(), "the provider has no region `en-us`, but it has `us-en`");
/// ```
#[derive(Debug)]
pub struct QueryError {
    kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Empty,
    TooLong {
        chars: usize,
    },
    Region {
        code: String,
    },
    Time {
        text: String,
    },
    Date {
        text: String,
        source: Option<jiff::Error>,
    },
    DatesReversed {
        from: String,
        to: String,
    },
    BaseUrl {
        url: String,
        problem: &'static str,
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    UserAgent {
        source: Option<http::header::InvalidHeaderValue>,
    },
}

impl QueryError {
    /// There is nothing to search for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.kind, Kind::Empty)
    }

    /// The text has more characters than the provider takes ([`MAX_QUERY_CHARS`]).
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        matches!(self.kind, Kind::TooLong { .. })
    }

    /// The region is not one of the provider's.
    #[must_use]
    pub fn is_region(&self) -> bool {
        matches!(self.kind, Kind::Region { .. })
    }

    /// The time is none that the provider knows, a date does not exist, or the first day is after the last.
    #[must_use]
    pub fn is_time(&self) -> bool {
        matches!(
            self.kind,
            Kind::Time { .. } | Kind::Date { .. } | Kind::DatesReversed { .. }
        )
    }

    /// The base URL is not one that a form can be sent to.
    #[must_use]
    pub fn is_base_url(&self) -> bool {
        matches!(self.kind, Kind::BaseUrl { .. })
    }

    /// The user agent is empty or cannot stand in a header.
    #[must_use]
    pub fn is_user_agent(&self) -> bool {
        matches!(self.kind, Kind::UserAgent { .. })
    }
}

impl From<Kind> for QueryError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Empty => f.write_str("the query is empty: there must be something to search for"),
            Kind::TooLong { chars } => {
                write!(
                    f,
                    "the query has {chars} characters, the provider takes {MAX_QUERY_CHARS}: shorten it"
                )
            }
            Kind::Region { code } => {
                write!(f, "the provider has no region `{code}`, ")?;
                match meant(code) {
                    Some(meant) => write!(f, "but it has `{meant}`"),
                    None => f.write_str("take a code such as `us-en` or `de-de` from its list (search_gate::REGIONS)"),
                }
            }
            Kind::Time { text } => {
                write!(
                    f,
                    "`{text}` is no time that the provider knows: use day, week, month, year or YYYY-MM-DD..YYYY-MM-DD"
                )
            }
            Kind::Date { text, .. } => write!(f, "`{text}` is not a date: write it as YYYY-MM-DD"),
            Kind::DatesReversed { from, to } => write!(
                f,
                "the first day {from} is after the last day {to}: exchange them"
            ),
            Kind::BaseUrl { url, problem, .. } => write!(f, "the base URL `{url}` {problem}"),
            Kind::UserAgent { source: None } => {
                f.write_str("the user agent is empty: name your program")
            }
            Kind::UserAgent { source: Some(_) } => {
                f.write_str("the user agent cannot stand in a header: use plain ASCII on one line")
            }
        }?;
        reasons::tell(f, self.source())
    }
}

impl Error for QueryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            Kind::Date { source, .. } => source.as_ref().map(|source| source as _),
            Kind::BaseUrl { source, .. } => source.as_ref().map(|source| &**source as _),
            Kind::UserAgent { source } => source.as_ref().map(|source| source as _),
            _ => None,
        }
    }
}
