use super::{Rules, Tick};

/// How close starts may come: the generic cell rate algorithm, on starts as they happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    last_start: Tick,
    /// When the interval after the last start is over, and those of the starts before it that a burst has put off.
    arrival: Tick,
    /// Until when each start is followed by a doubled interval.
    widened_until: Tick,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            last_start: Tick::MIN,
            arrival: Tick::MIN,
            widened_until: Tick::MIN,
        }
    }
}

/// When everyone may start, and whether some may do so at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) at: Tick,
    pub(super) with_burst: bool,
}

impl Pace {
    /// The interval after a start at `now`.
    pub(super) fn interval(&self, rules: &Rules, now: Tick) -> Tick {
        match self.widened_until > now {
            true => rules.interval.saturating_mul(2),
            false => rules.interval,
        }
    }

    /// When the next start may be, as far as the pace goes.
    pub(super) fn due(&self, rules: &Rules) -> Tick {
        self.arrival.saturating_sub(put_off(rules))
    }

    /// When the caller at `place` (0 is the head) may start, if nobody may before `opening` and everyone ahead starts on time.
    pub(super) fn start_of(&self, rules: &Rules, opening: Opening, place: usize) -> Tick {
        let ahead = Tick::try_from(place).unwrap_or(Tick::MAX);
        let arrival = self.arrival_at(rules, opening);
        let wide = ahead.min(self.wide_starts(rules, opening, arrival));
        let waits = ahead.saturating_add(wide).saturating_mul(rules.interval);
        let due = arrival.saturating_add(waits).saturating_sub(put_off(rules));
        opening.at.max(due)
    }

    pub(super) fn start(&mut self, rules: &Rules, opening: Opening) {
        let interval = self.interval(rules, opening.at);
        self.arrival = self.arrival_at(rules, opening).saturating_add(interval);
        self.last_start = opening.at;
    }

    /// The last start took place no later than now.
    pub(super) fn started(&mut self, rules: &Rules, now: Tick) {
        let interval = self.interval(rules, self.last_start);
        self.arrival = self.arrival.max(now.saturating_add(interval));
        self.last_start = self.last_start.max(now);
    }

    /// The provider throttled: slower for some time once the gate opens again.
    pub(super) fn widen(&mut self, rules: &Rules, opening: Tick) {
        if rules.widening > 0 {
            self.widened_until = opening.saturating_add(rules.widening);
        }
    }

    pub(super) fn forget_widening(&mut self) {
        self.widened_until = Tick::MIN;
    }

    /// Counts anew, from the last start, what was counted in intervals of another length.
    pub(super) fn recount(&mut self, old: Tick, new: Tick) {
        let counted = i128::from(self.arrival.saturating_sub(self.last_start));
        let (old, new) = (i128::from(old), i128::from(new));
        let recounted = match old {
            0 => new,
            _ => (counted * new + old - 1) / old,
        };
        let recounted = Tick::try_from(recounted).unwrap_or(Tick::MAX);
        self.arrival = self.last_start.saturating_add(recounted);
    }

    pub(super) fn bound_by_clock(&mut self, rules: &Rules, now: Tick, opening: Tick) {
        let latest = opening.max(now).saturating_add(rules.widening);
        self.widened_until = self.widened_until.min(latest);
        let widest = match rules.widening {
            0 => rules.interval,
            _ => rules.interval.saturating_mul(2),
        };
        let latest = now.saturating_add(put_off(rules)).saturating_add(widest);
        let ahead = self.arrival.saturating_sub(latest).max(0);
        self.arrival = self.arrival.saturating_sub(ahead);
        self.last_start = self.last_start.saturating_sub(ahead).min(now);
    }

    fn arrival_at(&self, rules: &Rules, opening: Opening) -> Tick {
        let earliest = match opening.with_burst {
            true => opening.at,
            false => opening.at.saturating_add(put_off(rules)),
        };
        self.arrival.max(earliest)
    }

    /// How many of those who start from `opening` on do so while the interval is doubled.
    fn wide_starts(&self, rules: &Rules, opening: Opening, arrival: Tick) -> Tick {
        let first = arrival.saturating_sub(put_off(rules));
        let time = self.widened_until.saturating_sub(first);
        let wide = rules.interval.saturating_mul(2);
        if opening.at >= self.widened_until || time <= 0 || wide == 0 {
            return 0;
        }
        1 + (time - 1) / wide
    }
}

/// How much of the intervals after earlier starts a burst may put off.
fn put_off(rules: &Rules) -> Tick {
    (rules.burst - 1).saturating_mul(rules.interval)
}
