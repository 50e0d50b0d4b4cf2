//! No wake is lost: callers that are polled only when they are woken, and then as late as it may happen, are all answered.
//!
//! Everything that the gate decides it decides under one lock, so threads can only order its decisions and put off what follows from
//! them. Here both are drawn: who is polled next of those that were woken, and what happens before.

mod support;

use std::time::Duration;

use proptest::{collection::vec, prelude::*, sample::Index};
use search_gate::{SearchGate, Turn, TurnError, Verdict, WhileBackingOff};
use support::{far, turn_caller, within};
use tokio::time::{Instant, sleep};
use tokio_test::task::Spawn;

const INTERVAL: Duration = Duration::from_secs(2);
const BACKOFF: Duration = Duration::from_secs(20);
const LONGEST_INTERVAL: Duration = Duration::from_secs(4);

#[derive(Clone, Debug)]
enum Event {
    Comes(Option<Duration>),
    IsPolled(Index),
    Leaves(Index),
    Settles(Index, Verdict),
    Throttled,
    Reset,
    Interval(Duration),
    TimePasses(Duration),
}

fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

fn event() -> impl Strategy<Value = Event> {
    let verdict = prop_oneof![
        3 => Just(Verdict::Answered),
        2 => Just(Verdict::Unknown),
        1 => Just(Verdict::Throttled { retry_after: None }),
    ];
    let interval = prop_oneof![Just(INTERVAL), Just(Duration::ZERO), Just(LONGEST_INTERVAL)];
    prop_oneof![
        12 => Just(Event::Comes(None)),
        4 => millis(0..60_000).prop_map(|patience| Event::Comes(Some(patience))),
        24 => any::<Index>().prop_map(Event::IsPolled),
        3 => any::<Index>().prop_map(Event::Leaves),
        10 => (any::<Index>(), verdict).prop_map(|(turn, verdict)| Event::Settles(turn, verdict)),
        1 => Just(Event::Throttled),
        1 => Just(Event::Reset),
        1 => interval.prop_map(Event::Interval),
        12 => millis(0..3_000).prop_map(Event::TimePasses),
    ]
}

fn gate() -> impl Strategy<Value = SearchGate> {
    let in_flight = prop_oneof![Just(usize::MAX), 1..=3_usize];
    (1..=3_u32, in_flight, any::<bool>(), any::<bool>()).prop_map(
        |(burst, in_flight, waits, spaced)| {
            let interval = if spaced { INTERVAL } else { Duration::ZERO };
            let mut builder = SearchGate::builder().interval(interval).backoff(BACKOFF);
            if waits {
                builder = builder.while_backing_off(WhileBackingOff::Wait);
            }
            let builder = builder.burst(burst).max_in_flight(in_flight);
            builder.build().unwrap()
        },
    )
}

/// Who waits, and which turns are out.
struct Crowd<F> {
    gate: SearchGate,
    waiting: Vec<Spawn<F>>,
    turns: Vec<Turn>,
}

impl<F: Future<Output = Result<Turn, TurnError>>> Crowd<F> {
    fn poll(&mut self, who: usize) {
        if let std::task::Poll::Ready(answer) = self.waiting[who].poll() {
            drop(self.waiting.remove(who));
            self.turns.extend(answer);
        }
    }

    /// Polls one of those that were woken, and tells whether there was one.
    fn poll_woken(&mut self, choice: impl Fn(usize) -> usize) -> bool {
        let woken = (0..self.waiting.len()).filter(|&who| self.waiting[who].is_woken());
        let woken: Vec<_> = woken.collect();
        if !woken.is_empty() {
            self.poll(woken[choice(woken.len())]);
        }
        !woken.is_empty()
    }

    /// From now on every turn ends at once and every wake is followed.
    async fn is_answered(&mut self) {
        let slowest = LONGEST_INTERVAL * 3;
        let left = self.gate.backoff_left().unwrap_or_default();
        let bound = Instant::now() + left + slowest * (self.waiting.len() as u32 + 2);
        loop {
            self.turns.clear();
            if self.waiting.is_empty() {
                return;
            }
            if !self.poll_woken(|_| 0) {
                assert!(Instant::now() < bound, "never answered: {:?}", self.gate);
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn run(gate: SearchGate, events: Vec<Event>) {
    let mut crowd = Crowd {
        gate: gate.clone(),
        waiting: Vec::new(),
        turns: Vec::new(),
    };
    for event in events {
        let waiting = crowd.waiting.len();
        match event {
            Event::Comes(patience) => {
                let deadline = patience.map_or_else(far, within);
                crowd.waiting.push(turn_caller(&gate, deadline));
                crowd.poll(waiting);
            }
            Event::IsPolled(index) => _ = crowd.poll_woken(|woken| index.index(woken)),
            Event::Leaves(index) if waiting > 0 => {
                drop(crowd.waiting.remove(index.index(waiting)));
            }
            Event::Settles(index, verdict) if !crowd.turns.is_empty() => {
                let turn = index.index(crowd.turns.len());
                crowd.turns.remove(turn).settle(verdict);
            }
            Event::Leaves(_) | Event::Settles(..) => {}
            Event::Throttled => gate.throttled(),
            Event::Reset => gate.reset(),
            Event::Interval(interval) => gate.set_interval(interval).unwrap(),
            Event::TimePasses(time) => sleep(time).await,
        }
    }
    crowd.is_answered().await;
    let told = gate.snapshot();
    assert_eq!(told.queued, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everyone_who_is_polled_when_woken_is_answered(gate in gate(), events in vec(event(), 1..100)) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run(gate, events));
    }
}
