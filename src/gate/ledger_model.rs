//! Drives the ledger with callers that come, leave, stall and throttle under a clock that steps, against a slow reference.

use proptest::{collection::vec, prelude::*};

use super::ledger::{Command, Outcome, Rules, State, Tick, Ticket};

/// The rules told once more, with plain lists: whoever stands in `queue` stands in the order of coming, with its promised look.
#[derive(Debug)]
struct Reference {
    rules: Rules,
    next_start: Option<Tick>,
    closed_until: Option<Tick>,
    queue: Vec<(usize, Tick)>,
    /// Who is to be told of a back-off that began while it waited, however late it asks.
    refused: Vec<usize>,
    /// How many have come so far.
    everyone: usize,
}

impl Reference {
    /// A clock that was set back closes the gate for no longer than the rules would from now on.
    fn bound(&mut self, now: Tick) {
        let (start, end) = (now + self.rules.interval, now + self.rules.longest_backoff);
        self.next_start = self.next_start.map(|time| time.min(start));
        self.closed_until = self.closed_until.map(|time| time.min(end));
    }

    fn due(&self) -> Option<Tick> {
        self.next_start.max(self.closed_until)
    }

    fn start(&self, now: Tick, place: usize) -> Tick {
        self.due().map_or(now, |due| due.max(now)) + place as Tick * self.rules.interval
    }

    /// When the owner of a place counts as late.
    fn late(&self, look: Tick) -> Tick {
        self.due().map_or(look, |due| due.max(look)) + self.rules.grace + 1
    }

