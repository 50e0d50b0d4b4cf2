//! Processes with several callers each, under more load than there are turns: they are killed, stopped, cancelled and throttled.

use fastrand::Rng;

use super::{
    caller::Caller,
    faults::{Fate, Fault},
    world::World,
};
use crate::gate::ledger::{Ask, Finding, Polling, Rules, Tick};

const MS: Tick = 1000;
pub(super) const INTERVAL: Tick = 2500 * MS;

pub(super) const PROCESSES: usize = 8;

/// How many of a process look when it gives up a place or a turn.
pub(super) const WOKEN: usize = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) grants: u64,
    /// What the store was asked and told.
    pub(super) orders: u64,
    pub(super) faults: Vec<Fault>,
    /// For how long a turn was due while somebody waited who could take it; and at most, for one turn.
    pub(super) idle: Tick,
    pub(super) longest_idle: Tick,
}

pub(super) fn rules() -> Rules {
    Rules {
        interval: INTERVAL,
        burst: 1,
        grace: INTERVAL / 4,
        backoffs: [60_000 * MS, 120_000 * MS, 240_000 * MS].into(),
        backoff_cap: 900_000 * MS,
        longest_backoff: 3_600_000 * MS,
        widening: 0,
        lease: 30_000 * MS,
        max_in_flight: usize::MAX,
        max_queued: 100,
        waits_while_closed: false,
        polling: Some(Polling {
            window: 4,
            stagger: 2 * MS,
            longest_sleep: 2 * INTERVAL,
        }),
    }
}

/// Ticks are microseconds.
pub(super) struct Crowd<'a> {
    pub(super) world: World<'a>,
    pub(super) rng: Rng,
    fates: Vec<Fate>,
    /// When each caller does what it does next, if its process runs then.
    pub(super) acts: Vec<Tick>,
    pub(super) stopped_until: [Tick; PROCESSES],
    pub(super) tally: Tally,
    /// Since the last turn.
    idle: Tick,
}

impl<'a> Crowd<'a> {
    pub(super) fn new(rules: &'a Rules, callers_each: usize, faults: &[(Fault, Tick)]) -> Self {
        let next = 0;
        let fates = faults.iter();
        let fates = fates.map(|&(fault, every)| Fate { fault, every, next });
        Self {
            world: World::new(rules, PROCESSES, callers_each),
            rng: Rng::with_seed(faults.len() as u64),
            fates: fates.collect(),
            acts: vec![0; PROCESSES * callers_each],
            stopped_until: [0; PROCESSES],
            tally: Tally::default(),
            idle: 0,
        }
    }

    pub(super) fn takes_turns(mut self, grants: u64) -> Tally {
        while self.world.witness.granted < grants {
            self.goes_on();
        }
        self.world.all_are_answered();
        Tally {
            grants,
            orders: self.world.orders,
            ..self.tally
        }
    }

    pub(super) fn process(&self, who: usize) -> usize {
        self.world.callers[who].0
    }

    fn runs(&self, who: usize) -> Tick {
        self.acts[who].max(self.stopped_until[self.process(who)])
    }

    pub(super) fn callers(&self) -> std::ops::Range<usize> {
        0..self.acts.len()
    }

    fn goes_on(&mut self) {
        let first = self.callers().min_by_key(|&who| self.runs(who));
        let first = first.expect("there are callers");
        let acts = self.runs(first);
        let fated = self.fates.iter_mut().min_by_key(|fated| fated.next);
        match fated {
            Some(fated) if fated.next <= acts => {
                let (fault, time) = (fated.fault, fated.next);
                fated.next += self.rng.i64(1..2 * fated.every * INTERVAL);
                self.passes(time);
                self.befalls(fault);
            }
            _ => {
                self.passes(acts);
                self.acts(first);
            }
        }
    }

    fn passes(&mut self, until: Tick) {
        let until = until.max(self.world.time);
        let World {
            callers,
            time,
            witness,
            rules,
            ..
        } = &self.world;
        let can_take = |(process, caller): &(usize, Caller)| {
            let runs = self.stopped_until[*process] <= *time;
            matches!(caller, Caller::Waits(caller) if !caller.is_refused) && runs
        };
        if callers.iter().any(can_take) {
            let due = witness.next_turn(rules, *time);
            let idle = (until - due).max(0);
            self.tally.idle += idle;
            self.idle += idle;
            self.tally.longest_idle = self.tally.longest_idle.max(self.idle);
        }
        self.world.time = until;
    }

    fn acts(&mut self, who: usize) {
        let process = self.process(who);
        let is_closed = |crowd: &Self| crowd.world.processes[process].memory.closed > 0;
        let was_closed = is_closed(self);
        match &self.world.callers[who].1 {
            Caller::Idle => {
                let asks = [
                    Ask::Spend,
                    Ask::Spend,
                    Ask::Spend,
                    Ask::Look,
                    Ask::SpendAlone,
                ];
                let most = if self.has(Fault::Loss) { asks.len() } else { 1 };
                let ask = asks[self.rng.usize(..most)];
                let patience = self.rng.i64(20_000 * MS..60_000 * MS);
                self.world.comes(who, ask, patience);
            }
            Caller::Waits(_) => self.world.asks(who),
            Caller::Holds(turn) if !turn.is_started && self.has(Fault::Loss) => {
                self.world.started(who);
            }
            Caller::Holds(_) => {
                let finding = match self.rng.u8(..20) {
                    0 => Finding::Unknown,
                    _ => Finding::Answered,
                };
                self.world.settles(who, finding);
                self.wakes(process, WOKEN);
            }
        }
        if matches!(self.world.callers[who].1, Caller::Holds(_)) {
            self.idle = 0;
        }
        self.plans(who);
        if !was_closed && is_closed(self) {
            self.wakes(process, usize::MAX);
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fates.iter().any(|fated| fated.fault == fault)
    }

    pub(super) fn plans(&mut self, who: usize) {
        let World { time, callers, .. } = &self.world;
        self.acts[who] = match &callers[who].1 {
            Caller::Idle => time + self.rng.i64(100 * MS..4 * INTERVAL),
            // What a timer of a millisecond adds, and the way to the store.
            Caller::Waits(caller) => caller.look + self.rng.i64(100..1600),
            Caller::Holds(turn) if !turn.is_started && self.has(Fault::Loss) => {
                time + self.rng.i64(0..200)
            }
            Caller::Holds(_) => time + self.rng.i64(200 * MS..1500 * MS),
        };
    }

    /// The first of those of a process who wait look now: it has heard of something.
    pub(super) fn wakes(&mut self, process: usize, most: usize) {
        let callers = self.world.callers.iter().enumerate();
        let sleepers = callers.filter_map(|(who, (of, caller))| match caller {
            Caller::Waits(caller) if *of == process => Some((caller.ticket, who)),
            _ => None,
        });
        let mut sleepers: Vec<_> = sleepers.collect();
        sleepers.sort_unstable();
        for (_, who) in sleepers.into_iter().take(most) {
            let soon = self.world.time + self.rng.i64(0..MS);
            self.acts[who] = self.acts[who].min(soon);
        }
    }
}
