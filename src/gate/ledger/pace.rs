use super::{Rules, Tick};

/// How close starts may come: the generic cell rate algorithm, on starts as they happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// When the interval after the last start is over, and those of the starts before it that a burst has put off.
    arrival: Tick,
    /// Until when the interval is doubled.
    widened_until: Tick,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            arrival: Tick::MIN,
            widened_until: Tick::MIN,
        }
    }
}

impl Pace {
    pub(super) fn interval(&self, rules: &Rules, now: Tick) -> Tick {
        match self.widened_until > now {
            true => rules.interval.saturating_mul(2),
            false => rules.interval,
        }
    }

    /// When the next start may be, as far as the pace goes.
    pub(super) fn due(&self, rules: &Rules, now: Tick) -> Tick {
        self.arrival.saturating_sub(self.put_off(rules, now))
    }

    /// When the caller at `place` (0 is the head) may start, if nobody may before `opening` and everyone ahead starts on time.
    pub(super) fn start_of(&self, rules: &Rules, now: Tick, opening: Tick, place: usize) -> Tick {
        let ahead = Tick::try_from(place).unwrap_or(Tick::MAX);
        let waits = ahead.saturating_mul(self.interval(rules, now));
        let arrival = self.arrival.max(opening).saturating_add(waits);
        opening.max(arrival.saturating_sub(self.put_off(rules, now)))
    }

    pub(super) fn start(&mut self, rules: &Rules, now: Tick) {
        self.arrival = self.arrival.max(now);
        self.arrival = self.arrival.saturating_add(self.interval(rules, now));
    }

    /// A start took place no later than now.
    pub(super) fn started(&mut self, rules: &Rules, now: Tick) {
        let after = now.saturating_add(self.interval(rules, now));
        self.arrival = self.arrival.max(after);
    }

    /// The provider throttled: slower from now on, and no burst when the gate opens again.
    pub(super) fn slow_down(&mut self, rules: &Rules, now: Tick, opening: Tick) {
        if rules.widening > 0 {
            self.widened_until = now.saturating_add(rules.widening);
        }
        let no_burst = opening.saturating_add(self.put_off(rules, opening));
        self.arrival = self.arrival.max(no_burst);
    }

    /// The interval has grown by `by`, or shrunk.
    pub(super) fn stretch(&mut self, by: Tick) {
        self.arrival = self.arrival.saturating_add(by);
    }

    pub(super) fn forget_widening(&mut self) {
        self.widened_until = Tick::MIN;
    }

    pub(super) fn bound_by_clock(&mut self, rules: &Rules, now: Tick, opening: Tick) {
        let latest = now.saturating_add(rules.widening);
        self.widened_until = self.widened_until.min(latest);
        let full = rules.burst.saturating_mul(self.interval(rules, now));
        self.arrival = self.arrival.min(opening.max(now).saturating_add(full));
    }

    /// How much of the intervals after earlier starts a burst may put off.
    fn put_off(&self, rules: &Rules, now: Tick) -> Tick {
        (rules.burst - 1).saturating_mul(self.interval(rules, now))
    }
}
