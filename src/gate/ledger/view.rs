//! What can be seen of a state.

use super::{Memory, Rules, State, Tick};

/// What a state shows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) memory: Memory,
    pub(crate) interval: Tick,
    pub(crate) queued: usize,
    /// How long a caller that came now would wait, if no turn that is out stands in the way.
    pub(crate) next_turn: Tick,
}

impl State {
    pub(crate) fn view(&self, rules: &Rules, now: Tick) -> View {
        View {
            memory: self.memory(rules, now),
            interval: self.interval(rules, now),
            queued: self.queued(),
            next_turn: self.wait_of_newcomer(rules, now),
        }
    }

    /// The interval that the state was last used with.
    #[cfg(feature = "file")]
    pub(crate) fn last_interval(&self) -> Tick {
        self.pace.interval
    }

    /// The interval in force.
    pub(crate) fn interval(&self, rules: &Rules, now: Tick) -> Tick {
        self.pace.interval(rules, now)
    }

    /// How long a caller that came now would wait for its turn, if no turn that is out stands in the way.
    pub(super) fn wait_of_newcomer(&self, rules: &Rules, now: Tick) -> Tick {
        self.start_of(rules, now, self.queue.len())
            .saturating_sub(now)
    }

    /// Whether nobody waits and a turn is due.
    pub(crate) fn is_free(&self, rules: &Rules, now: Tick) -> bool {
        self.queue.len() == 0 && self.wait_of_newcomer(rules, now) <= 0 && self.free(rules) > 0
    }

    /// What is left of the back-off; 0 when the gate is open.
    pub(crate) fn backoff_left(&self, now: Tick) -> Tick {
        self.closing.left(now)
    }

    /// How many places are taken.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Whether a back-off is not known to be over: one turn is out at a time.
    #[cfg(test)]
    pub(crate) fn on_trial(&self) -> bool {
        self.closing.on_trial
    }

    /// How many back-offs have followed one another.
    pub(crate) fn streak(&self, rules: &Rules, now: Tick) -> u32 {
        self.closing.streak(rules, now)
    }
}
