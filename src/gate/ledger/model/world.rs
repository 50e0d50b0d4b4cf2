//! Callers with manners of their own, in a true time of which the ledger sees only its clock.

mod asking;
mod checks;

use super::{
    caller::Caller,
    event::{Event, News},
    history::History,
    reference::Reference,
};
use crate::gate::ledger::{Closed, Command, Finding, Grant, Outcome, Rules, State, Throttle, Tick};

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
            Event::Come {
                manner,
                patience,
                alone,
            } => {
                let deadline = self.time + patience;
                self.callers.push(Caller::new(manner, deadline, alone));
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
            self.history.is_answered(grant);
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
}
