//! Callers with manners of their own, in a true time of which the ledger sees only its clock.

use proptest::sample::Index;

use super::{
    caller::{Caller, LATEST, Manner},
    history::History,
    reference::Reference,
};
use crate::gate::ledger::{
    Ask, Closed, Command, Finding, Grant, Outcome, Rules, State, Throttle, Tick,
};

#[derive(Clone, Debug)]
pub(super) enum Event {
    Come {
        manner: Manner,
        patience: Tick,
    },
    /// Asks although it was told to look later, or has long been given up.
    AsksNeedlessly(Index),
    Leave(Index),
    IsTold(Index, News),
    Throttled(Throttle),
    Started,
    Reset,
    Changes((Tick, Tick, Vec<Tick>, Tick, Tick)),
    TimePasses(Tick),
    ClockSteps(Tick),
}

/// What is told of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum News {
    Answered,
    AnsweredAndStillRead,
    Throttled(Throttle),
    Unknown,
}

#[derive(Debug)]
pub(super) struct World {
    state: State,
    reference: Reference,
    history: History,
    /// True time, and what the ledger's clock shows more than that.
    time: Tick,
    ahead: Tick,
    stepped: bool,
    /// The least that the rules have been set to.
    grace: Tick,
    callers: Vec<Caller>,
    /// Turns of which more may be told.
    turns: Vec<Grant>,
}

