use super::{Rules, Tick, long_before};

/// How close starts may come: the generic cell rate algorithm, on starts as they happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) last_start: Tick,
    /// When the interval after the last start is over, and those of the starts before it that a burst has put off.
    pub(super) arrival: Tick,
    /// Until when each start is followed by a doubled interval.
    pub(super) widened_until: Tick,
    /// The interval that `arrival` was counted in.
    pub(super) interval: Tick,
}

/// When everyone may start, and whether some may do so at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) at: Tick,
    pub(super) with_burst: bool,
}

impl Pace {
    pub(super) fn new(rules: &Rules, now: Tick) -> Self {
        let last_start = long_before(now);
        Self {
            last_start,
            arrival: last_start,
            widened_until: last_start,
            interval: rules.interval,
        }
    }

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

    pub(super) fn forget_widening(&mut self, now: Tick) {
        self.widened_until = self.last_start.min(long_before(now));
    }

    /// Counts anew, from the last start, what was counted in intervals of another length. A part of an interval counts for no less than
    /// its share of the new one.
    pub(super) fn recount(&mut self, new: Tick) {
        let old = std::mem::replace(&mut self.interval, new);
        if old == new {
            return;
        }
        let counted = self.arrival.saturating_sub(self.last_start);
        let recounted = match (counted.checked_div(old), counted.checked_rem(old)) {
            (Some(whole), Some(0)) => whole.saturating_mul(new),
            (Some(whole), Some(part)) => {
                let part = if new > old {
                    part + (new - old)
                } else {
                    part.min(new)
                };
                whole.saturating_mul(new).saturating_add(part)
            }
            _ => new,
        };
        self.arrival = self.last_start.saturating_add(recounted);
    }

    /// As another's is, whose arrival is that far ahead.
    pub(super) fn adopt(&mut self, rules: &Rules, now: Tick, arrival: Tick) {
        self.arrival = now.saturating_add(arrival);
        self.last_start = self.arrival.saturating_sub(rules.interval).min(now);
    }

    /// There was a start whose arrival is that far ahead.
    #[cfg(any(test, feature = "file"))]
    pub(super) fn recall(&mut self, rules: &Rules, now: Tick, arrival: Tick) {
        let arrival = now.saturating_add(arrival);
        if arrival > self.arrival {
            self.arrival = arrival;
            let start = arrival.saturating_sub(rules.interval).min(now);
            self.last_start = self.last_start.max(start);
        }
    }

    pub(super) fn bound_by_clock(&mut self, rules: &Rules, now: Tick, opening: Tick) {
        let latest = opening.max(now).saturating_add(rules.widening);
        self.widened_until = self.widened_until.min(latest);
        let widest = match rules.widening {
            0 => rules.interval,
            _ => rules.interval.saturating_mul(2),
        };
        let latest = now.saturating_add(put_off(rules)).saturating_add(widest);
        if self.arrival > latest {
            let ahead = self.arrival.saturating_sub(latest);
            self.arrival = latest;
            let start = self.last_start.saturating_sub(ahead);
            self.last_start = start.max(long_before(now));
        }
        self.last_start = self.last_start.min(now);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_start_is_never_longer_ago_than_long_ago() {
        let with = |interval| Rules {
            interval,
            burst: 1 << 40,
            grace: 0,
            backoffs: [0].into(),
            backoff_cap: 0,
            longest_backoff: 0,
            widening: 0,
            lease: 1,
            max_in_flight: usize::MAX,
            max_queued: 0,
            waits_while_closed: false,
            polling: None,
        };
        let now = 1 << 50;
        let mut pace = Pace::new(&with(1), now);
        pace.recall(&with(1), now, 1 << 40);
        pace.recount(1 << 40);
        pace.bound_by_clock(&with(1 << 9), now, now);
        assert_eq!(pace.arrival, now + (1 << 49));
        assert_eq!(pace.last_start, long_before(now));
    }
}
