//! The turns that are out: given, and not yet settled.

use super::{Grant, Rules, State, Tick, closing::Closing};

/// A turn that was given and has not been settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Out {
    pub(super) grant: Grant,
    /// When it counts as out no more.
    pub(super) lease: Tick,
    /// Whether it was asked for that no other start meanwhile.
    pub(super) alone: bool,
}

impl State {
    pub(super) fn answered(&mut self, now: Tick, grant: Grant) {
        let round = self.round_of(grant);
        if !round.is_some_and(|round| self.closing.answered(now, round)) {
            return;
        }
        for out in &mut self.out {
            out.alone &= out.grant != grant;
        }
    }

    /// One more is given: so none of those that are out is one beside which no other may start, and nobody waits for them if any number
    /// may be out.
    pub(super) fn forget_idle(&mut self, rules: &Rules) {
        if rules.max_in_flight == usize::MAX {
            self.out.clear();
        }
    }

    /// How many more turns may be out.
    pub(super) fn free(&self, rules: &Rules) -> usize {
        if self.out.is_empty() && !self.closing.on_trial {
            return rules.max_in_flight;
        }
        let most = match (self.alone().next(), self.closing.on_trial) {
            (Some(_), _) => 0,
            (None, true) => 1,
            (None, false) => usize::MAX,
        };
        most.min(rules.max_in_flight.saturating_sub(self.out.len()))
    }

    /// Until when the turns that are out keep everyone else waiting, if nothing is heard of them.
    pub(super) fn blocked_until(&self, rules: &Rules) -> Tick {
        if self.out.is_empty() {
            return Tick::MIN;
        }
        let alone = self.alone().max();
        let full = self.out.len() >= rules.max_in_flight;
        let first_back = self.out.iter().map(|out| out.lease).min().filter(|_| full);
        alone.max(first_back).unwrap_or(Tick::MIN)
    }

    /// The leases of the turns beside which no other may start: those that asked for it, and those that try whether a back-off is over.
    fn alone(&self) -> impl Iterator<Item = Tick> {
        let Closing {
            on_trial, round, ..
        } = self.closing;
        let alone = self.out.iter();
        let alone = alone.filter(move |out| (out.alone || on_trial) && out.grant.round == round);
        alone.map(|out| out.lease)
    }
}