impl World {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            grace: rules.grace,
            state: State::new(&rules, 0),
            reference: Reference::new(rules),
            history: History::default(),
            time: 0,
            ahead: 0,
            stepped: false,
            callers: Vec::new(),
            turns: Vec::new(),
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
            Event::AsksNeedlessly(index) if !self.callers.is_empty() => {
                let who = index.index(self.callers.len());
                if self.callers[who].waits {
                    self.ask(who);
                }
            }
            Event::Leave(index) if !self.callers.is_empty() => {
                self.leave(index.index(self.callers.len()));
            }
            Event::IsTold(index, news) if !self.turns.is_empty() => {
                self.is_told(index.index(self.turns.len()), news);
            }
            Event::AsksNeedlessly(_) | Event::Leave(_) | Event::IsTold(..) => {}
            Event::Throttled(throttle) => self.throttled(None, throttle),
            Event::Started => {
                self.step(Command::Started);
                let Reference { pace, rules, .. } = &mut self.reference;
                pace.started(rules, self.time + self.ahead);
                self.history.started(rules, self.time);
                self.settle();
            }
            Event::Reset => {
                self.step(Command::Reset);
                self.reference.closing.reset();
                self.reference.pace.widened_until = super::pace::NEVER;
                self.history.opens();
                self.settle();
            }
            Event::Changes(ref pace) => self.changes(pace.clone()),
            Event::TimePasses(ticks) => self.run_until(self.time + ticks),
            Event::ClockSteps(ticks) => {
                self.ahead += ticks;
                self.stepped = true;
                self.history.clock_steps(ticks);
            }
        }
    }

    fn changes(&mut self, pace: (Tick, Tick, Vec<Tick>, Tick, Tick)) {
        let now = self.now();
        self.reference.bound(now);
        let (interval, grace, backoffs, backoff_cap, longest_backoff) = pace;
        self.grace = self.grace.min(grace);
        let old = self.reference.rules.clone();
        let new = Rules {
            interval,
            grace,
            backoffs: backoffs.into(),
            backoff_cap,
            longest_backoff,
            ..old.clone()
        };
        self.state.change_rules(now, &old, &new);
        self.reference.pace.change(&old, &new);
        self.history.changes(&old, &new);
        self.reference.rules = new;
        self.settle();
    }

    fn is_told(&mut self, turn: usize, news: News) {
        let grant = self.turns[turn];
        let now = self.now();
        if matches!(news, News::AnsweredAndStillRead) {
            self.step(Command::Answered(grant));
            self.reference.closing.answered(now, grant);
            return self.settle();
        }
        self.turns.remove(turn);
        self.history.is_back(grant);
        let finding = match news {
            News::Throttled(throttle) => return self.throttled(Some(grant), throttle),
            News::Unknown => Finding::Unknown,
            News::Answered | News::AnsweredAndStillRead => Finding::Answered,
        };
        self.step(Command::Settle(grant, finding));
        self.reference.closing.returned(grant);
        if finding == Finding::Answered {
            self.reference.closing.answered(now, grant);
        }
        self.settle();
    }

    fn throttled(&mut self, grant: Option<Grant>, throttle: Throttle) {
        let now = self.now();
        let told = self.step(match grant {
            Some(grant) => Command::Settle(grant, Finding::Throttled(throttle)),
            None => Command::Throttled(throttle),
        });
        if let Some(grant) = grant {
            self.reference.closing.returned(grant);
        }
        let refused = self.reference.throttled(now, grant, throttle);
        let told = match told {
            Outcome::Closed { refused, .. } => Some(match refused {
                Closed::Everyone(places) => places.into_keys().collect(),
                Closed::These(tickets) => tickets,
            }),
            Outcome::Done => None,
            other => panic!("{other:?} to a throttle"),
        };
        let tickets = |refused: &Vec<usize>| {
            let tickets = refused.iter().filter_map(|&who| self.callers[who].ticket);
            tickets.collect::<Vec<_>>()
        };
        assert_eq!(told, refused.as_ref().map(tickets));
        if let Some(refused) = refused {
            let left = self.reference.closing.left(now);
            self.history.closes(&self.reference.rules, self.time + left);
            // Who was passed over and forgotten is woken where all are refused.
            let everyone = 0..self.callers.len();
            let all = !self.reference.rules.waits_while_closed;
            for who in everyone.filter(|who| all || refused.contains(who)) {
                self.callers[who].is_woken(self.time);
            }
            for who in refused {
                self.callers[who].refused = true;
            }
        }
        self.settle();
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
            ask: if spend { Ask::Spend } else { Ask::Look },
        });
        let on_trial = self.reference.closing.trial;
        self.reference.take(now, who, max_wait, spend, &answer);
        let caller = &mut self.callers[who];
        caller.refused = false;
        match answer {
            Outcome::Wait { ticket, sleep } => {
                (caller.ticket, caller.due) = (Some(ticket), false);
                caller.asks = caller.manner.minds(self.time + sleep);
                caller.latest = self.time + sleep;
            }
            Outcome::Due(ticket) => {
                let Manner::Readies(takes) = caller.manner else {
                    panic!("due, but it meant to spend");
                };
                (caller.ticket, caller.due) = (Some(ticket), true);
                caller.asks = Some(self.time + takes);
            }
            Outcome::Go(grant) => {
                caller.is_gone();
                let rules = &self.reference.rules;
                self.history.starts(rules, self.time);
                if grant.is_awaited() {
                    self.history.is_out(rules, on_trial, self.time, grant);
                }
                self.turns.push(grant);
                self.nobody_in_time_was_overtaken_by(who);
            }
            Outcome::Refused(_) => caller.is_gone(),
            Outcome::Done | Outcome::Closed { .. } => panic!("no answer"),
        }
        self.settle();
    }

    /// Who is never later than its grace is overtaken by nobody, unless it may go at this very moment too, or a clock made it late.
    fn nobody_in_time_was_overtaken_by(&self, who: usize) {
        let (free, _) = self.reference.closing.free(&self.reference.rules);
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

    fn leave(&mut self, who: usize) {
        if let Some(ticket) = self.callers[who].ticket.filter(|_| self.callers[who].waits) {
            self.step(Command::Leave(ticket));
            self.reference.remove(who);
            self.callers[who].is_gone();
            self.settle();
        }
    }

    /// What follows every change: whoever must look sooner is told, and then all is as it should be.
    fn settle(&mut self) {
        let now = self.now();
        let rules = self.reference.rules.clone();
        let told = self.state.hurry(&rules, now).into_iter().flatten();
        let told: Vec<_> = told.collect();
        let expected = self.reference.hurry(now);
        let tickets = expected.iter().filter_map(|&who| self.callers[who].ticket);
        assert!(tickets.eq(told), "told others than {expected:?}");
        for who in expected {
            self.callers[who].is_woken(self.time);
        }
        self.all_is_shown_as_it_is();
        if !self.stepped {
            self.no_turn_will_be_left_idle();
        }
    }

    fn all_is_shown_as_it_is(&self) {
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
    fn no_turn_will_be_left_idle(&self) {
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

    /// The parked leave, and everyone else is answered within the time that their turns take.
    pub(super) fn ends(&mut self) {
        for who in 0..self.callers.len() {
            if self.callers[who].manner == Manner::Parked {
                self.leave(who);
            }
        }
        let rules = &self.reference.rules;
        let turn = 2 * rules.interval + rules.lease + rules.grace + 1 + LATEST;
        let closed = self.state.backoff_left(self.now()) + rules.widening;
        let backlog = rules.burst * 2 * rules.interval + rules.lease;
        let bound = closed + backlog + turn * (self.callers.len() as Tick + 1);
        // A clock that was set back is noticed at the next look, and what is bounded then counts from there.
        let times = if self.stepped { 2 } else { 1 };
        self.run_until(self.time + times * bound);
        let left_over = self
            .callers
            .iter()
            .find(|caller| caller.waits && caller.manner != Manner::Parked);
        assert!(left_over.is_none(), "never answered: {left_over:?}");
        assert_eq!(self.state.queued(), 0);
    }
}
