//! What must hold after each step, as callers see it.

use super::World;
use crate::gate::ledger::model::{caller::Manner, reference::Reference};

impl World {
    /// Who is never later than its grace is overtaken by nobody, unless it may go at this very moment too, or a clock made it late.
    pub(super) fn nobody_in_time_was_overtaken_by(&self, who: usize, free: usize) {
        for earlier in 0..who {
            let caller = &self.callers[earlier];
            if self.stepped || !caller.is_in_time(self.grace) {
                continue;
            }
            let place = self.reference.place_of(earlier);
            let place = place.expect("who is in time has a place");
            let may_go = self.reference.start(self.now(), place) <= self.now() && place < free;
            assert!(may_go, "{who} overtook {earlier}: {caller:?}");
        }
    }

    pub(super) fn all_is_shown_as_it_is(&self) {
        let (now, Reference { rules, closing, .. }) = (self.now(), &self.reference);
        let queued = self.reference.queue.len();
        assert_eq!(self.state.queued(), queued);
        let wait = self.reference.start(now, queued) - now;
        assert_eq!(self.state.wait_of_newcomer(rules, now), wait);
        assert_eq!(self.state.backoff_left(now), closing.left(now));
        let interval = self.reference.pace.interval(rules, now);
        assert_eq!(self.state.interval(rules, now), interval);
        let streak = closing.streak(rules, now);
        assert_eq!(self.state.streak(rules, now) as usize, streak);
        assert_eq!(self.state.on_trial(), closing.trial);
    }

    /// The first in the queue that minds its looks has set one for the first moment at which it may go.
    pub(super) fn no_turn_will_be_left_idle(&self) {
        let queue = &self.reference.queue;
        let punctual = queue
            .iter()
            .position(|queued| self.callers[queued.who].manner == Manner::Punctual);
        let Some(place) = punctual else {
            return;
        };
        let caller = &self.callers[queue[place].who];
        let latest = match place {
            0 => self.reference.start_unheard(self.time, 0),
            1 => self.reference.late(queue[0].look).max(self.time),
            // Those before it cost it no more than their turns would have, and the last of them no more than its grace.
            _ => caller.latest,
        };
        let asks = caller.asks.expect("a punctual caller has a look to take");
        assert!(
            asks <= latest,
            "at place {place}, asks at {asks}, not by {latest}"
        );
    }
}
