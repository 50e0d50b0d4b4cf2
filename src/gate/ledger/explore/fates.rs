//! What else happens to callers, to their turns and to the store.

use super::{
    caller::{Caller, Process, Turn},
    witness::Witness,
    world::{APART, World},
};
use crate::gate::ledger::{Command, Finding, State, Throttle, Tick, Ticket};

impl World<'_> {
    /// It will look this much later than it should.
    pub(super) fn stalls(&mut self, who: usize, by: Tick) {
        if let (_, Caller::Waits(caller)) = &mut self.callers[who] {
            caller.stalls = by;
        }
    }

    pub(super) fn leaves(&mut self, who: usize) {
        if let (process, Caller::Waits(caller)) = self.callers[who].clone() {
            if let Some(ticket) = caller.ticket {
                self.order(process, Command::Leave(ticket), |witness, _| {
                    witness.leaves(Some(ticket))
                });
            }
            self.callers[who].1 = Caller::Idle;
        }
    }

    /// The process is never heard of again; another takes its number.
    pub(super) fn crashes(&mut self, process: usize) {
        self.processes[process] = Process::new();
        for (_, caller) in self.callers.iter_mut().filter(|(of, _)| *of == process) {
            *caller = Caller::Idle;
        }
    }

    fn held(&mut self, who: usize) -> (usize, &mut Turn) {
        match &mut self.callers[who] {
            (process, Caller::Holds(turn)) => (*process, turn),
            other => panic!("{other:?} holds no turn"),
        }
    }

    /// Its request started no later than now.
    pub(super) fn started(&mut self, who: usize) {
        let (process, turn) = self.held(who);
        turn.is_started = true;
        self.order(process, Command::Started, |witness, seen| {
            witness.started(seen);
        });
    }

    pub(super) fn is_answered_and_read(&mut self, who: usize) {
        let (process, turn) = self.held(who);
        turn.is_answered = true;
        let turn = *turn;
        self.order(process, Command::Answered(turn.grant), |witness, seen| {
            witness.answered(seen, &turn);
        });
    }

    pub(super) fn settles(&mut self, who: usize, finding: Finding) {
        let (process, &mut turn) = self.held(who);
        self.callers[who].1 = Caller::Idle;
        let command = Command::Settle(turn.grant, finding);
        let (_, refused) = self.order(process, command, |witness, seen| {
            witness.returned(&turn);
            match finding {
                Finding::Answered => witness.answered(seen, &turn),
                Finding::Throttled(throttle) => {
                    return witness.throttled(seen, Some(&turn), throttle);
                }
                Finding::Unknown => {}
            }
            Vec::new()
        });
        self.are_refused(&refused);
    }

    pub(super) fn throttled(&mut self, process: usize, throttle: Throttle) {
        let command = Command::Throttled(throttle);
        let (_, refused) = self.order(process, command, |witness, seen| {
            witness.throttled(seen, None, throttle)
        });
        self.are_refused(&refused);
    }

    /// Those whose places a back-off has taken are told so whenever they ask.
    fn are_refused(&mut self, refused: &[Ticket]) {
        for (_, caller) in &mut self.callers {
            if let Caller::Waits(caller) = caller {
                let Some(ticket) = caller.ticket else {
                    continue;
                };
                let will_be_told = self.state.queue.is_refused(ticket);
                let is_bounded = self.rules.max_queued < usize::MAX;
                let is_told = will_be_told || is_bounded || !refused.contains(&ticket);
                assert!(is_told, "sleeps through a back-off");
                caller.is_refused |= will_be_told;
            }
        }
    }

    pub(super) fn reset(&mut self, process: usize) {
        self.order(process, Command::Reset, |witness, _| witness.store.reset());
    }

    pub(super) fn clock_steps(&mut self, by: Tick) {
        self.replica = None;
        self.ahead += by;
        self.witness.clock_steps(by);
    }

    /// The state is lost, and the next one made by another clock.
    pub(super) fn state_is_lost(&mut self, is_slower: bool) {
        let (least, most) = &mut self.aheads;
        self.ahead = if is_slower {
            *least -= APART;
            *least
        } else {
            *most += APART;
            *most
        };
        self.state = State::new(self.rules, self.shown());
        self.replica = None;
        self.witness.state_is_lost();
        for (_, caller) in &mut self.callers {
            if let Caller::Waits(caller) = caller {
                caller.is_refused = false;
            }
        }
    }

    /// The state as it is now is kept elsewhere too.
    pub(super) fn is_copied(&mut self) {
        self.replica = Some(Box::new((self.state.clone(), self.witness.clone())));
    }

    /// What has happened since the state was copied is lost to the store.
    pub(super) fn falls_back(&mut self) {
        let Some(replica) = self.replica.clone() else {
            return;
        };
        // That takes longer than any number lies ahead of the clock it was counted from.
        let last = self.state.queue.last_ticket.max(self.state.last_grant);
        let last = Tick::try_from(last).expect("near the clock");
        self.time += (last + 1 - self.shown()).max(0);
        let (state, witness) = *replica;
        self.state = state;
        self.witness = Witness {
            granted: self.witness.granted,
            was_set_back: self.witness.was_set_back || witness.was_set_back,
            ..witness
        };
        for (_, caller) in &mut self.callers {
            if let Caller::Waits(caller) = caller {
                let queue = &self.state.queue;
                caller.is_refused = caller.ticket.is_some_and(|ticket| queue.is_refused(ticket));
            }
        }
    }

    /// The machine is started anew, and its clock with it. The store is as it was.
    pub(super) fn restarts(&mut self) {
        for process in 0..self.processes.len() {
            self.crashes(process);
        }
        let by = -self.shown();
        self.replica = None;
        self.state = self.state.clone().moved(by);
        self.ahead += by;
        self.witness.restarts();
    }
}
