//! All that is known while a page is read, and what it comes to.

use super::reading::Reading;
use super::walker::Walker;
use super::{Page, PageKind, Stopped};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that the sink and the reader share.
#[derive(Debug, Default)]
pub(super) struct Core {
    pub(super) walker: Walker,
    pub(super) reading: Reading,
    pub(super) stopped: Option<Stopped>,
    pub(super) truncated: bool,
    pub(super) ended: bool,
    /// How many bytes of the page lol_html has not been given.
    pub(super) unseen: u64,
}

impl Core {
    /// Stops reading; what was read is kept, and nothing is cut any more.
    pub(super) fn stop(&mut self, why: Stopped) {
        if self.stopped.is_none() {
            self.stopped = Some(why);
            self.reading.finish();
        }
    }

    /// Up to where it is decided what is passed on.
    pub(super) fn decided(&self) -> u64 {
        if self.stopped.is_some() || self.ended {
            u64::MAX
        } else {
            self.reading.cuts.decided(self.walker.understood())
        }
    }

    /// The body is over, after that many bytes.
    pub(super) fn end(&mut self, fed: u64) {
        if self.stopped.is_none() && self.walker.at != fed {
            self.stop(Stopped::Parser);
        }
        if self.stopped.is_none() {
            self.truncated = self.walker.is_amid() || self.reading.elements.page_is_open();
            self.reading.finish();
            if fed > 0 && !self.reading.any_tag {
                self.stopped = Some(Stopped::NotHtml);
            }
        }
        self.ended = true;
    }

    /// What the page came to.
    pub(super) fn page(&mut self) -> Page {
        let reading = &mut self.reading;
        Page {
            kind: reading.kind(),
            endpoint: reading.endpoint,
            status: None,
            results: std::mem::take(&mut reading.results).into(),
            ads_dropped: reading.ads,
            hidden_dropped: reading.hidden,
            zero_click: reading
                .zero_click
                .take()
                .filter(|zero| zero.heading.is_some() || !zero.text.is_empty()),
            spelling: reading
                .spelling
                .take()
                .filter(|spelling| !spelling.text.is_empty()),
            next: reading.next.take(),
            stopped: self.stopped,
            truncated: self.truncated,
        }
    }
}

pub(super) type Shared = Arc<Mutex<Core>>;

pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Core> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reading {
    pub(super) fn is_challenge(&self) -> bool {
        self.challenge && self.seen == 0 && self.current.is_none() && self.ads == 0
    }

    fn kind(&self) -> PageKind {
        if self.seen > 0 {
            PageKind::Results
        } else if self.is_challenge() {
            PageKind::Challenge
        } else if self.hidden == 0 && (self.no_results || self.ads > 0) {
            PageKind::NoResults
        } else {
            PageKind::Unrecognised
        }
    }
}
