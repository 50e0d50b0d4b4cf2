//! Callers of some processes, in a true time of which the store sees only its clock.

use super::{
    caller::{Caller, Patient, Process},
    witness::{Seen, Witness},
};
use crate::gate::ledger::{Ask, Command, Outcome, Rules, State, Tick, Ticket};

/// What a process is that nobody has heard of before.
pub(super) const OUTSIDER: usize = usize::MAX;

/// What the clock of the first store shows at the beginning.
const BEGINNING: Tick = 1 << 61;

/// How far apart the clocks of any two stores are: no step of one makes it the other.
pub(super) const APART: Tick = 1 << 44;

#[derive(Clone, Debug)]
pub(super) struct World<'a> {
    pub(super) rules: &'a Rules,
    pub(super) state: State,
    pub(super) witness: Witness,
    pub(super) time: Tick,
    /// What the store falls back to when it fails.
    pub(super) replica: Option<Box<(State, Witness)>>,
    /// What the store's clock shows more than the true time.
    pub(super) ahead: Tick,
    /// Between these are those of the clocks of all stores so far.
    pub(super) aheads: (Tick, Tick),
    pub(super) processes: Vec<Process>,
    /// Each with its process.
    pub(super) callers: Vec<(usize, Caller)>,
    /// How many events there have been that put callers in order.
    events: u64,
    /// How many orders the stores have had.
    pub(super) orders: u64,
}

impl<'a> World<'a> {
    pub(super) fn new(rules: &'a Rules, processes: usize, callers_each: usize) -> Self {
        let callers =
            (0..processes).flat_map(|process| vec![(process, Caller::Idle); callers_each]);
        let ahead = BEGINNING;
        Self {
            rules,
            state: State::new(rules, ahead),
            witness: Witness::new(),
            time: 0,
            replica: None,
            ahead,
            aheads: (ahead, ahead),
            processes: vec![Process::new(); processes],
            callers: callers.collect(),
            events: 0,
            orders: 0,
        }
    }

    pub(super) fn shown(&self) -> Tick {
        self.time + self.ahead
    }

    /// One order of a process to the store, and what it learns by it. `witnesses` sees the answer before the process does.
    pub(super) fn order<T>(
        &mut self,
        process: usize,
        command: Command,
        witnesses: impl FnOnce(&mut Witness, &Seen<'_>) -> T,
    ) -> (Outcome, T) {
        let (rules, time, shown) = (self.rules, self.time, self.shown());
        self.orders += 1;
        let outsider = Process::new();
        let asks = self.processes.get(process).unwrap_or(&outsider);
        let is_closed = |state: &State| state.backoff_left(shown) > 0;
        let round = self.state.closing.round;
        self.state.recall(rules, shown, &asks.recalls(time));
        let rounds = self.state.closing.round - round;
        self.witness.hears(rules, time, rounds, asks);
        self.witness.is_no_more_careful(&self.state);
        let closed = is_closed(&self.state);
        let outcome = self.state.step(rules, shown, command);
        let seen = Seen {
            rules,
            time,
            shown,
            closed,
            outcome: &outcome,
        };
        let told = witnesses(&mut self.witness, &seen);
        self.witness.agrees(&seen, &self.state);
        if let Some(process) = self.processes.get_mut(process) {
            process.memory = self.state.view(rules, shown).memory;
            process.seen_at = time;
            process.knows = self.witness.store;
            process.is_careful = self.witness.was_set_back;
        }
        (outcome, told)
    }

    pub(super) fn comes(&mut self, who: usize, ask: Ask, patience: Tick) {
        self.events += 1;
        self.callers[who].1 = Caller::Waits(Patient {
            ticket: None,
            ask,
            look: self.time,
            stalls: 0,
            deadline: self.time + patience,
            is_refused: false,
            came: self.events,
            since: self.events,
        });
        self.asks(who);
    }

    pub(super) fn asks(&mut self, who: usize) {
        let (process, Caller::Waits(mut caller)) = self.callers[who].clone() else {
            panic!("{who} does not wait");
        };
        let (ticket, ask) = (caller.ticket, caller.ask);
        let max_wait = caller.deadline - self.time;
        let command = Command::Take {
            ticket,
            max_wait,
            ask,
        };
        let last_ticket = self.state.queue.last_ticket;
        // Who comes with a ticket of a lost queue that was ahead of this one comes anew.
        caller.ticket = caller
            .ticket
            .filter(|&ticket| ticket <= Ticket(last_ticket));
        let had_place = |world: &Self, ticket| world.witness.queue.contains_key(&ticket);
        let was_out = caller.ticket.is_none_or(|ticket| !had_place(self, ticket));
        let (outcome, turn) = self.order(process, command, |witness, seen| {
            witness.asks(seen, &caller)
        });
        caller.is_refused = false;
        self.callers[who].1 = match (outcome, turn) {
            (Outcome::Go(_), Some(turn)) => {
                self.overtakes_nobody(who, &caller);
                Caller::Holds(turn)
            }
            (Outcome::Wait { ticket, sleep }, _) => {
                caller.ticket = Some(ticket);
                (caller.look, caller.stalls) = (self.time + sleep, 0);
                Caller::Waits(caller)
            }
            (Outcome::Due(ticket), _) => {
                caller.ticket = Some(ticket);
                caller.ask = Ask::Spend;
                (caller.look, caller.stalls) = (self.time, 0);
                Caller::Waits(caller)
            }
            (Outcome::Refused(_), _) => {
                assert_eq!(
                    self.state.queue.last_ticket, last_ticket,
                    "reserved after a refusal"
                );
                Caller::Idle
            }
            other => panic!("{other:?}"),
        };
        if was_out && let (_, Caller::Waits(caller)) = &mut self.callers[who] {
            self.events += 1;
            caller.since = self.events;
        }
    }

    /// Who has kept its place since before another came is not overtaken by that one, unless it may go at this very moment too.
    fn overtakes_nobody(&self, who: usize, granted: &Patient) {
        let waits =
            self.callers
                .iter()
                .enumerate()
                .filter_map(|(other, (_, caller))| match caller {
                    Caller::Waits(caller) if other != who => Some(caller),
                    _ => None,
                });
        let place = |caller: &&Patient| {
            caller
                .ticket
                .filter(|ticket| self.witness.queue.contains_key(ticket))
        };
        let overtaken = waits.filter(|other| other.since < granted.came && place(other).is_some());
        let overtaken = overtaken.filter(|other| !other.is_refused).count();
        if let Some(last) = overtaken.checked_sub(1) {
            let may_go = self.witness.store.start_of(self.rules, self.time, last) <= self.time;
            assert!(
                may_go,
                "{who} overtook another: {granted:?} {:?}",
                self.callers
            );
        }
    }
}
