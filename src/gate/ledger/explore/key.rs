//! What tells two worlds apart, as far as anything that may yet happen goes.

use std::hash::{DefaultHasher, Hasher};

use super::{
    caller::{Caller, Process},
    knowledge::Knowledge,
    world::World,
};
use crate::gate::ledger::{Grant, Tick, Ticket};

/// What is further away than this is the same to a search in which nothing lasts as long: it is over, or bounded before it is used.
const FAR: Tick = 64;

/// Times count from now, tickets and comings by their order, rounds and states by whether they are the present ones; callers stand in no
/// order.
struct Key<'a> {
    world: &'a World<'a>,
    tickets: Vec<Ticket>,
    events: Vec<u64>,
    words: Vec<i64>,
}

fn near(ticks: Tick) -> i64 {
    ticks.clamp(-FAR, FAR)
}

fn rank<T: Ord>(list: &[T], of: &T) -> i64 {
    list.binary_search(of)
        .map_or(-1, |rank| i64::try_from(rank).expect("few"))
}

fn compare(one: u64, other: u64) -> i64 {
    one.cmp(&other) as i64
}

impl World<'_> {
    /// A hash of 64 bits stands for the world.
    pub(super) fn key(&self) -> u64 {
        let mut key = Key {
            world: self,
            tickets: self.state.queue.places.keys().copied().collect(),
            events: Vec::with_capacity(8),
            words: Vec::with_capacity(128),
        };
        for (_, caller) in &self.callers {
            if let Caller::Waits(caller) = caller {
                key.tickets.extend(caller.ticket);
                key.events.extend([caller.came, caller.since]);
            }
        }
        key.tickets.sort_unstable();
        key.tickets.dedup();
        key.events.sort_unstable();
        key.events.dedup();
        key.hash()
    }
}

impl Key<'_> {
    fn hash(mut self) -> u64 {
        self.state();
        self.knowledge(&self.world.witness.store);
        self.outs();
        let mut callers: Vec<_> = self
            .world
            .callers
            .iter()
            .map(|(process, caller)| {
                let start = self.words.len();
                self.process(&self.world.processes[*process]);
                self.caller(caller);
                self.words.split_off(start)
            })
            .collect();
        callers.sort_unstable();
        let mut hasher = DefaultHasher::new();
        for word in self.words.iter().chain(callers.iter().flatten()) {
            hasher.write_i64(*word);
        }
        hasher.finish()
    }

    fn state(&mut self) {
        let World { state, .. } = self.world;
        let shown = self.world.shown();
        let at = |time: Tick| near(time - shown);
        let (pace, closing) = (&state.pace, &state.closing);
        self.words.extend([
            at(pace.last_start),
            at(pace.arrival),
            at(pace.widened_until),
            at(closing.until),
            closing.length,
            i64::from(closing.streak),
            i64::from(closing.on_trial),
        ]);
        for (ticket, place) in &state.queue.places {
            self.words.extend([
                rank(&self.tickets, ticket),
                at(place.look),
                at(place.latest),
            ]);
        }
        self.words.push(i64::MAX);
        // Those whose owners are heard of stand with these.
        let held = |grant: &Grant| {
            self.world
                .callers
                .iter()
                .any(|(_, caller)| matches!(caller, Caller::Holds(turn) if turn.grant == *grant))
        };
        let mut orphans: Vec<_> = state
            .out
            .iter()
            .filter(|out| !held(&out.grant))
            .map(|out| (at(out.lease), out.alone, out.grant.round == closing.round))
            .collect();
        orphans.sort_unstable();
        for (lease, alone, is_of_this) in orphans {
            self.words
                .extend([lease, i64::from(alone), i64::from(is_of_this)]);
        }
        self.words.push(i64::MAX);
    }

    /// Where a clock was set back, these are not the ledger's.
    fn outs(&mut self) {
        let World { witness, time, .. } = self.world;
        let mut outs: Vec<_> = witness
            .outs
            .iter()
            .map(|out| {
                (
                    near(out.lease - time),
                    out.alone,
                    out.round == witness.store.round,
                )
            })
            .collect();
        outs.sort_unstable();
        for (lease, alone, is_of_this) in outs {
            self.words
                .extend([lease, i64::from(alone), i64::from(is_of_this)]);
        }
        self.words.push(i64::from(witness.was_set_back));
    }

    fn knowledge(&mut self, knowledge: &Knowledge) {
        let store = &self.world.witness.store;
        let at = |time: Tick| near(time - self.world.time);
        self.words.extend([
            at(knowledge.even),
            at(knowledge.last_start),
            at(knowledge.widened_until),
            at(knowledge.closed_until),
            i64::from(knowledge.refusals),
            i64::from(knowledge.trial),
            i64::from(knowledge.lineage == store.lineage),
            compare(knowledge.round, store.round),
        ]);
    }

    fn process(&mut self, process: &Process) {
        let memory = process.recalls(self.world.time);
        let closing = &self.world.state.closing;
        self.words.extend([
            i64::from(memory.born == self.world.state.born),
            compare(memory.round, closing.round),
            i64::from(memory.streak),
            i64::from(memory.on_trial),
            near(memory.arrival),
            near(memory.closed),
            i64::from(process.is_careful),
        ]);
        self.knowledge(&process.knows);
    }

    fn caller(&mut self, caller: &Caller) {
        let World { state, time, .. } = self.world;
        match caller {
            Caller::Idle => self.words.push(0),
            Caller::Waits(caller) => {
                let ticket = caller.ticket.expect("it has asked");
                self.words.extend([
                    1,
                    rank(&self.tickets, &ticket),
                    i64::from(state.queue.has_issued(ticket)),
                    i64::from(state.queue.is_refused(ticket)),
                    caller.ask as i64,
                    near(caller.look - time),
                    caller.stalls,
                    near(caller.deadline - time),
                    i64::from(caller.is_refused),
                    rank(&self.events, &caller.came),
                    rank(&self.events, &caller.since),
                ]);
            }
            Caller::Holds(turn) => {
                let out = state.out.iter().find(|out| out.grant == turn.grant);
                let (lease, alone) = out.map_or((0, false), |out| {
                    (near(out.lease - self.world.shown()), out.alone)
                });
                let grant = turn.grant;
                self.words.extend([
                    2,
                    i64::from(out.is_some()),
                    lease,
                    i64::from(alone),
                    i64::from(grant.born == state.born),
                    i64::from(grant.round == state.closing.round),
                    i64::from(turn.lineage == self.world.witness.store.lineage),
                    i64::from(turn.round == self.world.witness.store.round),
                    i64::from(turn.is_started),
                    i64::from(turn.is_answered),
                ]);
            }
        }
    }
}
