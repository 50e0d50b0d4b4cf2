//! Drives the ledger with callers that come, leave, stall, and tell of their requests late or never, under rules that change and a
//! clock that steps, against a slow reference.

mod caller;
mod closing;
mod event;
mod history;
mod pace;
mod reference;
mod world;

use proptest::{collection::vec, prelude::*};

use self::{
    caller::Manner,
    event::{Event, come, event, manner, rules},
    world::World,
};
use super::Rules;

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
    fn who_stands_deep_in_a_long_queue_looks_when_it_was_told_to(
        rules in rules(),
        crowd in vec(come(manner()), 9..16),
        events in vec(event(manner(), 2), 1..40),
    ) {
        run(rules, &[crowd, events].concat());
    }

    #[test]
    fn a_clock_that_steps_brings_no_start_forward_by_more_than_its_step(
        rules in rules(),
        events in vec(event(manner(), 3), 1..80),
    ) {
        run(rules, &events);
    }
}
