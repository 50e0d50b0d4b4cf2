//! Drives the ledger with callers that come, leave, stall and throttle under a clock that steps, against a slow reference.

mod caller;
mod reference;
mod world;

use proptest::{collection::vec, prelude::*, sample::Index};

use self::{
    caller::{LATEST, Manner},
    world::{Event, World},
};
use super::ledger::Rules;

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
        8 => any::<Index>().prop_map(Event::Leave),
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
