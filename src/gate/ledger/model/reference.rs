//! The rules told once more, slowly: plain lists, every place counted out.

use super::{closing::Closing, pace::Pace};
use crate::gate::ledger::{Ask, Grant, Outcome, Refused, Rules, Throttle, Tick};

/// Who stands in `queue` stands there in the order of coming, with the look that it promised and the latest that it can start.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) rules: Rules,
    pub(super) pace: Pace,
    pub(super) closing: Closing,
    pub(super) queue: Vec<Queued>,
    /// Who is to be told of a back-off that began while it waited, however late it asks.
    refused: Vec<usize>,
    /// How many have come so far.
    everyone: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) who: usize,
    pub(super) look: Tick,
    latest: Tick,
}

impl Reference {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            pace: Pace::new(),
            closing: Closing::default(),
            queue: Vec::new(),
            refused: Vec::new(),
            everyone: 0,
        }
    }

    /// A clock that was set back keeps nobody waiting for longer than the rules would from now on.
    pub(super) fn bound(&mut self, now: Tick) {
        self.closing.bound(&self.rules, now);
        let opening = now + self.closing.left(now);
        self.pace.bound(&self.rules, now, opening);
    }

    fn start_from(&self, opening: Tick, place: usize) -> Tick {
        let mut pace = self.pace.clone();
        if self.closing.trial {
            pace.spend_burst(&self.rules, opening);
        }
        pace.start_of(&self.rules, opening, place)
    }

    /// When the one at `place` may start, whatever is out.
    pub(super) fn start(&self, now: Tick, place: usize) -> Tick {
        self.start_from(now + self.closing.left(now), place)
    }

    /// From when on the one at `place` may start, if nothing is heard of what is out, and nothing of what will be out by then.
    fn opening_unheard(&self, now: Tick, place: usize) -> Tick {
        let (free, until) = self.closing.free(&self.rules);
        let opening = (now + self.closing.left(now)).max(until.unwrap_or(now));
        let mut ahead = place;
        let mut leases = 0;
        // As many as are free go first, then as many as may be out at once for each lease.
        while let Some(left) = ahead.checked_sub(if leases == 0 {
            free.max(1)
        } else {
            self.rules.max_in_flight
        }) {
            (ahead, leases) = (left, leases + 1);
        }
        opening + leases * self.rules.lease
    }

    pub(super) fn start_unheard(&self, now: Tick, place: usize) -> Tick {
        self.start_from(self.opening_unheard(now, place), place)
    }

    /// When the owner of a place counts as late.
    pub(super) fn late(&self, look: Tick) -> Tick {
        let (_, until) = self.closing.free(&self.rules);
        let due = self.pace.next(&self.rules, look);
        let open = self.closing.until.max(until);
        due.max(open.unwrap_or(due)) + self.rules.grace + 1
    }

    /// When `who` must look at the latest: at its start, or when everyone between the first and it, had they gone on time, would leave
    /// the one before it late.
    pub(super) fn latest_look(&self, now: Tick, who: usize) -> Tick {
        let place = self.place_of(who).expect("it waits");
        let start = self.start_unheard(now, place);
        match place {
            0 => start,
            1 => start.min(self.late(self.queue[0].look)),
            _ => {
                let before = self.start_from(self.opening_unheard(now, place), place - 1);
                start.min(before + self.rules.grace + 1)
            }
        }
    }

    pub(super) fn place_of(&self, who: usize) -> Option<usize> {
        self.queue.iter().position(|queued| queued.who == who)
    }

    pub(super) fn remove(&mut self, who: usize) {
        self.queue.retain(|queued| queued.who != who);
        self.refused.retain(|&refused| refused != who);
    }

    /// Checks `answer`, given to `who`.
    pub(super) fn take(
        &mut self,
        now: Tick,
        who: usize,
        max_wait: Tick,
        ask: Ask,
        answer: &Outcome,
    ) {
        let spend = ask != Ask::Look;
        let comes = who == self.everyone;
        self.everyone += usize::from(comes);
        let left = self.closing.left(now);
        let backing_off = Outcome::Refused(Refused::BackingOff { left: left.max(1) });
        if self.refused.contains(&who) || (left > 0 && !self.rules.waits_while_closed) {
            self.remove(who);
            assert_eq!(*answer, backing_off);
            return;
        }
        while let [head, ..] = self.queue[..]
            && head.who != who
            && self.late(head.look) <= now
        {
            self.queue.remove(0);
        }
        let ahead = self.queue.iter().filter(|queued| queued.who < who);
        let place = ahead.count();
        if place >= 8
            && max_wait > 0
            && let Some(known) = self.place_of(who)
            && self.queue[known].look > now
            && let Some(last) = self.queue.last()
            && self.queue[known].look <= self.latest_look(now, last.who)
        {
            let sleep = self.queue[known].look - now;
            let told = matches!(*answer, Outcome::Wait { sleep: told, .. } if told == sleep);
            assert!(told, "{answer:?} to one who looks needlessly");
            return;
        }
        let start = self.start(now, place);
        if start - now > max_wait {
            self.remove(who);
            let by = start - now - max_wait;
            match left > max_wait && left > 0 {
                true => assert_eq!(*answer, backing_off),
                false => assert_eq!(*answer, Outcome::Refused(Refused::PastDeadline { by })),
            }
            return;
        }
        let (free, _) = self.closing.free(&self.rules);
        let due = start == now && place < free;
        if !due && max_wait == 0 {
            self.remove(who);
            let told = matches!(*answer, Outcome::Refused(Refused::PastDeadline { by }) if by > 0);
            assert!(told, "{answer:?} with no time left");
            return;
        }
        let latest = now + max_wait;
        let look = match *answer {
            Outcome::Go(grant) if spend && due => {
                self.remove(who);
                if self.closing.trial {
                    self.pace.spend_burst(&self.rules, now);
                }
                self.pace.start(&self.rules, now);
                self.closing.granted(&self.rules, now, ask, grant);
                return;
            }
            Outcome::Refused(Refused::QueueFull { next }) if comes && next > 0 => {
                let may_wait = self.rules.max_queued.max(usize::from(due));
                assert!(!(due && spend) && self.queue.len() >= may_wait);
                return;
            }
            Outcome::Due(_) if !spend && due => now,
            Outcome::Wait { sleep, .. } if !due && sleep > 0 => now + sleep,
            _ => panic!("{answer:?} at {now} instead of a turn at {start}, {free} free"),
        };
        if comes {
            assert!(self.queue.len() < self.rules.max_queued.max(usize::from(due)));
        }
        match self.place_of(who) {
            // Asking again when due renews nothing.
            Some(known) if due => self.queue[known].look = self.queue[known].look.min(now),
            None if due && !comes => {}
            _ => {
                self.remove(who);
                self.queue.insert(place, Queued { who, look, latest });
                if !due {
                    let wanted = self.latest_look(now, who).max(now + 1);
                    assert_eq!(look, wanted, "told to look at another time");
                }
            }
        }
    }

    /// Who must be told to look sooner: a head that would miss its start, a second that would miss the head's being late.
    pub(super) fn hurry(&mut self, now: Tick) -> Vec<usize> {
        let mut told = Vec::new();
        for place in 0..self.queue.len().min(4) {
            let who = self.queue[place].who;
            let wanted = self.latest_look(now, who).max(now);
            if self.queue[place].look > wanted {
                self.queue[place].look = wanted;
                told.push(who);
            }
        }
        told
    }

    /// Everyone who can no longer make it once the gate has closed, front to back.
    pub(super) fn closed(&mut self, now: Tick) -> Vec<usize> {
        if !self.rules.waits_while_closed {
            self.refused.extend(0..self.everyone);
            return self.queue.drain(..).map(|queued| queued.who).collect();
        }
        let mut refused = Vec::new();
        for queued in std::mem::take(&mut self.queue) {
            if self.start(now, self.queue.len()) > queued.latest {
                refused.push(queued.who);
                self.refused.push(queued.who);
            } else {
                self.queue.push(queued);
            }
        }
        // No more are remembered than may wait.
        self.refused.sort_unstable();
        let forgotten = self.refused.len().saturating_sub(self.rules.max_queued);
        self.refused.drain(..forgotten);
        refused
    }

    pub(super) fn throttled(
        &mut self,
        now: Tick,
        grant: Option<Grant>,
        throttle: Throttle,
    ) -> Option<Vec<usize>> {
        let closes = self.closing.throttled(&self.rules, now, grant, throttle);
        if closes && self.rules.widening > 0 {
            let opening = now + self.closing.left(now);
            self.pace.widened_until = opening + self.rules.widening;
        }
        closes.then(|| self.closed(now))
    }
}
