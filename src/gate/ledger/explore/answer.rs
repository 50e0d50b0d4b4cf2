//! What a caller may be told.

use super::{
    caller::{Patient, Turn},
    witness::{Promise, Seen, Witness},
};
use crate::gate::ledger::{Ask, Outcome, Refused, Tick};

/// Where a caller stands, by what has happened.
#[derive(Debug)]
struct Standing {
    place: usize,
    due: bool,
    max_wait: Tick,
    /// Whether its turn comes after its deadline.
    is_late: bool,
}

impl Witness {
    /// Checks what `caller` was told.
    pub(super) fn asks(&mut self, seen: &Seen<'_>, caller: &Patient) -> Option<Turn> {
        let &Seen {
            rules,
            time,
            shown,
            closed,
            outcome,
        } = seen;
        let is_closed = self.store.left(time) > 0;
        assert!(closed || !is_closed, "open inside a back-off");
        assert!(
            closed == is_closed || self.was_set_back,
            "closed for no reason"
        );
        if caller.is_refused || (closed && !rules.waits_while_closed) {
            let told = matches!(*outcome, Outcome::Refused(Refused::BackingOff { left }) if self.is_left(time, left));
            assert!(told, "{outcome:?} to one whom a back-off refuses");
            self.leaves(caller.ticket);
            return None;
        }
        self.pass_over_late_owners(seen, caller);
        let standing = self.standing(seen, caller);
        let latest = shown + standing.max_wait;
        match *outcome {
            Outcome::Go(grant) => {
                let may_go = standing.due && !standing.is_late && caller.ask != Ask::Look;
                assert!(may_go, "too early: {standing:?}, {self:?}");
                self.leaves(caller.ticket);
                return Some(self.grants(rules, time, caller.ask, grant));
            }
            Outcome::Due(ticket) => {
                let may_go = standing.due && !standing.is_late && caller.ask == Ask::Look;
                assert!(may_go, "too early: {standing:?}, {self:?}");
                match caller.ticket {
                    None => {
                        let look = shown;
                        assert!(self.has_room(seen, true));
                        self.queue.insert(ticket, Promise { look, latest });
                    }
                    // Asking again renews nothing.
                    Some(ticket) => {
                        if let Some(promise) = self.queue.get_mut(&ticket) {
                            promise.look = promise.look.min(shown);
                        }
                    }
                }
            }
            Outcome::Wait { ticket, sleep } => {
                let must_wait = !standing.due && !standing.is_late && standing.max_wait > 0;
                assert!(
                    must_wait || self.was_set_back,
                    "kept waiting for nothing: {standing:?}"
                );
                match caller.ticket {
                    None => assert!(self.has_room(seen, false)),
                    Some(kept) => assert_eq!(ticket, kept),
                }
                let longest = self.longest_sleep(seen, standing.place);
                assert!(
                    (1..=longest).contains(&sleep),
                    "looks too late: {standing:?}, {self:?}"
                );
                let look = shown + sleep;
                self.queue.insert(ticket, Promise { look, latest });
            }
            Outcome::Refused(refused) => {
                let why = self.is_refused(seen, caller, &standing, refused);
                assert!(why, "refused for no reason: {seen:?}, {standing:?}");
                self.leaves(caller.ticket);
            }
            Outcome::Closed { .. } | Outcome::Done => panic!("no answer"),
        }
        None
    }

    fn is_left(&self, time: Tick, told: Tick) -> bool {
        told == self.store.left(time).max(1) || self.was_set_back
    }

    /// Nobody keeps a place once its look has passed by more than its grace. However far a clock is set back, no look lies further ahead
    /// than anyone is ever told to sleep.
    fn pass_over_late_owners(&mut self, seen: &Seen<'_>, caller: &Patient) {
        let &Seen { rules, shown, .. } = seen;
        let longest_sleep = rules.polling.expect("callers look").longest_sleep;
        self.queue.retain(|&ticket, promise| {
            promise.look = promise.look.min(shown + longest_sleep);
            promise.look + rules.grace >= shown || Some(ticket) == caller.ticket
        });
    }

    fn standing(&self, seen: &Seen<'_>, caller: &Patient) -> Standing {
        let &Seen { rules, time, .. } = seen;
        let ahead = |ticket| caller.ticket.is_none_or(|own| ticket < own);
        let place = self.queue.keys().filter(|&&ticket| ahead(ticket)).count();
        let start = self.store.start_of(rules, time, place);
        let (free, _) = self.free(rules, time);
        let max_wait = caller.deadline - time;
        // Who has waited is not refused for what others were late.
        let slip = match caller.ticket {
            Some(_) if max_wait > 0 => rules.grace,
            _ => 0,
        };
        Standing {
            place,
            due: start <= time && place < free,
            max_wait,
            is_late: start - time > max_wait + slip,
        }
    }

    fn is_refused(
        &self,
        seen: &Seen<'_>,
        caller: &Patient,
        standing: &Standing,
        refused: Refused,
    ) -> bool {
        let &Seen { time, closed, .. } = seen;
        let is_late = standing.is_late || self.was_set_back;
        match refused {
            Refused::BackingOff { left } => {
                let is_longer = closed && left > standing.max_wait;
                is_late && is_longer && self.is_left(time, left)
            }
            Refused::PastDeadline { by } => {
                by > 0 && (is_late || (!standing.due && standing.max_wait <= 0))
            }
            Refused::QueueFull { next } => {
                let is_due = standing.due && !self.was_set_back;
                next > 0 && caller.ticket.is_none() && !self.has_room(seen, is_due)
            }
        }
    }

    /// Whether one more may take a place; one that is due waits for nobody.
    fn has_room(&self, seen: &Seen<'_>, is_due: bool) -> bool {
        self.queue.len() < seen.rules.max_queued.max(usize::from(is_due))
    }

    /// The longest that one at `place` may sleep so that no turn is left idle for longer than it must.
    fn longest_sleep(&self, seen: &Seen<'_>, place: usize) -> Tick {
        let &Seen {
            rules, time, shown, ..
        } = seen;
        let polling = rules.polling.expect("callers look");
        if place > polling.window || self.was_set_back {
            return polling.longest_sleep.max(1);
        }
        let stagger = Tick::try_from(place).expect("few") * polling.stagger;
        let due = self.next_turn(rules, time) - time;
        let ahead = self.queue.values().take(place);
        let ahead = ahead.map(|promise| promise.look - shown);
        let look = match ahead.min() {
            _ if due > 0 => due,
            Some(first) => first.max(-rules.grace) + rules.grace + 1,
            None => 1,
        };
        (look + stagger).clamp(1, (polling.longest_sleep / 2).max(1))
    }
}
