//! What the ledger shows, held against what has happened.

use super::witness::{Seen, Witness};
use crate::gate::ledger::{State, Tick};

impl Witness {
    /// What the ledger shows is what has happened. Of a clock that was set back it may have become more careful, until that has passed.
    pub(super) fn agrees(&mut self, seen: &Seen<'_>, state: &State) {
        let places = state.queue.places.iter();
        let places = places.map(|(ticket, place)| (ticket, place.look));
        let promises = self.queue.iter();
        let promises = promises.map(|(ticket, promise)| (ticket, promise.look));
        assert!(places.eq(promises), "not who waits: {self:?}");
        self.forgets_nothing(seen, state);
        let is_exact = self.knows_what_it_shows(seen, state);
        assert!(
            is_exact || self.was_set_back,
            "not what has happened: {self:?}"
        );
        self.was_set_back &= !(is_exact && self.knows_what_it_hides(seen, state));
        self.is_no_more_careful(state);
    }

    /// A clock that was set back may have begun a back-off anew that the ledger takes to have passed its trial.
    pub(super) fn is_no_more_careful(&mut self, state: &State) {
        if self.was_set_back {
            self.store.trial &= state.on_trial();
            self.store.refusals = self.store.refusals.min(state.closing.streak);
        }
    }

    fn forgets_nothing(&self, seen: &Seen<'_>, state: &State) {
        let &Seen {
            rules, time, shown, ..
        } = seen;
        let left = state.backoff_left(shown);
        assert!(
            left >= self.store.left(time),
            "a back-off cut short: {self:?}"
        );
        let owed = state.pace.arrival - shown;
        let is_owed = owed.max(0) >= self.store.even - time;
        assert!(is_owed, "an interval cut short: {self:?}");
        // A clock that leaps forward and back may have lost them on the way.
        let may_forget = self.was_set_back && self.was_set_forward;
        let streak = self.store.streak(rules, time);
        let is_remembered = state.streak(rules, shown) >= streak || may_forget;
        assert!(is_remembered, "a throttle forgotten: {self:?}");
    }

    fn knows_what_it_shows(&self, seen: &Seen<'_>, state: &State) -> bool {
        let &Seen {
            rules, time, shown, ..
        } = seen;
        let ahead = |time: Tick, now: Tick| (time - now).max(0);
        let outs = state.out.iter();
        let mut outs: Vec<_> = outs.map(|out| (out.lease - shown, out.alone)).collect();
        let leases = self.outs.iter().filter(|out| out.lease > time);
        let mut leases: Vec<_> = leases.map(|out| (out.lease - time, out.alone)).collect();
        outs.sort_unstable();
        leases.sort_unstable();
        state.backoff_left(shown) == self.store.left(time)
            && ahead(state.pace.arrival, shown) == ahead(self.store.even, time)
            && ahead(state.pace.widened_until, shown) == ahead(self.store.widened_until, time)
            && state.streak(rules, shown) == self.store.streak(rules, time)
            && state.on_trial() == self.store.trial
            && outs == leases
    }

    /// What is not to be seen now, but may be later.
    fn knows_what_it_hides(&self, seen: &Seen<'_>, state: &State) -> bool {
        let &Seen {
            rules, time, shown, ..
        } = seen;
        let open = |ahead: Tick| ahead.max(-rules.backoff_cap);
        let starts = [state.pace.last_start, state.pace.widened_until];
        let known = [self.store.last_start, self.store.widened_until];
        state.closing.streak == self.store.refusals
            && open(state.closing.until - shown) == open(self.store.closed_until - time)
            && (rules.widening == 0 || starts.map(|at| at - shown) == known.map(|at| at - time))
    }
}
