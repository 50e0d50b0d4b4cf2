//! What has really happened, in true time: what no rule of the ledger may break, whatever it reckons.

use super::pace::recounted;
use crate::gate::ledger::{Grant, Rules, Tick};

#[derive(Debug)]
struct Start {
    time: Tick,
    /// The interval that follows it.
    interval: Tick,
}

#[derive(Debug, Default)]
pub(super) struct History {
    starts: Vec<Start>,
    closed_until: Option<Tick>,
    widened_until: Option<Tick>,
    /// What nothing has been heard of, with the ends of the leases.
    out: Vec<(Grant, Tick)>,
}

impl History {
    fn interval(&self, rules: &Rules, time: Tick) -> Tick {
        let wide = self.widened_until.is_some_and(|until| time < until);
        rules.interval * if wide { 2 } else { 1 }
    }

    /// Of any starts in a row, all but as many as a burst has are an interval apart: so any burst and one more span an interval, and
    /// any number keep the average.
    pub(super) fn starts(&mut self, rules: &Rules, time: Tick) {
        let mut least = (1 - rules.burst) * rules.interval;
        for start in self.starts.iter().rev() {
            least += start.interval;
            assert!(time - start.time >= least, "too close: {self:?}, {time}");
        }
        let open = self.closed_until.is_none_or(|until| until <= time);
        assert!(open, "a start inside a back-off");
        let interval = self.interval(rules, time);
        self.starts.push(Start { time, interval });
    }

    /// The last start is known to have been no later than now.
    pub(super) fn started(&mut self, rules: &Rules, time: Tick) {
        if rules.burst == 1
            && let Some(last) = self.starts.pop()
        {
            let after = time + self.interval(rules, last.time);
            let interval = after.max(last.time + last.interval) - time;
            self.starts.push(Start { time, interval });
        }
    }

    pub(super) fn is_out(&mut self, rules: &Rules, on_trial: bool, time: Tick, grant: Grant) {
        self.out.retain(|&(_, lease)| lease > time);
        let others = self.out.len();
        assert!(others < rules.max_in_flight, "too many out");
        let trials = self.out.iter().filter(|(out, _)| out.round == grant.round);
        assert!(!on_trial || trials.count() == 0, "two trials are out");
        self.out.push((grant, time + rules.lease));
    }

    pub(super) fn is_back(&mut self, grant: Grant) {
        self.out.retain(|&(out, _)| out != grant);
    }

    pub(super) fn closes(&mut self, rules: &Rules, until: Tick) {
        self.closed_until = self.closed_until.max(Some(until));
        if rules.widening > 0 {
            self.widened_until = self.closed_until.map(|until| until + rules.widening);
        }
    }

    pub(super) fn opens(&mut self) {
        (self.closed_until, self.widened_until) = (None, None);
    }

    /// The last start keeps its place in time, and a new interval follows it.
    pub(super) fn changes(&mut self, old: &Rules, new: &Rules) {
        let last = self.starts.pop();
        self.starts.clear();
        if let Some(Start { time, interval }) = last.filter(|_| new.burst == 1) {
            let share = match old.interval {
                0 => new.interval,
                // Rounded up.
                old => (interval * new.interval + old - 1) / old,
            };
            let interval = recounted(interval, old.interval, new.interval);
            assert!(interval >= share);
            self.starts.push(Start { time, interval });
        }
    }

    /// Everything that a clock set forward takes to be so much longer ago.
    pub(super) fn clock_steps(&mut self, ticks: Tick) {
        let forward = ticks.max(0);
        for start in &mut self.starts {
            start.time -= forward;
        }
        for until in [&mut self.closed_until, &mut self.widened_until] {
            *until = until.map(|until| until - forward);
        }
        for (_, lease) in &mut self.out {
            *lease -= forward;
        }
    }
}
