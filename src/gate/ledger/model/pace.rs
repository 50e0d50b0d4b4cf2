//! How close starts may come, start by start.

use crate::gate::ledger::{Rules, Tick};

/// Long before anything happens.
pub(super) const NEVER: Tick = Tick::MIN / 4;

#[derive(Clone, Debug)]
pub(super) struct Pace {
    last_start: Tick,
    /// The time at which all that has started would have started, were it evenly spaced.
    even: Tick,
    pub(super) widened_until: Tick,
}

/// Whole intervals become as many; what is left keeps its share of one, or takes more.
pub(super) fn recounted(ahead: Tick, old: Tick, new: Tick) -> Tick {
    let mut left = ahead;
    let mut recounted = 0;
    if old == 0 {
        return new;
    }
    while left >= old {
        (left, recounted) = (left - old, recounted + new);
    }
    recounted
        + match left {
            0 => 0,
            _ if new > old => left + new - old,
            _ => left.min(new),
        }
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            last_start: NEVER,
            even: NEVER,
            widened_until: NEVER,
        }
    }

    pub(super) fn interval(&self, rules: &Rules, now: Tick) -> Tick {
        if now < self.widened_until {
            2 * rules.interval
        } else {
            rules.interval
        }
    }

    /// The first moment, from `now` on, at which one may start.
    pub(super) fn next(&self, rules: &Rules, now: Tick) -> Tick {
        now.max(self.even - (rules.burst - 1) * rules.interval)
    }

    pub(super) fn start(&mut self, rules: &Rules, now: Tick) {
        self.even = self.even.max(now) + self.interval(rules, now);
        self.last_start = now;
    }

    /// As if all of the burst had just been used, but for one start.
    pub(super) fn spend_burst(&mut self, rules: &Rules, now: Tick) {
        self.even = self.even.max(now + (rules.burst - 1) * rules.interval);
    }

    /// When the one at `place` may start, found by letting everyone before it start.
    pub(super) fn start_of(&self, rules: &Rules, opening: Tick, place: usize) -> Tick {
        let mut pace = self.clone();
        let mut now = pace.next(rules, opening);
        for _ in 0..place {
            pace.start(rules, now);
            now = pace.next(rules, now);
        }
        now
    }

    pub(super) fn started(&mut self, rules: &Rules, now: Tick) {
        // It keeps the interval that it was given.
        let interval = self.interval(rules, self.last_start);
        self.even = self.even.max(now + interval);
        self.last_start = self.last_start.max(now);
    }

    pub(super) fn change(&mut self, old: &Rules, new: &Rules) {
        let ahead = self.even - self.last_start;
        self.even = self.last_start + recounted(ahead, old.interval, new.interval);
    }

    pub(super) fn bound(&mut self, rules: &Rules, now: Tick, opening: Tick) {
        self.widened_until = self.widened_until.min(opening.max(now) + rules.widening);
        let widest = rules.interval * if rules.widening > 0 { 2 } else { 1 };
        let excess = self.even - (now + (rules.burst - 1) * rules.interval + widest);
        if excess > 0 {
            self.even -= excess;
            self.last_start -= excess;
        }
        self.last_start = self.last_start.min(now);
    }
}
