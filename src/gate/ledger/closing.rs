use super::{Memory, Rules, Tick, long_before};

/// When the gate is closed, and what it takes to trust it open again.
///
/// Each back-off begins a new *round*. After it the gate is on *trial*: one turn is out at a time, until one of them has been answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closing {
    /// When the back-off ends, or has ended.
    pub(super) until: Tick,
    /// What was left of it when last a throttle closed the gate. No clock can leave more.
    pub(super) length: Tick,
    pub(super) round: u64,
    /// How many back-offs have followed one another, each for a throttle while the gate was on trial.
    pub(super) streak: u32,
    pub(super) on_trial: bool,
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
    /// Open, and nothing remembered.
    pub(super) fn new(now: Tick) -> Self {
        Self {
            until: long_before(now),
            length: 0,
            round: 0,
            streak: 0,
            on_trial: false,
        }
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
        self.length = self.until.saturating_sub(now);
        Some(is_new)
    }

    /// How far ahead the end of the back-off is; negative when it is over.
    pub(super) fn ahead(&self, now: Tick) -> Tick {
        self.until.saturating_sub(now).min(self.length)
    }

    /// What is left of the back-off; 0 when the gate is open.
    pub(super) fn left(&self, now: Tick) -> Tick {
        self.ahead(now).max(0)
    }

    /// A turn of `round` was answered as it should be. Whether that shows that the gate is rightly open: if late news have closed it since
    /// the turn was granted, it takes another trial.
    pub(super) fn answered(&mut self, now: Tick, round: u64) -> bool {
        let shows = round == self.round && !self.is_closed(now);
        self.on_trial &= !shows;
        shows
    }

    /// As new. What is still out belongs to an earlier round.
    pub(super) fn reset(&mut self, now: Tick) {
        *self = Self {
            round: self.round + 1,
            ..Self::new(now)
        };
    }

    /// As another's is.
    pub(super) fn adopt(&mut self, now: Tick, memory: &Memory) {
        *self = Self {
            until: now.saturating_add(memory.closed),
            length: memory.closed.max(0),
            round: memory.round,
            streak: memory.streak,
            on_trial: memory.on_trial,
        };
    }

    /// Takes up what is remembered of later rounds than this, of its own round where that was longer, or of a state that was lost. Of
    /// earlier rounds too where that was longer, as long as nothing has shown that the gate is rightly open: who could not tell of a
    /// throttle counts fewer rounds.
    #[cfg(any(test, feature = "file"))]
    pub(super) fn recall(&mut self, rules: &Rules, now: Tick, memory: &Memory, is_lost: bool) {
        let closed = memory.closed.min(rules.longest_backoff);
        let is_longer = closed > self.left(now);
        let is_later = is_lost || memory.round > self.round;
        let says_more = is_longer && (memory.round == self.round || self.on_trial);
        if !is_later && !says_more {
            return;
        }
        self.round = match is_lost {
            true => self.round + u64::from(is_longer && !self.is_closed(now)),
            false => self.round.max(memory.round),
        };
        let is_forgotten = closed.saturating_add(rules.backoff_cap) <= 0;
        let streak = if is_forgotten { 0 } else { memory.streak };
        self.streak = self.streak(rules, now).max(streak);
        self.on_trial |= memory.on_trial || is_longer;
        if streak > 0 || is_longer {
            self.until = self.until.max(now.saturating_add(closed));
        }
        if is_longer {
            self.length = closed;
        }
    }

    pub(super) fn bound_by_clock(&mut self, now: Tick) {
        self.until = self.until.min(now.saturating_add(self.length));
    }
}
