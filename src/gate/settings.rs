use std::{borrow::Cow, time::Duration};

use super::{LONGEST_BACKOFF, MIN_INTERVAL, backoff::Backoff, clock::to_ticks, ledger::Rules};

/// How a gate is set, in the units of its users.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) name: Cow<'static, str>,
    pub(super) interval: Duration,
    pub(super) backoff: Backoff,
    pub(super) burst: u32,
    pub(super) widening: Duration,
    pub(super) turn_lease: Duration,
    pub(super) max_in_flight: Option<usize>,
    pub(super) max_queued: Option<usize>,
    pub(super) while_backing_off: WhileBackingOff,
}

/// What a gate does with callers while it backs off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WhileBackingOff {
    /// It refuses them, at once.
    #[default]
    Refuse,
    /// It lets those wait whose turn can come before their deadline, and refuses the others at once.
    Wait,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: Cow::Borrowed("duckduckgo"),
            interval: MIN_INTERVAL,
            backoff: Backoff::duckduckgo(),
            burst: 1,
            widening: Duration::ZERO,
            turn_lease: Duration::from_secs(30),
            max_in_flight: None,
            max_queued: None,
            while_backing_off: WhileBackingOff::Refuse,
        }
    }
}

impl Settings {
    pub(super) fn rules(&self) -> Rules {
        let backoffs: Box<[_]> = self.backoff.lengths().map(to_ticks).collect();
        Rules {
            interval: to_ticks(self.interval),
            burst: i64::from(self.burst),
            grace: to_ticks(grace_for(self.interval)),
            backoffs,
            backoff_cap: to_ticks(self.backoff.longest()),
            longest_backoff: to_ticks(LONGEST_BACKOFF.max(self.backoff.longest())),
            widening: to_ticks(self.widening),
            lease: to_ticks(self.turn_lease),
            max_in_flight: self.max_in_flight.unwrap_or(usize::MAX),
            max_queued: self.max_queued.unwrap_or(100_000),
            waits_while_closed: self.while_backing_off == WhileBackingOff::Wait,
            polling: None,
        }
    }
}

/// How late the owner of a place may be: a quarter of the interval, within bounds that leave room for a busy machine's timers and
/// keep a stalled caller from costing more than about a second.
fn grace_for(interval: Duration) -> Duration {
    (interval / 4).clamp(Duration::from_millis(100), Duration::from_secs(1))
}
