//! Pace and back-offs told once more, in true time and start by start: what a store knows, or a process remembers.

use crate::gate::ledger::{Rules, Throttle, Tick};

/// Long before anything happens.
pub(super) const NEVER: Tick = -(1 << 40);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Knowledge {
    /// How many states had been lost when the one was made that this is known of.
    pub(super) lineage: u32,
    /// The time at which all that has started would have started, were it evenly spaced.
    pub(super) even: Tick,
    pub(super) last_start: Tick,
    pub(super) widened_until: Tick,
    pub(super) closed_until: Tick,
    pub(super) round: u64,
    pub(super) refusals: u32,
    pub(super) trial: bool,
}

impl Knowledge {
    pub(super) fn of_nothing(lineage: u32) -> Self {
        Self {
            lineage,
            even: NEVER,
            last_start: NEVER,
            widened_until: NEVER,
            closed_until: NEVER,
            round: 0,
            refusals: 0,
            trial: false,
        }
    }

    pub(super) fn left(&self, time: Tick) -> Tick {
        (self.closed_until - time).max(0)
    }

    pub(super) fn streak(&self, rules: &Rules, time: Tick) -> u32 {
        match time - self.closed_until < rules.backoff_cap {
            true => self.refusals,
            false => 0,
        }
    }

    fn interval(&self, rules: &Rules, time: Tick) -> Tick {
        rules.interval * if time < self.widened_until { 2 } else { 1 }
    }

    /// When the caller at `place` may start if nobody may before `opening`, found by letting everyone before it start.
    pub(super) fn start_of(&self, rules: &Rules, opening: Tick, place: usize) -> Tick {
        let put_off = (rules.burst - 1) * rules.interval;
        let mut time = opening.max(self.closed_until);
        let mut even = match self.trial {
            true => self.even.max(time + put_off),
            false => self.even,
        };
        time = time.max(even - put_off);
        for _ in 0..place {
            even = even.max(time) + self.interval(rules, time);
            time = time.max(even - put_off);
        }
        time
    }

    pub(super) fn granted(&mut self, rules: &Rules, time: Tick) {
        if self.trial {
            self.even = self.even.max(time + (rules.burst - 1) * rules.interval);
        }
        self.even = self.even.max(time) + self.interval(rules, time);
        self.last_start = time;
    }

    /// The last start was no later than now.
    pub(super) fn started(&mut self, rules: &Rules, time: Tick) {
        let interval = self.interval(rules, self.last_start);
        self.even = self.even.max(time + interval);
        self.last_start = self.last_start.max(time);
    }

    /// A turn of `round` was throttled, or none that is known: whether a back-off begins with it, if it closes the gate at all.
    pub(super) fn throttled(
        &mut self,
        rules: &Rules,
        time: Tick,
        closed: bool,
        round: Option<u64>,
        throttle: Throttle,
    ) -> Option<bool> {
        let is_new = match round {
            Some(round) => round == self.round,
            None => !closed,
        };
        if !is_new && !self.trial {
            return None;
        }
        if is_new {
            let before = self.streak(rules, time);
            self.refusals = before + u32::from(self.trial || before == 0);
            self.round += 1;
            self.trial = true;
        }
        let nth = usize::try_from(self.refusals.max(1)).expect("few");
        let usual = rules.backoffs[nth.min(rules.backoffs.len()) - 1];
        let usual = (usual + usual * throttle.jitter / 1000).min(rules.backoff_cap);
        let wish = throttle.at_least.min(rules.longest_backoff);
        self.closed_until = self.closed_until.max(time + usual.max(wish));
        if rules.widening > 0 {
            self.widened_until = self.closed_until + rules.widening;
        }
        Some(is_new)
    }

    /// Whether it shows that the gate is rightly open.
    pub(super) fn answered(&mut self, closed: bool, round: u64) -> bool {
        let shows = round == self.round && !closed;
        self.trial &= !shows;
        shows
    }

    pub(super) fn reset(&mut self) {
        *self = Self {
            lineage: self.lineage,
            even: self.even,
            last_start: self.last_start,
            round: self.round + 1,
            ..Self::of_nothing(0)
        };
    }

    /// Takes up what another knows. Of the same state it knows better where its own news are later; a lost one has to be made up for.
    pub(super) fn hears(&mut self, rules: &Rules, time: Tick, other: &Self) {
        if other.even > self.even {
            self.even = other.even;
            let start = (other.even - rules.interval).min(time);
            self.last_start = self.last_start.max(start);
        }
        let is_longer = other.closed_until > time.max(self.closed_until);
        let was_lost = other.lineage != self.lineage;
        let is_later = was_lost || other.round > self.round;
        // Whoever could not tell of a throttle knows of fewer rounds; nothing has shown yet that it has passed.
        let is_untold = self.trial || other.round == self.round;
        if is_later || (is_longer && is_untold) {
            let refusals = other.streak(rules, time);
            self.refusals = self.streak(rules, time).max(refusals);
            self.trial |= other.trial || is_longer;
            self.round = match was_lost {
                true => self.round + u64::from(is_longer && self.left(time) == 0),
                false => self.round.max(other.round),
            };
            if refusals > 0 || is_longer {
                self.closed_until = self.closed_until.max(other.closed_until);
            }
        }
    }

    /// Everything that a clock set forward takes to be so much longer ago.
    pub(super) fn clock_steps(&mut self, forward: Tick) {
        for time in [
            &mut self.even,
            &mut self.last_start,
            &mut self.widened_until,
            &mut self.closed_until,
        ] {
            *time = (*time - forward).max(2 * NEVER);
        }
    }
}
