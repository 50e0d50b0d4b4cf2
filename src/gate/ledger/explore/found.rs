//! What the searches have found to be wrong, each by as few events as show it.

use super::{caller::Caller, world::World};
use crate::gate::ledger::{Ask, Finding, Polling, Rules, Throttle, Tick};

const FOREVER: Tick = 1 << 24;
const THROTTLE: Throttle = Throttle {
    at_least: 0,
    jitter: 0,
};

fn rules() -> Rules {
    Rules {
        interval: 4,
        burst: 1,
        grace: 1,
        backoffs: [5, 10].into(),
        backoff_cap: 10,
        longest_backoff: 10,
        widening: 0,
        lease: 6,
        max_in_flight: usize::MAX,
        max_queued: usize::MAX,
        waits_while_closed: false,
        polling: Some(Polling {
            window: 1,
            stagger: 1,
            longest_sleep: 8,
        }),
    }
}

fn holds(world: &World<'_>, who: usize) -> bool {
    matches!(world.callers[who].1, Caller::Holds(_))
}

#[test]
fn who_is_gone_holds_up_nobody_when_the_clock_is_set_back() {
    let rules = rules();
    let mut world = World::new(&rules, 3, 1);
    for who in 0..3 {
        world.comes(who, Ask::Spend, FOREVER);
    }
    world.crashes(1);
    world.clock_steps(-1000);
    world.all_are_answered();
}

#[test]
fn a_state_lost_on_trial_comes_back_with_its_streak() {
    let rules = rules();
    let mut world = World::new(&rules, 1, 1);
    world.comes(0, Ask::Spend, FOREVER);
    world.settles(0, Finding::Throttled(THROTTLE));
    world.time += 7;
    world.state_is_lost(false);
    world.comes(0, Ask::Spend, FOREVER);
    world.settles(0, Finding::Throttled(THROTTLE));
    assert_eq!(world.state.backoff_left(world.shown()), 10);
}

#[test]
fn newcomers_do_not_overtake_who_waited_in_a_queue_that_was_lost() {
    let rules = rules();
    let mut world = World::new(&rules, 3, 1);
    world.comes(0, Ask::Spend, FOREVER);
    world.comes(1, Ask::Spend, FOREVER);
    world.state_is_lost(true);
    world.asks(1);
    world.comes(2, Ask::Spend, FOREVER);
    world.time += 4;
    world.asks(2);
    world.asks(1);
    assert!(holds(&world, 1));
}

#[test]
fn a_turn_that_a_fallen_store_gave_is_none_that_another_gave_since() {
    let rules = rules();
    let mut world = World::new(&rules, 2, 1);
    world.is_copied();
    world.comes(0, Ask::SpendAlone, FOREVER);
    world.falls_back();
    world.time += 4;
    world.comes(1, Ask::SpendAlone, FOREVER);
    world.settles(0, Finding::Unknown);
    assert_eq!(world.state.out.len(), 1);
}

#[test]
fn a_place_that_a_fallen_store_gave_is_none_that_another_gave_since() {
    let rules = rules();
    let mut world = World::new(&rules, 3, 1);
    world.comes(0, Ask::Spend, FOREVER);
    world.is_copied();
    world.comes(1, Ask::Spend, FOREVER);
    world.falls_back();
    world.comes(2, Ask::Spend, FOREVER);
    world.asks(1);
    assert_eq!(world.state.queued(), 2);
}
