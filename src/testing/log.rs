//! What arrived, when, and what became of it.

use super::Outcome;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

/// How many entries the log keeps: the newest. Counts and the smallest gap go on over all of them.
pub const LOG_LIMIT: usize = 1000;

/// One request, as the stand-in saw it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Entry {
    /// When it had arrived in full, in the provider's time: since its start, divided by the scale of time.
    pub at: Duration,
    /// The same in real time.
    pub real_at: Duration,
    /// The address that it came from.
    pub client: IpAddr,
    /// Its method.
    pub method: http::Method,
    /// Its path, without what follows the `?`.
    pub path: String,
    /// Its headers.
    pub headers: http::HeaderMap,
    /// Its form: the fields of the body for a POST, those after the `?` for a GET, in their order. Empty if they could not be read.
    pub form: Vec<(String, String)>,
    /// What became of it.
    pub outcome: Outcome,
    /// The status that it was answered with.
    pub status: http::StatusCode,
}

impl Entry {
    /// The first field of the form with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        field(&self.form, name)
    }

    /// The text that was searched for.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.field("q")
    }
}

/// The first field of `form` with this name.
pub(super) fn field<'a>(form: &'a [(String, String)], name: &str) -> Option<&'a str> {
    form.iter()
        .find(|(n, _)| n == name)
        .map(|(_, value)| value.as_str())
}

/// The newest entries, and tallies over all.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    answered: u64,
    refused: u64,
    rejected: u64,
    last_search: Option<Duration>,
    smallest_gap: Option<Duration>,
}

impl Log {
    pub(super) fn push(&mut self, entry: Entry) {
        match entry.outcome {
            Outcome::Answered => self.answered += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Rejected => self.rejected += 1,
        }
        if entry.outcome != Outcome::Rejected
            && let Some(last) = self.last_search.replace(entry.at)
        {
            let gap = entry.at.saturating_sub(last);
            self.smallest_gap = Some(self.smallest_gap.map_or(gap, |smallest| smallest.min(gap)));
        }
        if self.entries.len() == LOG_LIMIT {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.entries.iter().cloned().collect()
    }

    pub(super) fn count(&self, outcome: Outcome) -> u64 {
        match outcome {
            Outcome::Answered => self.answered,
            Outcome::Refused => self.refused,
            Outcome::Rejected => self.rejected,
        }
    }

    pub(super) fn smallest_gap(&self) -> Option<Duration> {
        self.smallest_gap
    }
}
