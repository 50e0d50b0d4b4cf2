//! Callers ask when they mean to, until all have been answered.

use super::World;
use crate::gate::ledger::{
    Ask, Command, Outcome, Tick,
    model::caller::{LATEST, Manner},
};

impl World {
    /// Everyone asks when it means to, one at a time.
    pub(super) fn run_until(&mut self, end: Tick) {
        let next = |world: &Self| {
            let asks = world.callers.iter().enumerate();
            asks.filter_map(|(who, caller)| Some((caller.asks?, who)))
                .min()
        };
        while let Some((asks, who)) = next(self).filter(|&(asks, _)| asks <= end) {
            self.time = asks;
            self.ask(who);
        }
        self.time = end;
    }

    pub(super) fn ask(&mut self, who: usize) {
        let now = self.now();
        let caller = &self.callers[who];
        let spend = caller.due || !matches!(caller.manner, Manner::Readies(_));
        let (ticket, max_wait) = (caller.ticket, caller.deadline - self.time);
        let ask = match (spend, caller.alone) {
            (false, _) => Ask::Look,
            (true, false) => Ask::Spend,
            (true, true) => Ask::SpendAlone,
        };
        let answer = self.step(Command::Take {
            ticket,
            max_wait,
            ask,
        });
        let on_trial = self.reference.closing.trial;
        let (free, _) = self.reference.closing.free(&self.reference.rules);
        self.reference.take(now, who, max_wait, ask, &answer);
        let caller = &mut self.callers[who];
        caller.refused = false;
        match answer {
            Outcome::Wait { ticket, sleep } => {
                (caller.ticket, caller.due) = (Some(ticket), false);
                caller.asks = caller.manner.minds(self.time + sleep);
                caller.latest = self.time + sleep;
            }
            Outcome::Due(ticket) => {
                let Manner::Readies(takes) = caller.manner else {
                    panic!("due, but it meant to spend");
                };
                (caller.ticket, caller.due) = (Some(ticket), true);
                caller.asks = Some(self.time + takes);
            }
            Outcome::Go(grant) => {
                caller.is_gone();
                let rules = &self.reference.rules;
                self.history.starts(rules, self.time);
                self.history.is_out(rules, on_trial, ask, self.time, grant);
                self.turns.push(grant);
                let free = match ask {
                    // It keeps those waiting who might have gone at this very moment.
                    Ask::SpendAlone => free,
                    _ => self.reference.closing.free(rules).0,
                };
                self.nobody_in_time_was_overtaken_by(who, free);
            }
            Outcome::Refused(_) => caller.is_gone(),
            Outcome::Done | Outcome::Closed { .. } => panic!("no answer"),
        }
        self.settle();
    }

    pub(super) fn leave(&mut self, who: usize) {
        if let Some(ticket) = self.callers[who].ticket.filter(|_| self.callers[who].waits) {
            self.step(Command::Leave(ticket));
            self.reference.remove(who);
            self.callers[who].is_gone();
            self.settle();
        }
    }

    /// The parked leave, and everyone else is answered within the time that their turns take.
    pub(in super::super) fn ends(&mut self) {
        for who in 0..self.callers.len() {
            if self.callers[who].manner == Manner::Parked {
                self.leave(who);
            }
        }
        let rules = &self.reference.rules;
        let turn = 2 * rules.interval + rules.lease + rules.grace + 1 + LATEST;
        let closed = self.state.backoff_left(self.now()) + rules.widening;
        let backlog = rules.burst * 2 * rules.interval + rules.lease;
        let bound = closed + backlog + turn * (self.callers.len() as Tick + 1);
        // A clock that was set back is noticed at the next look, and what is bounded then counts from there.
        let times = if self.stepped { 2 } else { 1 };
        self.run_until(self.time + times * bound);
        let left_over = self
            .callers
            .iter()
            .find(|caller| caller.waits && caller.manner != Manner::Parked);
        assert!(left_over.is_none(), "never answered: {left_over:?}");
        assert_eq!(self.state.queued(), 0);
    }
}
