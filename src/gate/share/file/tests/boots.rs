//! The machine starts anew, and clocks are set.

use super::*;

#[test]
fn a_backoff_goes_on_over_a_boot_by_the_wall_clock() {
    let world = World::new();
    world.throttle(&world.open());
    world.boots(3 * SECOND, 10 * SECOND);

    let store = world.open();
    assert_eq!(backoff_of(&world.ask(&store, None)), 50 * SECOND);
    world.passes(49 * SECOND);
    assert_eq!(backoff_of(&world.ask(&store, None)), SECOND);
    world.passes(SECOND);
    assert!(is_go(&world.ask(&store, None)));
}

#[test]
fn an_interval_goes_on_over_a_boot_by_the_wall_clock() {
    let world = World::new();
    assert!(is_go(&world.ask(&world.open(), None)));
    world.boots(SECOND, SECOND);

    let next_turn = world.open().look(&rules()).unwrap().next_turn;
    assert_eq!(next_turn, INTERVAL - SECOND);
}

#[test]
fn a_wall_clock_set_back_over_a_boot_makes_no_backoff_shorter_nor_longer() {
    let world = World::new();
    world.throttle(&world.open());
    world.boots(3 * SECOND, -1_000_000 * SECOND);

    assert_eq!(backoff_of(&world.ask(&world.open(), None)), BACKOFF);
}

#[test]
fn a_boot_long_after_opens_the_gate() {
    let world = World::new();
    world.throttle(&world.open());
    world.boots(3 * SECOND, 1_000_000 * SECOND);

    assert!(is_go(&world.ask(&world.open(), None)));
}

#[test]
fn a_boot_that_goes_unnoticed_makes_no_backoff_longer() {
    let world = World::new();
    world.throttle(&world.open());
    world.boots(BEGIN.shared + 20 * SECOND, 20_000 * SECOND);

    assert_eq!(backoff_of(&world.ask(&world.open(), None)), 40 * SECOND);
}

#[test]
fn a_wall_clock_that_is_set_changes_nothing_while_the_machine_runs() {
    for step in [-1_000_000 * SECOND, 1_000_000 * SECOND] {
        let world = World::new();
        let store = world.open();
        world.throttle(&store);
        world.time.lock().unwrap().wall += step;
        assert_eq!(backoff_of(&world.ask(&store, None)), BACKOFF);
    }
}

#[test]
fn who_waited_before_a_boot_is_gone() {
    let world = World::new();
    let store = world.open();
    assert!(is_go(&world.ask(&store, None)));
    ticket_of(&world.ask(&store, None));
    world.boots(SECOND, SECOND);

    let view = world.open().look(&rules()).unwrap();
    assert_eq!((view.queued, view.next_turn), (0, INTERVAL - SECOND));
}

/// Without a clock of the machine's own both are the wall clock.
#[test]
fn a_wall_clock_alone_that_is_set_back_makes_no_backoff_shorter_nor_longer() {
    let world = World::new();
    let store = world.open();
    world.throttle(&store);
    world.passes(-1_000_000 * SECOND);

    assert_eq!(backoff_of(&world.ask(&store, None)), BACKOFF);
}

#[test]
fn both_clocks_are_the_systems() {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let now = Clock::System.now();
    assert!((now.wall / SECOND).abs_diff(i64::try_from(since.as_secs()).unwrap()) < 3600);
    assert!(now.shared > 0);
    assert!(Clock::System.now().shared >= now.shared);
}
