//! What is known of a state without having it at hand.

use super::{Rules, State, Tick};

/// What one who has seen a state knows of it from then on: when it lets the next one start, and of its back-offs. Times count from the
/// moment of seeing, so that they mean the same on every clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) born: Tick,
    pub(crate) round: u64,
    pub(crate) streak: u32,
    pub(crate) on_trial: bool,
    /// When the intervals after all earlier starts are over.
    pub(crate) arrival: Tick,
    /// What is left of the back-off; negative when it has been over for so long.
    pub(crate) closed: Tick,
}

impl Memory {
    /// What of it holds on a clock that may have run ahead by as much.
    pub(crate) fn less(self, slack: Tick) -> Self {
        Self {
            arrival: self.arrival.saturating_sub(slack),
            closed: self.closed.saturating_sub(slack),
            ..self
        }
    }
}

impl State {
    pub(crate) fn memory(&self, rules: &Rules, now: Tick) -> Memory {
        Memory {
            born: self.born,
            round: self.closing.round,
            streak: self.closing.streak(rules, now),
            on_trial: self.closing.on_trial,
            arrival: self.pace.arrival.saturating_sub(now),
            closed: self.closing.ahead(now),
        }
    }

    /// Becomes what is remembered of another state, but for who waits here and what is out from here.
    pub(crate) fn adopt(&mut self, rules: &Rules, now: Tick, memory: &Memory) {
        self.born = memory.born;
        self.pace.adopt(rules, now, memory.arrival);
        self.closing.adopt(now, memory);
    }

    /// Brings back what a state has lost that is still remembered. What it knows better stays.
    #[cfg(any(test, feature = "file"))]
    pub(crate) fn recall(&mut self, rules: &Rules, now: Tick, memory: &Memory) {
        // It is remembered in these rules' intervals.
        self.pace.recount(rules.interval);
        self.pace.recall(rules, now, memory.arrival);
        let is_lost = memory.born != self.born;
        self.closing.recall(rules, now, memory, is_lost);
    }
}
