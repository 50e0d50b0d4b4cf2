//! What the gate does with a body: whether it is read, and what is told to whom.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, header, response::Parts};
use tokio::time::Sleep;

use super::{
    config::Config,
    error::{Error, Phase},
    future::Exchange,
    signs::{Cause, Throttled, verdict_of},
};
use crate::{
    gate::{Turn, Verdict},
    page::{Page, PageKind, PageReader, SearchResult},
};

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

#[derive(Debug)]
pub(super) struct Reading {
    plan: Result<Plan, Unreadable>,
    reader: Option<PageReader>,
    /// Whether it was begun to pass the page on, and so keeps no results.
    passing_on: bool,
    /// The page's last bytes, once it has ended.
    tail: VecDeque<Bytes>,
    /// What was read, once it has ended.
    page: Option<Page>,
    turn: Option<Turn>,
    throttled: Option<Throttled>,
    limit: Option<Pin<Box<Sleep>>>,
}

/// How a page is to be read.
#[derive(Debug)]
struct Plan {
    content_type: String,
    status: StatusCode,
    cut_ads: bool,
}

/// Why a body is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unreadable {
    NotCovered,
    NoPage,
    Encoded(String),
    NotHtml(Option<String>),
}

impl Reading {
    /// Looks at an answer's head: tells the gate if it says that the provider throttles, and takes the headers that cutting ads makes wrong.
    pub(super) fn begin(parts: &mut Parts, exchange: Exchange, config: &Config) -> Self {
        let Exchange {
            turn,
            method,
            limit,
        } = exchange;
        let mut plan = plan(parts, &method);
        let mut turn = Some(turn);
        let throttled = config
            .throttle_statuses
            .contains(&parts.status)
            .then(|| tell(turn.take(), Cause::Status(parts.status)));
        if let Some(throttled) = throttled {
            parts.extensions.insert(throttled);
        }
        if let Ok(plan) = &mut plan {
            plan.cut_ads = parts.status.is_success() && throttled.is_none();
            if plan.cut_ads {
                strip(&mut parts.headers);
            }
        }
        Self {
            turn,
            throttled,
            limit: Some(limit),
            ..Self::none_or(plan)
        }
    }

    pub(super) fn none(why: Unreadable) -> Self {
        Self::none_or(Err(why))
    }

    fn none_or(plan: Result<Plan, Unreadable>) -> Self {
        Self {
            plan,
            reader: None,
            passing_on: false,
            tail: VecDeque::new(),
            page: None,
            turn: None,
            throttled: None,
            limit: None,
        }
    }

    /// Whether the body is read at all.
    pub(super) fn is_on(&self) -> bool {
        self.plan.is_ok()
    }

    /// Whether the body may go on shorter than it came.
    pub(super) fn may_cut(&self) -> bool {
        self.plan.as_ref().is_ok_and(|plan| plan.cut_ads)
    }

    /// Makes ready to pass the page on. Whether its bytes come from [`next_html`](Self::next_html), and not as they came.
    pub(super) fn pass_on(&mut self) -> bool {
        let may_cut = self.may_cut();
        if self.read_with(|reader| reader.collect_results(false).pass_html(may_cut)) {
            self.passing_on = true;
        }
        may_cut
    }

    /// Makes ready to read the page as data.
    ///
    /// # Errors
    ///
    /// When the body cannot be read.
    pub(super) fn as_data(&mut self) -> Result<(), Error> {
        self.read_with(|reader| reader);
        if self.passing_on {
            return Err(Error::unreadable(
                "part of the body has been passed on already; read it as data from its start",
            ));
        }
        match (&self.plan, self.throttled) {
            (Ok(_), _) => Ok(()),
            (Err(_), Some(throttled)) => Err(Error::throttled(throttled)),
            (Err(why), None) => Err(Error::unreadable(why.to_string())),
        }
    }

    /// Makes the reader, if the body is read and has not been begun.
    fn read_with(&mut self, set_up: impl FnOnce(PageReader) -> PageReader) -> bool {
        let (Ok(plan), None, None) = (&self.plan, &self.reader, &self.page) else {
            return false;
        };
        let reader = PageReader::new().content_type(&plan.content_type);
        self.reader = Some(set_up(reader));
        true
    }

