//! The rules told once more, slowly: plain lists, every place counted out.

use crate::gate::ledger::{Outcome, Rules, Tick};

/// Who stands in `queue` stands there in the order of coming, with the look that it promised.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) rules: Rules,
    pub(super) next_start: Option<Tick>,
    pub(super) closed_until: Option<Tick>,
    pub(super) queue: Vec<(usize, Tick)>,
    /// Who is to be told of a back-off that began while it waited, however late it asks.
    pub(super) refused: Vec<usize>,
    /// How many have come so far.
    everyone: usize,
}

impl Reference {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            next_start: None,
            closed_until: None,
            queue: Vec::new(),
            refused: Vec::new(),
            everyone: 0,
        }
    }

    /// A clock that was set back closes the gate for no longer than the rules would from now on.
    pub(super) fn bound(&mut self, now: Tick) {
        let (start, end) = (now + self.rules.interval, now + self.rules.longest_backoff);
        self.next_start = self.next_start.map(|time| time.min(start));
        self.closed_until = self.closed_until.map(|time| time.min(end));
    }

    fn due(&self) -> Option<Tick> {
        self.next_start.max(self.closed_until)
    }

    pub(super) fn start(&self, now: Tick, place: usize) -> Tick {
        self.due().map_or(now, |due| due.max(now)) + place as Tick * self.rules.interval
    }

    /// When the owner of a place counts as late.
    pub(super) fn late(&self, look: Tick) -> Tick {
        self.due().map_or(look, |due| due.max(look)) + self.rules.grace + 1
    }

    /// When `who` must look at the latest: at its start, or when everyone between the first and it, had they gone on time, would leave
    /// the one before it late.
    pub(super) fn latest_look(&self, now: Tick, who: usize) -> Tick {
        let place = self
            .queue
            .iter()
            .position(|&(other, _)| other == who)
            .unwrap();
        let start = self.start(now, place);
        match place {
            0 => start,
            1 => start.min(self.late(self.queue[0].1)),
            _ => start.min(self.start(now, place - 1) + self.rules.grace + 1),
        }
    }

    pub(super) fn remove(&mut self, who: usize) {
        self.queue.retain(|&(other, _)| other != who);
    }

    /// Checks `answer`, given to `who`.
    pub(super) fn take(
        &mut self,
        now: Tick,
        who: usize,
        max_wait: Tick,
        spend: bool,
        answer: Outcome,
    ) {
        let comes = who == self.everyone;
        self.everyone += usize::from(comes);
        let left = self.closed_until.map_or(0, |end| end - now);
        if left > 0 || self.refused.contains(&who) {
            self.remove(who);
            assert_eq!(answer, Outcome::BackingOff { left: left.max(1) });
            return;
        }
        while let [(head, look), ..] = self.queue[..]
            && head != who
            && self.late(look) <= now
        {
            self.queue.remove(0);
        }
        let place = self.queue.iter().filter(|&&(other, _)| other < who).count();
        let start = self.start(now, place);
        if start - now > max_wait {
            self.remove(who);
            assert_eq!(answer, Outcome::PastDeadline);
            return;
        }
        let known = self.queue.iter().position(|&(other, _)| other == who);
        match answer {
            Outcome::Go if spend => {
                assert_eq!(start, now);
                self.remove(who);
                self.next_start = Some(now + self.rules.interval);
            }
            Outcome::Due(_) if !spend => {
                assert_eq!(start, now);
                match known {
                    Some(known) => self.queue[known].1 = self.queue[known].1.min(now),
                    None if comes => self.queue.push((who, now)),
                    None => {}
                }
            }
            Outcome::Wait { sleep, .. } => {
                assert!(start > now, "told to wait for a turn that is due");
                let look = now + sleep;
                assert!((now + 1..=start).contains(&look), "looks after its start");
                self.remove(who);
                self.queue.insert(place, (who, look));
            }
            other => panic!("{other:?} instead of a turn at {start}, now {now}"),
        }
    }

    /// Who must be told to look sooner: a head that would miss its start, a second that would miss the head's being late.
    pub(super) fn hurry(&mut self, now: Tick) -> Vec<usize> {
        let mut told = Vec::new();
        for place in 0..self.queue.len().min(2) {
            let who = self.queue[place].0;
            let wanted = self.latest_look(now, who);
            if self.queue[place].1 > wanted {
                self.queue[place].1 = wanted.max(now);
                told.push(who);
            }
        }
        told
    }

    pub(super) fn throttled(&mut self, now: Tick, at_least: Tick) -> Tick {
        let length = at_least
            .min(self.rules.longest_backoff)
            .max(self.rules.backoff);
        self.closed_until = self.closed_until.max(Some(now + length));
        self.refused.extend(0..self.everyone);
        self.queue.clear();
        length
    }
}
