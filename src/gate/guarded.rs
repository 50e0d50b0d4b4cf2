//! What the lock of a process's ledger guards.

use std::{collections::BTreeMap, task::Waker};

use super::{
    ledger::{Closed, Command, FRONT, Rules, State, Tick, Ticket},
    remembered::Remembered,
    settings::Settings,
    snapshot::Counts,
};

#[derive(Debug)]
pub(super) struct Guarded {
    pub(super) settings: Settings,
    /// The settings in ticks.
    pub(super) rules: Rules,
    pub(super) state: State,
    /// Who waits and has not been woken since it last looked.
    pub(super) wakers: BTreeMap<Ticket, Waker>,
    pub(super) counts: Counts,
    pub(super) remembered: Remembered,
}

/// Wakers that are no longer kept. Waking and dropping them runs other people's code, so both wait until the lock is free.
#[derive(Debug, Default)]
pub(super) struct Released {
    pub(super) woken: Option<BTreeMap<Ticket, Waker>>,
    pub(super) unneeded: Option<Waker>,
    /// Only to be dropped.
    pub(super) refused: Option<Closed>,
}

impl Guarded {
    pub(super) fn new(settings: Settings, now: Tick) -> Self {
        let rules = settings.rules();
        Self {
            state: State::new(&rules, now),
            rules,
            settings,
            wakers: BTreeMap::new(),
            counts: Counts::default(),
            remembered: Remembered::new(now),
        }
    }

    pub(super) fn leave(&mut self, now: Tick, ticket: Ticket) -> Option<Waker> {
        self.state.step(&self.rules, now, Command::Leave(ticket));
        self.wakers.remove(&ticket)
    }

    /// Keeps `waker` for `ticket` and gives back the one it replaces.
    pub(super) fn wake_later(&mut self, ticket: Ticket, waker: &Waker) -> Option<Waker> {
        match self.wakers.get(&ticket) {
            Some(kept) if kept.will_wake(waker) => None,
            _ => self.wakers.insert(ticket, waker.clone()),
        }
    }

    /// The wakers of those who must look sooner than they mean to.
    pub(super) fn hurry(&mut self, now: Tick) -> [Option<Waker>; FRONT] {
        let hurried = self.state.hurry(&self.rules, now);
        hurried.map(|ticket| self.wakers.remove(&ticket?))
    }

    pub(super) fn take_wakers(&mut self, tickets: &[Ticket]) -> BTreeMap<Ticket, Waker> {
        let taken = tickets
            .iter()
            .filter_map(|ticket| Some((*ticket, self.wakers.remove(ticket)?)));
        taken.collect()
    }
}
