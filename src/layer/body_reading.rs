//! What the gate does with a body: whether it is read, and what is told to whom.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::response::Parts;
use http_body::Frame;
use tokio::time::Sleep;

use super::{
    error::Error,
    plan::{Plan, Unreadable, strip},
    signs::{Sign, verdict_of},
    timing::Timing,
    watch::Watch,
};
use crate::{
    gate::Verdict,
    page::{Page, PageKind, PageReader, SearchResult},
    telemetry,
};

#[derive(Debug)]
pub(super) struct BodyReading {
    plan: Result<Plan, Unreadable>,
    watch: Watch,
    timing: Timing,
    reader: Option<PageReader>,
    /// Whether it was begun to pass the page on, and so keeps no results.
    passing_on: bool,
    /// The page's last bytes, once it has ended.
    tail: VecDeque<Bytes>,
    /// What was read, once it has ended.
    page: Option<Page>,
}

impl BodyReading {
    pub(super) fn new(
        plan: Result<Plan, Unreadable>,
        watch: Watch,
        limit: Option<Pin<Box<Sleep>>>,
    ) -> Self {
        Self {
            plan,
            watch,
            timing: Timing::new(limit),
            reader: None,
            passing_on: false,
            tail: VecDeque::new(),
            page: None,
        }
    }

    /// Of a body that nobody watches.
    pub(super) fn none(why: Unreadable) -> Self {
        Self::new(Err(why), Watch::default(), None)
    }

    /// Makes the head fit for what becomes of the body, when it is handed out.
    pub(super) fn prepare(&mut self, head: &mut Parts) {
        self.watch.mark(head);
        if let Ok(plan) = &mut self.plan {
            plan.cut_ads &= self.watch.found_throttled().is_none();
            if plan.cut_ads {
                strip(&mut head.headers);
            }
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
        may_cut && self.reader.is_some()
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
        match (&self.plan, self.watch.found_throttled()) {
            (Ok(_), _) => Ok(()),
            (Err(_), Some(throttled)) => Err(Error::throttled(throttled)),
            (Err(why), None) => Err(Error::unreadable(why.to_string())),
        }
    }

    /// Makes the reader, if the body is read and has not been begun.
    fn read_with(&mut self, set_up: impl FnOnce(PageReader) -> PageReader) -> bool {
        let (Some(reader), None, None) = (self.new_reader(), &self.reader, &self.page) else {
            return false;
        };
        self.reader = Some(set_up(reader));
        true
    }

    /// A reader for this body, if it is to be read.
    pub(super) fn new_reader(&self) -> Option<PageReader> {
        let plan = self.plan.as_ref().ok()?;
        Some(PageReader::new().content_type(&plan.content_type))
    }

    /// Shows a frame to who watches and who reads.
    pub(super) fn see(&mut self, frame: &Frame<Bytes>) {
        if let Some(trailers) = frame.trailers_ref() {
            self.watch.see_trailers(trailers);
        }
        self.made_progress(frame.data_ref().map_or(0, Bytes::len));
        let (Some(data), Some(reader)) = (frame.data_ref(), &mut self.reader) else {
            return;
        };
        let had_results = reader.has_results();
        reader.feed(data.clone());
        if reader.is_challenge() {
            self.recognised(PageKind::Challenge);
        } else if reader.has_results() && !had_results {
            self.recognised(PageKind::Results);
        }
    }

    /// The page's kind is known before the body has been read to its end.
    pub(super) fn recognised(&mut self, kind: PageKind) {
        match verdict_of(kind) {
            Verdict::Throttled { .. } => self.watch.throttled(Sign::CHALLENGE),
            Verdict::Answered => self.watch.answered(),
            Verdict::Unknown => {}
        }
    }

    /// The body has ended: whatever the page is, it is that now. Its status says nothing here, as the head was held against the layer's
    /// own list of statuses.
    pub(super) fn end(&mut self) {
        if let Some((page, results)) = self.finish() {
            telemetry::page_read(name_of(page.kind), results, page.ads_dropped);
        }
        let kind = self.page.as_ref().map(|page| page.kind);
        if kind == Some(PageKind::Challenge) {
            self.watch.throttled(Sign::CHALLENGE);
        }
        let unread = self.is_on().then_some(PageKind::Unrecognised);
        self.watch.end(kind.or(unread).map(verdict_of));
    }

    /// The body broke off: what has been read may be used, but says nothing of the provider.
    pub(super) fn break_off(&mut self) {
        self.finish();
        self.watch.break_off();
    }

    /// The page, if it was not finished before, and how many results were read in it.
    fn finish(&mut self) -> Option<(&Page, usize)> {
        let mut reader = self.reader.take()?;
        reader.end();
        let results = reader.results_read();
        self.tail.extend(std::iter::from_fn(|| reader.next_html()));
        let mut page = reader.finish();
        page.status = self.plan.as_ref().ok().map(|plan| plan.status.as_u16());
        Some((self.page.insert(page), results))
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
        match (page.kind, self.watch.found_throttled()) {
            (PageKind::Results | PageKind::NoResults, _) | (_, None) => {
                page.ok().map_err(Error::page)
            }
            (_, Some(throttled)) => Err(Error::throttled(throttled)),
        }
    }

    /// Polls for more of the body, as [`Timing::poll_more`] has it.
    pub(super) fn poll_more<T>(
        &mut self,
        cx: &mut Context<'_>,
        poll: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Result<T, Error>> {
        self.timing.poll_more(cx, poll)
    }

    /// So much of the body has been read.
    pub(super) fn made_progress(&mut self, bytes: usize) {
        if self.is_on() {
            self.timing.made_progress(bytes);
        }
    }
}

/// What a kind of page is called in logs and metrics.
fn name_of(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Results => "results",
        PageKind::NoResults => "no_results",
        PageKind::Challenge => "challenge",
        PageKind::Unrecognised => "unrecognised",
    }
}
