//! When callers may start, and when they should look whether they may.

use super::{FRONT, Polling, Rules, State, Tick, Ticket, pace::Opening};

impl State {
    /// Those at the front of the queue whose next look comes later than their place now asks for, and who must be told to look sooner.
    /// Being told counts as looking then: who does not is late.
    pub(crate) fn hurry(&mut self, rules: &Rules, now: Tick) -> [Option<Ticket>; FRONT] {
        let mut told = [None; FRONT];
        for (place, ticket) in self.queue.front().into_iter().enumerate() {
            let Some(ticket) = ticket else { break };
            let wanted = self.look_of(rules, now, place).max(now);
            let Some(entry) = self.queue.get_mut(ticket) else {
                break;
            };
            if entry.look > wanted {
                entry.look = wanted;
                told[place] = Some(ticket);
            }
        }
        told
    }

    /// When the caller at `place` may start if everyone before it does so on time, and no turn that is out stands in the way.
    pub(super) fn start_of(&self, rules: &Rules, now: Tick, place: usize) -> Tick {
        self.pace.start_of(rules, self.opening(now), place)
    }

    /// From when on callers may start, as far as back-offs go. After one there is no burst: the gate is to be tried first.
    pub(super) fn opening(&self, now: Tick) -> Opening {
        Opening {
            at: self.closing.until.max(now),
            with_burst: !self.closing.on_trial,
        }
    }

    /// When the caller at `place` should look again: at its start, or sooner if by then the one before it counts as late.
    ///
    /// Who stands behind more callers than may be out at once must hear of one that is not, or wait for leases to end.
    pub(super) fn look_of(&self, rules: &Rules, now: Tick, place: usize) -> Tick {
        if let Some(polling) = &rules.polling {
            return self.polled_look_of(rules, polling, now, place);
        }
        let mut opening = self.opening(now);
        opening.at = opening.at.max(self.blocked_until(rules));
        if let Some(behind) = place.checked_sub(self.free(rules).max(1)) {
            let leases = 1 + behind / rules.max_in_flight;
            let leases = Tick::try_from(leases).unwrap_or(Tick::MAX);
            opening.at = opening
                .at
                .saturating_add(leases.saturating_mul(rules.lease));
        }
        let start_of = |place| self.pace.start_of(rules, opening, place);
        let before_is_late = match (place, self.queue.head()) {
            (0, _) | (1, None) => return start_of(place),
            (1, Some((_, head))) => head.look.max(self.due(rules)),
            _ => start_of(place - 1),
        };
        start_of(place).min(before_is_late.saturating_add(rules.grace + 1))
    }

    /// The same where nobody is told anything: those in the window look whenever a turn is due, and when the first of those before them
    /// counts as late; nobody sleeps for long.
    fn polled_look_of(&self, rules: &Rules, polling: &Polling, now: Tick, place: usize) -> Tick {
        let mut opening = self.opening(now);
        opening.at = opening.at.max(self.blocked_until(rules));
        let behind = place.min(polling.window);
        let first = self.pace.start_of(rules, opening, place - behind);
        let mut look = first;
        if self.pace.start_of(rules, opening, 0) <= now {
            let ahead = self.queue.first_look(place).unwrap_or(now);
            look = now.max(ahead.saturating_add(rules.grace)).saturating_add(1);
        }
        let stagger = Tick::try_from(behind).unwrap_or(Tick::MAX);
        let look = look.saturating_add(stagger.saturating_mul(polling.stagger));
        let longest_sleep = match place > polling.window {
            true => polling.longest_sleep,
            false => polling.longest_sleep / 2,
        };
        look.min(now.saturating_add(longest_sleep))
    }

    /// When the head's turn is due.
    pub(super) fn due(&self, rules: &Rules) -> Tick {
        let open = self.closing.until.max(self.blocked_until(rules));
        self.pace.due(rules).max(open)
    }
}