    /// When `who` must look at the latest: at its start, or when everyone between the first and it, had they gone on time, would leave
    /// the one before it late.
    fn latest_look(&self, now: Tick, who: usize) -> Tick {
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

    fn remove(&mut self, who: usize) {
        self.queue.retain(|&(other, _)| other != who);
    }

    /// Checks `answer`, given to `who`.
    fn take(&mut self, now: Tick, who: usize, max_wait: Tick, spend: bool, answer: Outcome) {
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
    fn hurry(&mut self, now: Tick) -> Vec<usize> {
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

    fn throttled(&mut self, now: Tick, at_least: Tick) -> Tick {
        let length = at_least
            .min(self.rules.longest_backoff)
            .max(self.rules.backoff);
        self.closed_until = self.closed_until.max(Some(now + length));
        self.refused.extend(0..self.everyone);
        self.queue.clear();
        length
    }
}

/// How a caller minds the looks that it is told to take.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    Punctual,
    /// Always this much later.
    Late(Tick),
    /// Asks without spending, and spends a due turn this much later.
    Readies(Tick),
    /// Is never heard of again.
    Parked,
}

#[derive(Debug)]
struct Caller {
    manner: Manner,
    deadline: Tick,
    ticket: Option<Ticket>,
    due: bool,
    /// When it asks next, in true time; `None` when it is parked or gone.
    asks: Option<Tick>,
    /// When it may go at the latest, as of its last look.
    latest: Tick,
    waits: bool,
}

#[derive(Clone, Debug)]
enum Event {
    Come { manner: Manner, patience: Tick },
    Leave(prop::sample::Index),
    Throttled(Tick),
    Started,
    TimePasses(Tick),
    ClockSteps(Tick),
}

#[derive(Debug)]
struct World {
    state: State,
    reference: Reference,
    /// True time, and what the ledger's clock shows more than that.
    time: Tick,
    ahead: Tick,
    stepped: bool,
    /// No start before this in true time, but for what the clock was set forward.
    not_before: (Tick, Tick),
    callers: Vec<Caller>,
}

impl World {
    fn new(rules: Rules) -> Self {
        Self {
            state: State::default(),
            reference: Reference {
                rules,
                next_start: None,
                closed_until: None,
                queue: Vec::new(),
                refused: Vec::new(),
                everyone: 0,
            },
            time: 0,
            ahead: 0,
            stepped: false,
            not_before: (Tick::MIN / 2, Tick::MIN / 2),
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

    fn happens(&mut self, event: &Event) {
        match *event {
            Event::Come { manner, patience } => {
                self.callers.push(Caller {
                    manner,
                    deadline: self.time + patience,
                    ticket: None,
                    due: false,
                    asks: None,
                    latest: 0,
                    waits: true,
                });
                self.ask(self.callers.len() - 1);
            }
            Event::Leave(index) if !self.callers.is_empty() => {
                self.leave(index.index(self.callers.len()))
            }
            Event::Leave(_) => {}
            Event::Throttled(at_least) => {
                self.step(Command::Throttled { at_least });
                let length = self.reference.throttled(self.now(), at_least);
                self.not_before.1 = self.not_before.1.max(self.time + length);
                for who in 0..self.callers.len() {
                    self.wake(who);
                }
                self.settle();
            }
            Event::Started => {
                self.step(Command::Started);
                let start = self.now() + self.reference.rules.interval;
                self.reference.next_start = self.reference.next_start.max(Some(start));
                self.not_before.0 = self
                    .not_before
                    .0
                    .max(self.time + self.reference.rules.interval);
                self.settle();
            }
            Event::TimePasses(ticks) => self.run_until(self.time + ticks),
            Event::ClockSteps(ticks) => {
                self.ahead += ticks;
                self.stepped = true;
                self.not_before.0 -= ticks.max(0);
                self.not_before.1 -= ticks.max(0);
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
                let (next_start, reopens) = self.not_before;
                assert!(self.time >= next_start, "two starts too close");
                assert!(self.time >= reopens, "a start inside a back-off");
                self.not_before.0 = self.time + self.reference.rules.interval;
                self.nobody_punctual_was_overtaken_by(who);
            }
            Outcome::BackingOff { .. } | Outcome::PastDeadline => self.gone(who),
            Outcome::Done => panic!("no answer"),
        }
        self.settle();
    }

    fn nobody_punctual_was_overtaken_by(&self, who: usize) {
        let overtaken = self.callers[..who].iter().find(|caller| {
            let told_otherwise = caller.asks == Some(self.time);
            caller.waits && caller.manner == Manner::Punctual && !told_otherwise
        });
        assert!(
            self.stepped || overtaken.is_none(),
            "{who} overtook {overtaken:?}"
        );
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
    fn ends(&mut self) {
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

impl Manner {
    fn minds(self, look: Tick) -> Option<Tick> {
        match self {
            Self::Punctual | Self::Readies(_) => Some(look),
            Self::Late(by) => Some(look + by),
            Self::Parked => None,
        }
    }
}

/// The latest that a caller comes which comes at all.
const LATEST: Tick = 60;

fn rules() -> impl Strategy<Value = Rules> {
    (0..40_i64, 0..=200_i64, 0..=300_i64, 0..=15_i64).prop_map(
        |(interval, backoff, more, grace)| Rules {
            interval,
            backoff,
            longest_backoff: backoff + more,
            grace,
        },
    )
}

fn manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        6 => Just(Manner::Punctual),
        2 => (1..=LATEST).prop_map(Manner::Late),
        1 => (0..=LATEST).prop_map(Manner::Readies),
        1 => Just(Manner::Parked),
    ]
}

fn come(manner: impl Strategy<Value = Manner>) -> impl Strategy<Value = Event> {
    let patience = prop_oneof![3 => Just(1_000_000), 1 => -5..400_i64];
    (manner, patience).prop_map(|(manner, patience)| Event::Come { manner, patience })
}

fn event(manner: impl Strategy<Value = Manner>, steps: u32) -> impl Strategy<Value = Event> {
    let step = prop_oneof![-500..500_i64, Just(-1_000_000_000), Just(1_000_000_000)];
    prop_oneof![
        20 => come(manner),
        20 => (0..60_i64).prop_map(Event::TimePasses),
        8 => any::<prop::sample::Index>().prop_map(Event::Leave),
        2 => prop_oneof![Just(0), 0..600_i64].prop_map(Event::Throttled),
        1 => Just(Event::Started),
        steps => step.prop_map(Event::ClockSteps),
    ]
}

fn run(rules: Rules, events: &[Event]) {
    let mut world = World::new(rules);
    for event in events {
        world.happens(event);
    }
    world.ends();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn punctual_callers_go_in_order_at_the_first_moment(
        rules in rules(),
        events in vec(event(Just(Manner::Punctual), 0), 1..80),
    ) {
        run(rules, &events);
    }

    #[test]
    fn callers_that_stall_cost_the_others_no_more_than_a_bounded_time(
        rules in rules(),
        events in vec(event(manner(), 0), 1..80),
    ) {
        run(rules, &events);
    }

    #[test]
    fn a_clock_that_steps_brings_no_start_forward_by_more_than_its_step(
        rules in rules(),
        events in vec(event(manner(), 3), 1..80),
    ) {
        run(rules, &events);
    }
}
