//! Callers with manners of their own, in a true time of which the ledger sees only its clock.

use proptest::sample::Index;

use super::{
    caller::{Caller, LATEST, Manner},
    reference::Reference,
};
use crate::gate::ledger::{Command, Outcome, Rules, State, Tick};

#[derive(Clone, Debug)]
pub(super) enum Event {
    Come { manner: Manner, patience: Tick },
    Leave(Index),
    Throttled(Tick),
    Started,
    TimePasses(Tick),
    ClockSteps(Tick),
}

#[derive(Debug)]
pub(super) struct World {
    state: State,
    reference: Reference,
    /// True time, and what the ledger's clock shows more than that.
    time: Tick,
    ahead: Tick,
    stepped: bool,
    /// No start before these in true time, but for what the clock was set forward since: one interval after the last, and the end
    /// of the back-off.
    next_start: Tick,
    closed_until: Tick,
    callers: Vec<Caller>,
}

impl World {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            state: State::default(),
            reference: Reference::new(rules),
            time: 0,
            ahead: 0,
            stepped: false,
            next_start: Tick::MIN / 2,
            closed_until: Tick::MIN / 2,
            callers: Vec::new(),
        }
    }

    fn now(&self) -> Tick {
        self.time + self.ahead
    }

    fn step(&mut self, command: Command) -> Outcome {
        let now = self.now();
        self.reference.bound(now);
        self.state.step(&self.reference.rules, now, command)
    }

    pub(super) fn happens(&mut self, event: &Event) {
        match *event {
            Event::Come { manner, patience } => {
                self.callers.push(Caller::new(manner, self.time + patience));
                self.ask(self.callers.len() - 1);
            }
            Event::Leave(index) if !self.callers.is_empty() => {
                self.leave(index.index(self.callers.len()))
            }
            Event::Leave(_) => {}
            Event::Throttled(at_least) => {
                self.step(Command::Throttled { at_least });
                let length = self.reference.throttled(self.now(), at_least);
                self.closed_until = self.closed_until.max(self.time + length);
                for who in 0..self.callers.len() {
                    self.wake(who);
                }
                self.settle();
            }
            Event::Started => {
                self.step(Command::Started);
                let interval = self.reference.rules.interval;
                let start = Some(self.now() + interval);
                self.reference.next_start = self.reference.next_start.max(start);
                self.next_start = self.next_start.max(self.time + interval);
                self.settle();
            }
            Event::TimePasses(ticks) => self.run_until(self.time + ticks),
            Event::ClockSteps(ticks) => {
                self.ahead += ticks;
                self.stepped = true;
                self.next_start -= ticks.max(0);
                self.closed_until -= ticks.max(0);
            }
        }
    }

    /// Everyone asks when it means to, one at a time.
    fn run_until(&mut self, end: Tick) {
        let next = |world: &Self| {
            let asks = world.callers.iter().enumerate();
            asks.filter_map(|(who, caller)| Some((caller.asks?, who)))
                .min()
        };
        while let Some((asks, who)) = next(self).filter(|&(asks, _)| asks <= end) {
            self.time = asks;
            self.ask(who);
        }
        self.time = end;
    }

    fn ask(&mut self, who: usize) {
        let now = self.now();
        let caller = &self.callers[who];
        let spend = caller.due || !matches!(caller.manner, Manner::Readies(_));
        let (ticket, max_wait) = (caller.ticket, caller.deadline - self.time);
        let answer = self.step(Command::Take {
            ticket,
            max_wait,
            spend,
        });
        self.reference.take(now, who, max_wait, spend, answer);
        let caller = &mut self.callers[who];
        match answer {
            Outcome::Wait { ticket, sleep } => {
                (caller.ticket, caller.due) = (Some(ticket), false);
                caller.asks = caller.manner.minds(self.time + sleep);
                caller.latest = self.time + self.reference.latest_look(now, who) - now;
            }
            Outcome::Due(ticket) => {
                let Manner::Readies(takes) = caller.manner else {
                    panic!("due, but it meant to spend");
                };
                (caller.ticket, caller.due) = (Some(ticket), true);
                caller.asks = Some(self.time + takes);
            }
            Outcome::Go => {
                self.gone(who);
                assert!(self.time >= self.next_start, "two starts too close");
                assert!(self.time >= self.closed_until, "a start inside a back-off");
                self.next_start = self.time + self.reference.rules.interval;
                self.nobody_in_time_was_overtaken_by(who);
            }
            Outcome::BackingOff { .. } | Outcome::PastDeadline => self.gone(who),
            Outcome::Done => panic!("no answer"),
        }
        self.settle();
    }

    /// Who stands in the queue and is never later than its grace is overtaken by nobody, unless nothing spaces the starts or a clock
    /// made it late.
    fn nobody_in_time_was_overtaken_by(&self, who: usize) {
        let rules = self.reference.rules;
        let in_time = |other: &usize| match self.callers[*other].manner {
            Manner::Punctual => true,
            Manner::Late(by) => by <= rules.grace,
            Manner::Readies(_) | Manner::Parked => false,
        };
        if rules.interval > 0 && !self.stepped {
            let mut waiting = (0..who).filter(|other| self.callers[*other].waits);
            let overtaken =
                waiting.find(|other| in_time(other) && !self.reference.refused.contains(other));
            assert!(overtaken.is_none(), "{who} overtook {overtaken:?}");
        }
    }

    fn leave(&mut self, who: usize) {
        if let Some(ticket) = self.callers[who].ticket.filter(|_| self.callers[who].waits) {
            self.step(Command::Leave(ticket));
            self.reference.remove(who);
            self.gone(who);
            self.settle();
        }
    }

    fn gone(&mut self, who: usize) {
        let caller = &mut self.callers[who];
        (caller.waits, caller.asks) = (false, None);
    }

    fn wake(&mut self, who: usize) {
        let caller = &mut self.callers[who];
        if caller.waits {
            caller.asks = caller.manner.minds(self.time);
        }
    }

    /// What follows every change: whoever must look sooner is told, and then all is as it should be.
    fn settle(&mut self) {
        let now = self.now();
        let rules = self.reference.rules;
        let told: Vec<_> = self
            .state
            .hurry(&rules, now)
            .into_iter()
            .flatten()
            .collect();
        let expected = self.reference.hurry(now);
        let tickets = expected.iter().filter_map(|&who| self.callers[who].ticket);
        assert!(tickets.eq(told), "told others than {expected:?}");
        expected.into_iter().for_each(|who| self.wake(who));

        let queued = self.reference.queue.len();
        assert_eq!(self.state.queued(), queued);
        let wait = self.reference.start(now, queued) - now;
        assert_eq!(self.state.wait_of_newcomer(&rules, now), wait);
        let left = self
            .reference
            .closed_until
            .map_or(0, |end| (end - now).max(0));
        assert_eq!(self.state.backoff_left(&rules, now), left);
        if !self.stepped {
            self.no_turn_will_be_left_idle();
        }
    }

    /// The first in the queue that minds its looks has set one for the first moment at which it may go.
    fn no_turn_will_be_left_idle(&self) {
        let punctual = |&(who, _): &(usize, Tick)| self.callers[who].manner == Manner::Punctual;
        let queue = &self.reference.queue;
        let Some(place) = queue.iter().position(punctual) else {
            return;
        };
        let caller = &self.callers[queue[place].0];
        let latest = match place {
            0 => self.reference.start(self.time, 0),
            1 => self.reference.late(queue[0].1).max(self.time),
            // Those before it cost it no more than their turns would have, and the last of them no more than its grace.
            _ => caller.latest,
        };
        let asks = caller.asks.expect("a punctual caller has a look to take");
        assert!(
            asks <= latest,
            "at place {place}, asks at {asks}, not by {latest}"
        );
    }

    /// The parked leave, and everyone else is answered within the time that their turns take.
    pub(super) fn ends(&mut self) {
        for who in 0..self.callers.len() {
            if self.callers[who].manner == Manner::Parked {
                self.leave(who);
            }
        }
        let rules = self.reference.rules;
        let turn = rules.interval + rules.grace + 1 + LATEST;
        let closed = self.state.backoff_left(&rules, self.now());
        self.run_until(self.time + closed + turn * (self.callers.len() as Tick + 1));
        let left_over = self
            .callers
            .iter()
            .find(|caller| caller.waits && caller.manner != Manner::Parked);
        assert!(left_over.is_none(), "never answered: {left_over:?}");
        assert_eq!(self.state.queued(), 0);
    }
}
