//! What happens to a ledger, and the settings it happens under: drawn by chance.

use proptest::{collection::vec, prelude::*, sample::Index};

use super::caller::{LATEST, Manner};
use crate::gate::ledger::{Rules, Throttle, Tick};

#[derive(Clone, Debug)]
pub(super) enum Event {
    Come {
        manner: Manner,
        patience: Tick,
        alone: bool,
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

/// An interval, what is left of the grace, and the lengths of back-offs; these can change.
fn pace() -> impl Strategy<Value = (Tick, Tick, Vec<Tick>, Tick, Tick)> {
    let backoffs = vec(0..=200_i64, 1..4);
    (0..40_i64, 0..=15_i64, backoffs, 0..=100_i64, 0..=300_i64).prop_map(
        |(interval, grace, mut backoffs, cap, longest)| {
            backoffs.sort_unstable();
            let cap = backoffs[backoffs.len() - 1] + cap;
            (interval, grace, backoffs, cap, cap + longest)
        },
    )
}

pub(super) fn rules() -> impl Strategy<Value = Rules> {
    let burst = prop_oneof![2 => Just(1), 1 => 2..=4_i64];
    let widening = prop_oneof![2 => Just(0), 1 => 1..=300_i64];
    let in_flight = prop_oneof![2 => Just(usize::MAX), 1 => 1..=3_usize];
    let queued = prop_oneof![2 => Just(usize::MAX), 1 => 0..=5_usize];
    let bounds = (in_flight, queued, any::<bool>());
    (pace(), burst, widening, 1..=150_i64, bounds).prop_map(
        |(pace, burst, widening, lease, bounds)| {
            let (interval, grace, backoffs, backoff_cap, longest_backoff) = pace;
            let (max_in_flight, max_queued, waits_while_closed) = bounds;
            Rules {
                interval,
                burst,
                grace,
                backoffs: backoffs.into(),
                backoff_cap,
                longest_backoff,
                widening,
                lease,
                max_in_flight,
                max_queued,
                waits_while_closed,
                polling: None,
            }
        },
    )
}

pub(super) fn manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        6 => Just(Manner::Punctual),
        2 => (1..=LATEST).prop_map(Manner::Late),
        1 => (0..=LATEST).prop_map(Manner::Readies),
        1 => Just(Manner::Parked),
    ]
}

pub(super) fn come(manner: impl Strategy<Value = Manner>) -> impl Strategy<Value = Event> {
    let patience = prop_oneof![3 => Just(1_000_000), 1 => -5..400_i64];
    let alone = prop_oneof![4 => Just(false), 1 => Just(true)];
    (manner, patience, alone).prop_map(|(manner, patience, alone)| Event::Come {
        manner,
        patience,
        alone,
    })
}

fn throttle() -> impl Strategy<Value = Throttle> {
    let at_least = prop_oneof![Just(0), 0..600_i64];
    let jitter = prop_oneof![Just(0), 0..=1000_i64];
    (at_least, jitter).prop_map(|(at_least, jitter)| Throttle { at_least, jitter })
}

fn news() -> impl Strategy<Value = News> {
    prop_oneof![
        2 => Just(News::Answered),
        1 => Just(News::AnsweredAndStillRead),
        1 => throttle().prop_map(News::Throttled),
        1 => Just(News::Unknown),
    ]
}

pub(super) fn event(
    manner: impl Strategy<Value = Manner>,
    steps: u32,
) -> impl Strategy<Value = Event> {
    let step = prop_oneof![-500..500_i64, Just(-1_000_000_000), Just(1_000_000_000)];
    prop_oneof![
        20 => come(manner),
        20 => (0..60_i64).prop_map(Event::TimePasses),
        8 => any::<Index>().prop_map(Event::AsksNeedlessly),
        8 => any::<Index>().prop_map(Event::Leave),
        16 => (any::<Index>(), news()).prop_map(|(turn, news)| Event::IsTold(turn, news)),
        2 => throttle().prop_map(Event::Throttled),
        1 => Just(Event::Started),
        1 => Just(Event::Reset),
        1 => pace().prop_map(Event::Changes),
        steps => step.prop_map(Event::ClockSteps),
    ]
}
