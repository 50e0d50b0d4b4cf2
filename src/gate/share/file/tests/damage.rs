//! What stands in the file is not what was written there.

use super::*;
use crate::gate::share::file::{
    Looker,
    record::{PAGE, Record},
};

/// The record of a gate at which one has just started and another waits.
fn record(world: &World) -> Vec<u8> {
    let store = world.open();
    assert!(is_go(&world.ask(&store, None)));
    ticket_of(&world.ask(&store, None));
    fs::read(world.path()).unwrap()
}

/// Puts these bytes into the file, as it is.
fn put(world: &World, bytes: &[u8]) {
    fs::write(world.path(), bytes).unwrap();
}

/// A program that starts on this file, and one that had it open, let nobody start early; and go on.
fn check(world: &World, running: &Arc<FileStore>, bytes: &[u8]) {
    put(world, bytes);
    check_stores(world, &[running, &world.open()], bytes);
}

fn check_stores(world: &World, stores: &[&Arc<FileStore>], bytes: &[u8]) {
    let running = stores[0];
    assert!(running.look(&rules()).is_none_or(|view| view.next_turn > 0));
    for (nth, store) in stores.iter().enumerate() {
        put(world, bytes);
        let answer = world.tell(store, Command::Started);
        assert!(answer.view.next_turn >= INTERVAL, "{nth}: {bytes:?}");
        assert!(matches!(
            Record::read(&fs::read(world.path()).unwrap()),
            Record::Kept { .. }
        ));
    }
    put(world, bytes);
    assert!(!is_go(&world.ask(running, None)), "{bytes:?}");
}

/// A program that starts leaves alone what never was a record.
fn check_foreign(world: &World, running: &Arc<FileStore>, bytes: &[u8]) {
    put(world, bytes);
    let error = FileStore::open(&world.path()).unwrap_err();
    assert!(error.to_string().contains("something else"), "{error}");
    assert_eq!(fs::read(world.path()).unwrap(), bytes);
    check_stores(world, &[running], bytes);
}

#[test]
fn a_record_cut_anywhere_lets_nobody_start_early() {
    let world = World::new();
    let record = record(&world);
    let running = world.open();
    for length in 1..record.len() {
        check(&world, &running, &record[..length]);
    }
}

#[test]
fn a_record_with_any_bit_flipped_lets_nobody_start_early() {
    let world = World::new();
    let record = record(&world);
    let running = world.open();
    for bit in 0..record.len() * 8 {
        let mut flipped = record.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if bit < 32 {
            check_foreign(&world, &running, &flipped);
        } else {
            check(&world, &running, &flipped);
        }
    }
}

#[test]
fn what_is_no_record_lets_nobody_start_early() {
    let world = World::new();
    let record = record(&world);
    let running = world.open();
    let page = vec![0xff; PAGE];
    let late = [0, 0, 0, 0, 0, 1];
    for bytes in [&b"something else"[..], &b"\n"[..], &page, &late] {
        check_foreign(&world, &running, bytes);
    }
    check(&world, &running, &vec![0; record.len()]);
}

#[test]
fn a_damaged_record_costs_no_more_than_an_interval() {
    let world = World::new();
    fs::write(world.path(), "sgat, and then nothing").unwrap();
    let store = world.open();
    let ticket = ticket_of(&world.ask(&store, None));
    world.passes(INTERVAL);
    assert!(is_go(&world.ask(&store, Some(ticket))));
}

#[test]
fn a_burst_is_spent_where_a_record_is_damaged() {
    let world = World::new();
    fs::write(world.path(), "sgat, and then nothing").unwrap();
    let mut order = world.order(take(None));
    order.rules.burst = 3;
    let answer = apply(&world.open(), order).unwrap();
    assert!(!is_go(&answer.outcome));
    assert_eq!(answer.view.next_turn, 2 * INTERVAL);
}

#[test]
fn a_damaged_record_forgets_no_backoff_that_is_remembered() {
    let world = World::new();
    let store = world.open();
    world.throttle(&store);
    let memory = store.look(&rules()).unwrap().memory;
    fs::write(world.path(), "something else").unwrap();

    let order = Order {
        memory,
        ..world.order(take(None))
    };
    let outcome = apply(&store, order).unwrap().outcome;
    assert_eq!(backoff_of(&outcome), BACKOFF);
    assert_eq!(backoff_of(&world.ask(&world.open(), None)), BACKOFF);
}

#[test]
fn an_empty_file_is_a_new_gate() {
    let world = World::new();
    fs::write(world.path(), "").unwrap();
    let store = world.open();
    assert_eq!(store.look(&rules()).unwrap().next_turn, 0);
    assert!(is_go(&world.ask(&store, None)));
}

#[test]
fn a_record_of_a_later_version_is_left_alone_and_said_to_be_one() {
    let world = World::new();
    let later = of_later_version(record(&world));
    let running = world.open();
    fs::write(world.path(), &later).unwrap();

    let errors = [
        apply(&running, world.order(take(None)))
            .unwrap_err()
            .to_string(),
        world.try_open(&world.path()).unwrap_err().to_string(),
        Looker::open(&world.path()).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(
            error.contains("update all programs that share it"),
            "{error}"
        );
        assert!(error.contains(world.path().to_str().unwrap()), "{error}");
    }
    assert_eq!(running.look(&rules()), None);
    assert_eq!(fs::read(world.path()).unwrap(), later);
}

#[test]
fn a_record_of_a_version_that_never_was_is_damaged() {
    let bytes = of_version(0, record(&World::new()));
    assert_eq!(Record::read(&bytes), Record::Damaged);
}

/// Linux has such a file.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_is_said_to_be_so() {
    use std::error::Error;

    let error = Looker::open("/proc/self/mem".as_ref()).unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
    assert!(error.source().is_some());
}
