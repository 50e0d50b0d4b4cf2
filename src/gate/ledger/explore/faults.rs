//! What goes wrong in a crowd.

use super::{
    caller::Caller,
    crowd::{Crowd, INTERVAL, PROCESSES, WOKEN},
};
use crate::gate::ledger::{Finding, Throttle, Tick};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A process is never heard of again. Another comes soon.
    Kill,
    /// A process does nothing for up to four intervals.
    Stop,
    Cancel,
    Throttle,
    Loss,
    ClockStep,
}

#[derive(Debug)]
pub(super) struct Fate {
    pub(super) fault: Fault,
    /// How many intervals there are between two, on average.
    pub(super) every: Tick,
    pub(super) next: Tick,
}

impl Crowd<'_> {
    pub(super) fn befalls(&mut self, fault: Fault) {
        let time = self.world.time;
        let process = self.rng.usize(..PROCESSES);
        match fault {
            Fault::Kill => {
                self.world.crashes(process);
                let back = time + self.rng.i64(0..2 * INTERVAL);
                for (acts, (of, _)) in self.acts.iter_mut().zip(&self.world.callers) {
                    if *of == process {
                        *acts = back + self.rng.i64(0..INTERVAL);
                    }
                }
            }
            Fault::Stop => self.stopped_until[process] = time + self.rng.i64(0..4 * INTERVAL),
            Fault::Cancel => {
                let who = self.rng.usize(self.callers());
                if !matches!(self.world.callers[who].1, Caller::Waits(_)) {
                    return;
                }
                self.world.leaves(who);
                self.plans(who);
                self.wakes(self.process(who), WOKEN);
            }
            Fault::Throttle => {
                let is_out = |who: &usize| matches!(self.world.callers[*who].1, Caller::Holds(_));
                let Some(who) = self.callers().find(is_out) else {
                    return;
                };
                let throttle = Throttle {
                    at_least: 0,
                    jitter: 0,
                };
                self.world.settles(who, Finding::Throttled(throttle));
                self.plans(who);
                self.wakes(self.process(who), usize::MAX);
            }
            Fault::Loss => self.world.state_is_lost(self.rng.bool()),
            Fault::ClockStep => {
                let far = 1000 * INTERVAL;
                let steps = [-far, -INTERVAL, -5, 5, INTERVAL, far];
                self.world.clock_steps(steps[self.rng.usize(..steps.len())]);
            }
        }
        self.tally.faults.push(fault);
    }
}
