use super::{Rules, Tick};

/// When the gate is closed, and what it takes to trust it open again.
///
/// Each back-off begins a new *round*. After it the gate is on *trial*: one turn is out at a time, until one of them has been answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    until: Tick,
    pub(super) round: u64,
    /// How many back-offs have followed one another, each for a throttle while the gate was on trial.
    streak: u32,
    pub(super) on_trial: bool,
}

impl Default for Closing {
    fn default() -> Self {
        Self {
            until: Tick::MIN,
            round: 0,
            streak: 0,
            on_trial: false,
        }
    }
}

/// What the provider said with a throttle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Throttle {
    /// How long it asked to be left alone; 0 if it did not say.
    pub(crate) at_least: Tick,
    /// How much longer than usual this back-off is to be, in thousandths.
    pub(crate) jitter: Tick,
}

impl Closing {
    pub(super) fn until(&self) -> Tick {
        self.until
    }

    pub(super) fn is_closed(&self, now: Tick) -> bool {
        self.until > now
    }

    /// How many throttles in a row, as far as they are remembered.
    pub(super) fn streak(&self, rules: &Rules, now: Tick) -> u32 {
        let open_for = now.saturating_sub(self.until);
        match open_for >= rules.backoff_cap {
            true => 0,
            false => self.streak,
        }
    }

    /// A turn of `round` was throttled; `None` is news of no known turn. `None` if the gate is not closed by it, else whether a back-off
    /// begins with it.
    ///
    /// Only what was sent in this round counts as one more refusal. News of a request from an earlier one, or while the gate is
    /// closed, say no more than that the provider is still to be left alone.
    pub(super) fn close(
        &mut self,
        rules: &Rules,
        now: Tick,
        round: Option<u64>,
        throttle: Throttle,
    ) -> Option<bool> {
        let is_new = match round {
            Some(round) => round == self.round,
            None => !self.is_closed(now),
        };
        if is_new {
            self.streak = match self.streak(rules, now) {
                0 => 1,
                streak if self.on_trial => streak.saturating_add(1),
                streak => streak,
            };
            self.round += 1;
            self.on_trial = true;
        } else if !self.on_trial {
            return None;
        }
        let usual = rules.backoff(self.streak);
        let jitter = usual.saturating_mul(throttle.jitter) / 1000;
        let usual = usual.saturating_add(jitter).min(rules.backoff_cap);
        let length = usual.max(throttle.at_least.min(rules.longest_backoff));
        self.until = self.until.max(now.saturating_add(length));
        Some(is_new)
    }

    /// A turn of `round` was answered as it should be.
    pub(super) fn answered(&mut self, round: u64) {
        if round == self.round {
            self.on_trial = false;
        }
    }

    /// Open, and nothing remembered. What is still out belongs to an earlier round.
    pub(super) fn reset(&mut self) {
        *self = Self {
            round: self.round + 1,
            ..Self::default()
        };
    }

    pub(super) fn bound_by_clock(&mut self, rules: &Rules, now: Tick) {
        let latest = now.saturating_add(rules.longest_backoff);
        self.until = self.until.min(latest);
    }
}
