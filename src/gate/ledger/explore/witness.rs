//! What has really happened, in true time, whatever the ledger reckons.

use std::collections::BTreeMap;

use super::{
    caller::{Process, Turn},
    knowledge::Knowledge,
};
use crate::gate::ledger::{Ask, Closed, Grant, Outcome, Rules, Throttle, Tick, Ticket};

/// What stands in the store with a place, in the time of the store's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Promise {
    pub(super) look: Tick,
    pub(super) latest: Tick,
}

/// A turn that others may have to wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Out {
    pub(super) serial: u64,
    pub(super) round: u64,
    pub(super) lease: Tick,
    pub(super) alone: bool,
}

/// One order, as the witness sees it.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) rules: &'a Rules,
    /// True time, by which all is judged.
    pub(super) time: Tick,
    /// The time of the store's clock, by which places are kept.
    pub(super) shown: Tick,
    /// Whether the ledger takes the gate to be closed. What has happened decides, but where a clock was set back.
    pub(super) closed: bool,
    pub(super) outcome: &'a Outcome,
}

#[derive(Clone, Debug)]
pub(super) struct Witness {
    /// What the store knows, as it would be without a clock that was set back; that may only make it more careful.
    pub(super) store: Knowledge,
    pub(super) queue: BTreeMap<Ticket, Promise>,
    pub(super) outs: Vec<Out>,
    /// Whether the store's clock has been set back.
    pub(super) was_set_back: bool,
    pub(super) was_set_forward: bool,
    pub(super) granted: u64,
}

impl Witness {
    pub(super) fn new() -> Self {
        Self {
            store: Knowledge::of_nothing(0),
            queue: BTreeMap::new(),
            outs: Vec::new(),
            was_set_back: false,
            was_set_forward: false,
            granted: 0,
        }
    }

    pub(super) fn state_is_lost(&mut self) {
        self.store = Knowledge::of_nothing(self.store.lineage + 1);
        self.queue.clear();
        self.outs.clear();
    }

    /// The machine has been restarted, and with it all who waited and whose turns were out.
    pub(super) fn restarts(&mut self) {
        self.queue.clear();
        self.outs.clear();
    }

    pub(super) fn clock_steps(&mut self, by: Tick) {
        self.was_set_back |= by < 0;
        self.was_set_forward |= by > 0;
        self.store.clock_steps(by.max(0));
        for out in &mut self.outs {
            out.lease -= by.max(0);
        }
    }

    /// A process has brought the store what it knows.
    pub(super) fn hears(&mut self, rules: &Rules, time: Tick, rounds: u64, process: &Process) {
        let round = self.store.round + rounds;
        self.store.hears(rules, time, &process.knows);
        self.was_set_back |= process.is_careful;
        assert!(
            self.store.round == round || self.was_set_back,
            "a back-off that is not remembered as such"
        );
        self.store.round = round;
    }

    /// How many more turns may be out, and until when the next must wait if nothing is heard.
    pub(super) fn free(&self, rules: &Rules, time: Tick) -> (usize, Tick) {
        let out = || self.outs.iter().filter(|out| out.lease > time);
        let Knowledge { trial, round, .. } = self.store;
        let alone = out().filter(|out| out.round == round && (out.alone || trial));
        let until = alone.map(|out| out.lease).max();
        let in_flight = rules.max_in_flight.saturating_sub(out().count());
        let first_back = out().map(|out| out.lease).min().filter(|_| in_flight == 0);
        let free = match (until, trial) {
            (Some(_), _) => 0,
            (None, true) => in_flight.min(1),
            (None, false) => in_flight,
        };
        (free, until.max(first_back).unwrap_or(time))
    }

    /// When the next turn may be given, if nothing is heard of those that are out.
    pub(super) fn next_turn(&self, rules: &Rules, time: Tick) -> Tick {
        let (_, heard) = self.free(rules, time);
        self.store.start_of(rules, heard, 0)
    }

    pub(super) fn grants(&mut self, rules: &Rules, time: Tick, ask: Ask, grant: Grant) -> Turn {
        let alone = ask == Ask::SpendAlone;
        let is_awaited = alone || self.store.trial || rules.max_in_flight < usize::MAX;
        assert!(grant.is_awaited() == is_awaited || self.was_set_back);
        self.store.granted(rules, time);
        let Knowledge { round, trial, .. } = self.store;
        self.outs.retain(|out| out.lease > time);
        if rules.max_in_flight == usize::MAX {
            self.outs
                .retain(|out| out.round == round && (out.alone || trial));
        }
        self.granted += 1;
        let serial = self.granted;
        if is_awaited {
            self.outs.push(Out {
                serial,
                round,
                lease: time + rules.lease,
                alone,
            });
        }
        Turn {
            grant,
            serial,
            lineage: self.store.lineage,
            round,
            is_started: false,
            is_answered: false,
        }
    }

    pub(super) fn leaves(&mut self, ticket: Option<Ticket>) {
        if let Some(ticket) = ticket {
            self.queue.remove(&ticket);
        }
    }

    pub(super) fn started(&mut self, seen: &Seen<'_>) {
        if self.was_set_back {
            // Which start was the last, and whether the interval was doubled then, depends on the clock.
            self.store.widened_until = self.store.widened_until.min(self.store.last_start);
        }
        self.store.started(seen.rules, seen.time);
    }

    pub(super) fn answered(&mut self, seen: &Seen<'_>, turn: &Turn) {
        if turn.lineage == self.store.lineage && self.store.answered(seen.closed, turn.round) {
            for out in &mut self.outs {
                out.alone &= out.serial != turn.serial;
            }
        }
    }

    pub(super) fn returned(&mut self, turn: &Turn) {
        self.outs.retain(|out| out.serial != turn.serial);
    }

    /// Checks whom a throttle has refused, and tells who is to be told of it.
    pub(super) fn throttled(
        &mut self,
        seen: &Seen<'_>,
        turn: Option<&Turn>,
        throttle: Throttle,
    ) -> Vec<Ticket> {
        let &Seen {
            rules,
            time,
            shown,
            closed,
            outcome,
        } = seen;
        let round = turn.filter(|turn| turn.lineage == self.store.lineage);
        let round = round.map(|turn| turn.round);
        let closes = self.store.throttled(rules, time, closed, round, throttle);
        let (is_new, refused) = match outcome {
            Outcome::Closed { is_new, refused } => (Some(*is_new), refused),
            Outcome::Done => {
                assert!(closes.is_none(), "a throttle that closes nothing");
                return Vec::new();
            }
            other => panic!("{other:?} to a throttle"),
        };
        let is_careful = self.was_set_back && closes.is_none() && is_new == Some(false);
        assert!(
            is_new == closes || is_careful,
            "not the back-off that it should be"
        );
        let queue = std::mem::take(&mut self.queue);
        match refused {
            Closed::Everyone(places) => {
                assert!(!rules.waits_while_closed && places.keys().eq(queue.keys()));
                queue.into_keys().collect()
            }
            Closed::These(refused) => {
                for (ticket, promise) in queue {
                    let is_refused = refused.contains(&ticket);
                    let start = self.store.start_of(rules, time, self.queue.len());
                    let is_late = start - time > promise.latest - shown;
                    assert!(self.was_set_back || is_late == is_refused);
                    if !is_refused {
                        self.queue.insert(ticket, promise);
                    }
                }
                refused.clone()
            }
        }
    }
}