    pub(super) fn see(&mut self, data: &Bytes) {
        let Some(reader) = &mut self.reader else {
            return;
        };
        reader.feed(data.clone());
        if reader.is_challenge() {
            self.challenged();
        }
    }

    fn challenged(&mut self) {
        if self.throttled.is_none() {
            self.throttled = Some(tell(self.turn.take(), Cause::Challenge));
        }
    }

    /// The body has ended: whatever the page is, it is that now. Its status has been looked at by the layer's own list.
    pub(super) fn end(&mut self) {
        self.finish();
        let Some(page) = &self.page else { return };
        if page.kind == PageKind::Challenge {
            self.challenged();
        } else if let Some(turn) = self.turn.take() {
            turn.settle(verdict_of(page.kind));
        }
    }

    /// The body broke off: what has been read may be used, but says nothing of the provider.
    pub(super) fn break_off(&mut self) {
        self.finish();
        self.turn = None;
    }

    fn finish(&mut self) {
        let Some(mut reader) = self.reader.take() else {
            return;
        };
        reader.end();
        self.tail.extend(std::iter::from_fn(|| reader.next_html()));
        let mut page = reader.finish();
        page.status = self.plan.as_ref().ok().map(|plan| plan.status.as_u16());
        self.page = Some(page);
    }

    pub(super) fn next_html(&mut self) -> Option<Bytes> {
        match &mut self.reader {
            Some(reader) => reader.next_html(),
            None => self.tail.pop_front(),
        }
    }

    pub(super) fn holds_html(&self) -> bool {
        !self.tail.is_empty()
    }

    pub(super) fn next_result(&mut self) -> Option<SearchResult> {
        self.reader.as_mut()?.next_result()
    }

    /// Whether nothing worth waiting for follows: the challenge form has been read, or the reader has reached one of its limits.
    pub(super) fn is_over(&self) -> bool {
        self.reader
            .as_ref()
            .is_some_and(|reader| reader.is_challenge() || reader.stopped().is_some())
    }

    /// What was read, or why it is not what was asked for.
    pub(super) fn take_page(&mut self) -> Result<Page, Error> {
        self.end();
        let Some(page) = self.page.take() else {
            return Err(Error::unreadable("the body has been read already"));
        };
        match (page.kind, self.throttled) {
            (PageKind::Results | PageKind::NoResults, _) | (_, None) => {
                page.ok().map_err(Error::page)
            }
            (_, Some(throttled)) => Err(Error::throttled(throttled)),
        }
    }

    /// Ready with the error to give when the request's time is up.
    pub(super) fn poll_limit(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        let Some(limit) = &mut self.limit else {
            return Poll::Pending;
        };
        ready!(limit.as_mut().poll(cx));
        Poll::Ready(Error::timeout(Phase::Body))
    }
}

/// Takes what is wrong once ads have been cut from the headers of a body, or from its trailers.
pub(super) fn strip(headers: &mut HeaderMap) {
    for name in OF_THE_BYTES {
        headers.remove(name);
    }
}

/// Tells the gate that the request of this turn was throttled.
fn tell(turn: Option<Turn>, cause: Cause) -> Throttled {
    let backoff = turn.and_then(|turn| {
        let gate = turn.gate().clone();
        turn.settle(Verdict::Throttled { retry_after: None });
        gate.backoff_left()
    });
    Throttled::new(cause, backoff.unwrap_or(Duration::ZERO))
}

fn plan(parts: &Parts, method: &Method) -> Result<Plan, Unreadable> {
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
    if let Some(encoding) = encodings
        .into_iter()
        .find(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        let name = String::from_utf8_lossy(encoding.as_bytes());
        return Err(Unreadable::Encoded(name.into_owned()));
    }
    let content_type = content_type(&parts.headers);
    if !content_type.as_deref().is_some_and(is_html) {
        return Err(Unreadable::NotHtml(content_type));
    }
    Ok(Plan {
        content_type: content_type.unwrap_or_default(),
        status: parts.status,
        cut_ads: false,
    })
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn is_html(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"]
        .iter()
        .any(|html| essence.eq_ignore_ascii_case(html))
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
            Self::NotHtml(Some(content_type)) => {
                write!(f, "the answer is not an html page but {content_type}")
            }
            Self::NotHtml(None) => f.write_str("the answer does not say that it is an html page"),
        }
    }
}
