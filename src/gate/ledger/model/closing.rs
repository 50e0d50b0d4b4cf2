//! Back-offs, rounds and what is out, in plain lists.

use crate::gate::ledger::{Ask, Grant, Rules, Throttle, Tick};

/// A turn that others may have to wait for.
#[derive(Clone, Debug)]
pub(super) struct Out {
    grant: Grant,
    round: usize,
    lease: Tick,
    alone: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    pub(super) until: Option<Tick>,
    length: Tick,
    pub(super) trial: bool,
    refusals: usize,
    round: usize,
    out: Vec<Out>,
    /// The round of every turn ever granted.
    rounds: Vec<(Grant, usize)>,
}

impl Closing {
    pub(super) fn left(&self, now: Tick) -> Tick {
        self.until.map_or(0, |until| (until - now).max(0))
    }

    pub(super) fn bound(&mut self, rules: &Rules, now: Tick) {
        self.until = self.until.map(|until| until.min(now + self.length));
        self.out.retain(|out| out.lease > now);
        for out in &mut self.out {
            out.lease = out.lease.min(now + rules.lease);
        }
    }

    pub(super) fn streak(&self, rules: &Rules, now: Tick) -> usize {
        match self.until {
            Some(until) if now - until < rules.backoff_cap => self.refusals,
            _ => 0,
        }
    }

    pub(super) fn granted(&mut self, rules: &Rules, now: Tick, ask: Ask, grant: Grant) {
        let alone = ask == Ask::SpendAlone;
        let waited_for = alone || self.trial || rules.max_in_flight != usize::MAX;
        assert_eq!(grant.is_awaited(), waited_for);
        self.rounds.push((grant, self.round));
        if waited_for {
            let (round, lease) = (self.round, now + rules.lease);
            self.out.push(Out {
                grant,
                round,
                lease,
                alone,
            });
        }
    }

    pub(super) fn returned(&mut self, grant: Grant) {
        self.out.retain(|out| out.grant != grant);
    }

    fn is_of_this_round(&self, grant: Grant) -> bool {
        self.rounds.contains(&(grant, self.round))
    }

    pub(super) fn answered(&mut self, now: Tick, grant: Grant) {
        if self.is_of_this_round(grant) && self.left(now) == 0 {
            self.trial = false;
            for out in self.out.iter_mut().filter(|out| out.grant == grant) {
                out.alone = false;
            }
        }
    }

    /// Whether the gate is closed by this, or closed for longer.
    pub(super) fn throttled(
        &mut self,
        rules: &Rules,
        now: Tick,
        grant: Option<Grant>,
        throttle: Throttle,
    ) -> bool {
        let first_of_its_round = match grant {
            Some(grant) => self.is_of_this_round(grant),
            None => self.left(now) == 0,
        };
        if !first_of_its_round && !self.trial {
            return false;
        }
        if first_of_its_round {
            let before = self.streak(rules, now);
            let grows = self.trial || before == 0;
            self.refusals = before + usize::from(grows);
            self.round += 1;
            self.trial = true;
        }
        let last = rules.backoffs.len();
        let step = rules.backoffs[self.refusals.min(last) - 1];
        let by_chance = (step + step * throttle.jitter / 1000).min(rules.backoff_cap);
        let wish = throttle.at_least.min(rules.longest_backoff);
        self.until = self.until.max(Some(now + by_chance.max(wish)));
        self.length = self.left(now);
        true
    }

    pub(super) fn reset(&mut self) {
        (self.until, self.trial, self.refusals) = (None, false, 0);
        self.round += 1;
    }

    /// How many more may be out, and until when there is no more, if nothing is heard.
    pub(super) fn free(&self, rules: &Rules) -> (usize, Option<Tick>) {
        let mut free = rules.max_in_flight - self.out.len();
        let mut until = None;
        if free == 0 {
            until = self.out.iter().map(|out| out.lease).min();
        }
        let round = self.round;
        if self.trial {
            free = free.min(1);
        }
        for out in self.out.iter().filter(|out| out.round == round) {
            if self.trial || out.alone {
                free = 0;
                until = until.max(Some(out.lease));
            }
        }
        (free, until)
    }
}
