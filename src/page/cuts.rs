//! Which bytes of a page are passed on: all but its ads.

use bytes::Bytes;
use std::collections::VecDeque;
use std::ops::Range;

/// Decides by offsets what is cut out. Nothing here reads html.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// Off when nobody takes the html: then nothing is kept.
    pub(super) on: bool,
    done: VecDeque<Range<u64>>,
    /// The start of a block that may yet turn out to be an ad.
    held: Option<u64>,
    open: Option<Open>,
    limit: u64,
}

#[derive(Debug)]
struct Open {
    start: u64,
    /// The end of what is an ad for sure, should the block never end.
    sure: u64,
}

impl Cuts {
    pub(super) fn new(on: bool, limit: u64) -> Self {
        Self {
            on,
            limit,
            ..Self::default()
        }
    }

    /// Holds back what comes from here on until it is released or cut.
    pub(super) fn hold(&mut self, from: u64) {
        self.held = self.on.then_some(from);
    }

    pub(super) fn release(&mut self) {
        self.held = None;
    }

    /// Begins a cut where the block began that was held back; `sure` is the end of what is an ad whatever follows.
    pub(super) fn open_block(&mut self, start: u64, sure: u64) {
        let held = self.held.take().filter(|held| start - held <= self.limit);
        let start = held.unwrap_or(start);
        while self.done.back().is_some_and(|cut| cut.start >= start) {
            self.done.pop_back();
        }
        self.open_link(start, sure);
    }

    pub(super) fn open_link(&mut self, start: u64, sure: u64) {
        // What began before is an ad too; what began after goes with this one.
        if self.open.as_ref().is_some_and(|open| open.start < start) {
            self.close(start);
        }
        self.open = self.on.then_some(Open { start, sure });
    }

    pub(super) fn sure(&mut self, end: u64) {
        if let Some(open) = &mut self.open
            && end - open.start <= self.limit
        {
            open.sure = end;
        }
    }

    /// Ends the cut, if one is open.
    pub(super) fn close(&mut self, end: u64) {
        let Some(open) = self.open.take() else { return };
        let end = if end - open.start > self.limit {
            open.sure
        } else {
            end
        };
        if open.start < end {
            self.done.push_back(open.start..end);
        }
    }

    /// Gives up on a cut that never ends: what is an ad for sure goes, the rest is passed on.
    pub(super) fn give_up(&mut self) {
        self.held = None;
        self.close_to_sure();
    }

    fn close_to_sure(&mut self) {
        if let Some(open) = &self.open {
            let sure = open.sure;
            self.close(sure);
        }
    }

    /// Keeps what is held back within its bound, now that the page is read up to `at`.
    pub(super) fn bound(&mut self, at: u64) {
        let is_over = |from: u64| at.saturating_sub(from) > self.limit;
        let open_is_over = self.open.as_ref().is_some_and(|open| is_over(open.start));
        self.held = self.held.filter(|&held| !is_over(held));
        if open_is_over {
            self.close_to_sure();
        }
    }

    /// Up to where all is decided.
    pub(super) fn decided(&self, at: u64) -> u64 {
        let open = self.open.as_ref().map_or(u64::MAX, |open| open.start);
        at.min(open).min(self.held.unwrap_or(u64::MAX))
    }
}

/// The page's bytes as they came, waiting for what is decided on them.
#[derive(Debug, Default)]
pub(super) struct Output {
    queue: VecDeque<Bytes>,
    /// The offset of the queue's first byte.
    at: u64,
}

impl Output {
    pub(super) fn push(&mut self, chunk: Bytes) {
        if !chunk.is_empty() {
            self.queue.push_back(chunk);
        }
    }

    /// The next slice that is passed on, of what is decided.
    pub(super) fn next(&mut self, cuts: &mut Cuts, decided: u64) -> Option<Bytes> {
        loop {
            let front = self.queue.front_mut()?;
            let end = self.at + front.len() as u64;
            let cut = cuts.done.front().cloned().unwrap_or(u64::MAX..u64::MAX);
            let (until, passed) = if cut.start <= self.at {
                (cut.end.min(end), false)
            } else {
                (cut.start.min(end).min(decided), true)
            };
            if until <= self.at && passed {
                return None;
            }
            let taken = front.split_to(usize::try_from(until.saturating_sub(self.at)).ok()?);
            self.at = self.at.max(until);
            if front.is_empty() {
                self.queue.pop_front();
            }
            if self.at >= cut.end {
                cuts.done.pop_front();
            }
            if passed {
                return Some(taken);
            }
        }
    }
}

#[cfg(test)]
mod tests;
