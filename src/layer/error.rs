mod text;

use std::time::Duration;

pub(super) use self::text::{NO_ANSWER_IN_TIME, REFUSED};
use super::signs::{Cause, Throttled};
use crate::{
    BoxError,
    gate::{Refusal, TurnError, whole_seconds},
    page::{Page, PageError, Stopped},
    query::QueryError,
};

/// What went wrong with a request through the gate, or with the body of its answer.
///
/// The inner service's own error is the [`source`](std::error::Error::source), so walking the chain finds it. `{error}` tells what went wrong, and
/// `{error:#}` the sources' words too, after colons. With the feature `tonic`, the source of a refusal and of a timeout is a `tonic::Status`, so
/// that a tonic client gives RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED for them.
///
/// ```
/// # use bytes::Bytes;
/// # use http_body_util::Full;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let client = tower::service_fn(|_: http::Request<String>| async { Ok::<_, std::io::Error>(http::Response::new(Full::<Bytes>::default())) });
/// # let ddg = search_gate::DuckDuckGo::with_service(client);
/// let error = ddg.search("").await.unwrap_err();
/// assert!(error.is_query());
/// assert_eq!(error.to_string(), "the query cannot be sent");
/// let whole = format!("{error:#}");
/// assert_eq!(whole, "the query cannot be sent: the query is empty: there must be something to search for");
/// # }
/// ```
pub struct Error {
    kind: Box<Kind>,
    #[cfg(feature = "tonic")]
    status: Option<Box<tonic::Status>>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Refused(TurnError),
    Throttled(Throttled),
    Timeout(Phase),
    Service(BoxError),
    Body(BoxError),
    Page(PageError),
    /// Read only in part: why the reader stopped, or `None` if the page was cut off on its way.
    Incomplete(Option<Stopped>),
    Unreadable(String),
    Query(QueryError),
    #[cfg_attr(
        not(feature = "json"),
        expect(dead_code, reason = "only instant answers fail so")
    )]
    Answer(BoxError),
}

/// What was under way when the time was up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Head,
    Body,
}

impl Error {
    fn new(kind: Kind) -> Self {
        Self {
            #[cfg(feature = "tonic")]
            status: super::status::of(&kind).map(Box::new),
            kind: Box::new(kind),
        }
    }

    pub(super) fn refused(refused: TurnError) -> Self {
        Self::new(Kind::Refused(refused))
    }

    pub(super) fn throttled(throttled: Throttled) -> Self {
        Self::new(Kind::Throttled(throttled))
    }

    pub(super) fn timeout(phase: Phase) -> Self {
        Self::new(Kind::Timeout(phase))
    }

    pub(super) fn service(source: impl Into<BoxError>) -> Self {
        Self::new(Kind::Service(source.into()))
    }

    pub(super) fn body(source: impl Into<BoxError>) -> Self {
        Self::new(Kind::Body(source.into()))
    }

    pub(super) fn page(source: PageError) -> Self {
        Self::new(Kind::Page(source))
    }

    /// What is wrong with a page that was not read to its end.
    pub(super) fn incomplete(page: &Page) -> Option<Self> {
        let incomplete = page.truncated || page.stopped.is_some();
        incomplete.then(|| Self::new(Kind::Incomplete(page.stopped)))
    }

    pub(super) fn unreadable(why: impl Into<String>) -> Self {
        Self::new(Kind::Unreadable(why.into()))
    }

    pub(crate) fn query(source: QueryError) -> Self {
        Self::new(Kind::Query(source))
    }

    #[cfg(feature = "json")]
    pub(crate) fn answer(source: impl Into<BoxError>) -> Self {
        Self::new(Kind::Answer(source.into()))
    }

    /// Whether the query cannot be sent: the [`source`](std::error::Error::source), a [`QueryError`], says what to change.
    #[must_use]
    pub fn is_query(&self) -> bool {
        matches!(*self.kind, Kind::Query(_))
    }

    /// Whether the gate refused the turn: nothing was sent.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.refused_turn().is_some()
    }

    /// Why the gate refused the turn: [`refused_turn`](Self::refused_turn) in the two cases that most callers tell apart.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        self.refused_turn().map(TurnError::refusal)
    }

    /// Why the gate refused the turn, in full.
    #[must_use]
    pub fn refused_turn(&self) -> Option<&TurnError> {
        match &*self.kind {
            Kind::Refused(refused) => Some(refused),
            _ => None,
        }
    }

    /// When to come again, for a refusal or a throttled request: whole seconds, rounded up, never 0.
    ///
    /// After a refusal for the deadline it is how long until the queue has shortened enough for the same budget.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match &*self.kind {
            Kind::Refused(refused) => Some(refused.retry_after()),
            Kind::Throttled(throttled) => {
                Some(Duration::from_secs(whole_seconds(throttled.backoff())))
            }
            _ => None,
        }
    }

    /// Whether the provider throttled this very request, by its status or by a challenge page.
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.throttled_by().is_some()
    }

    /// By what the throttled answer to this request was known.
    #[must_use]
    pub fn throttled_by(&self) -> Option<Cause> {
        match *self.kind {
            Kind::Throttled(throttled) => Some(throttled.cause()),
            _ => None,
        }
    }

    /// Whether the request's time was up: its limit, or the deadline of its search. A refusal for the deadline is not one of these.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(*self.kind, Kind::Timeout(_))
    }

    /// Whether the answer is no page that this crate knows: its markup has changed, or it is something else.
    #[must_use]
    pub fn is_unrecognised(&self) -> bool {
        match &*self.kind {
            Kind::Page(error) => !error.is_challenge(),
            Kind::Answer(_) => true,
            _ => false,
        }
    }

    /// Whether the page's results may not be all: it was cut off on its way, or is more than the reader takes. A stream of results ends in
    /// this; a [`Page`] tells it by `truncated` and `stopped`.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        matches!(*self.kind, Kind::Incomplete(_))
    }

    /// Whether the body could not be read as a page: it is not html, or still compressed.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(*self.kind, Kind::Unreadable(_))
    }

    /// Whether the inner service failed, or the body that it gave.
    #[must_use]
    pub fn is_transport(&self) -> bool {
        matches!(*self.kind, Kind::Service(_) | Kind::Body(_))
    }
}
