//! Several who share one file.

use std::{thread, time::Duration};

use tokio::time::Instant;

use super::*;
use crate::gate::{SearchGate, ledger::Grant};

#[test]
fn callers_of_two_programs_go_in_the_order_in_which_they_asked() {
    let world = World::new();
    let stores = [world.open(), world.open()];
    let mut asleep: Vec<_> = (0..7)
        .map(|caller| (BEGIN.shared + caller, caller, None))
        .collect();
    let mut starts = Vec::new();
    while let Some(next) = asleep.iter().min().copied() {
        asleep.retain(|caller| *caller != next);
        let (look, caller, ticket) = next;
        world.time.lock().unwrap().shared = look;
        match world.ask(&stores[caller as usize % 2], ticket) {
            Outcome::Wait { ticket, sleep } => asleep.push((look + sleep, caller, Some(ticket))),
            Outcome::Go(_) => starts.push((caller, look)),
            other => panic!("{other:?}"),
        }
    }
    assert!(starts.is_sorted());
    assert_eq!(starts.len(), 7);
    for pair in starts.windows(2) {
        let gap = pair[1].1 - pair[0].1;
        assert!(
            (INTERVAL..INTERVAL + SECOND / 50).contains(&gap),
            "{starts:?}"
        );
    }
}

#[test]
fn a_program_that_starts_later_keeps_the_distance() {
    let world = World::new();
    assert!(is_go(&world.ask(&world.open(), None)));
    world.passes(INTERVAL - 1);
    assert!(!is_go(&world.ask(&world.open(), None)));
}

#[test]
fn a_backoff_of_one_is_a_backoff_of_all() {
    let world = World::new();
    let (a, b) = (world.open(), world.open());
    world.throttle(&a);
    assert_eq!(backoff_of(&world.ask(&b, None)), BACKOFF);
}

#[test]
fn a_snapshot_shows_what_others_have_been_told() {
    let directory = Directory::new();
    let gate = || SearchGate::builder().shared_file_at(directory.gate());
    let [one, other] = [gate(), gate()].map(|gate| gate.build().unwrap());
    one.throttled();
    assert_eq!(other.snapshot().streak, 1);
    assert!(other.backoff_left().is_some());
}

#[tokio::test]
async fn who_only_looks_sees_the_interval_of_those_who_take_turns() {
    let directory = Directory::new();
    let interval = Duration::from_secs(7);
    let gate = SearchGate::builder().interval(interval);
    let gate = gate.shared_file_at(directory.gate()).build().unwrap();
    gate.take_turn(Instant::now() + interval).await.unwrap();
    let seen = SearchGate::builder().look_at_file(directory.gate());
    assert_eq!(seen.unwrap().interval, interval);
}

#[test]
fn who_looks_sees_what_was_answered() {
    let world = World::new();
    let (a, b) = (world.open(), world.open());
    assert!(is_go(&world.ask(&a, None)));
    let answer = world.tell(&a, take(None));
    assert_eq!(b.look(&rules()), Some(answer.view));
    world.passes(SECOND);
    let next_turn = b.look(&rules()).unwrap().next_turn;
    assert_eq!(next_turn, answer.view.next_turn - SECOND);
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let world = World::new();
    let store = world.open();
    assert!(is_go(&world.ask(&store, None)));
    let before = fs::read(world.path()).unwrap();
    world.passes(SECOND);
    let mut command = take(None);
    let Command::Take { max_wait, .. } = &mut command else {
        unreachable!()
    };
    *max_wait = 0;
    world.tell(&store, command);
    assert_eq!(fs::read(world.path()).unwrap(), before);
}

#[test]
fn threads_and_programs_lose_nothing_to_each_other() {
    const TURNS: usize = 200;
    let world = World::new();
    let stores = [world.open(), world.open()];
    let mut order = world.order(take(None));
    order.rules.interval = 0;
    let mut grants = Vec::new();
    thread::scope(|scope| {
        let threads = [0, 1, 0, 1].map(|program: usize| {
            let (store, order) = (&stores[program], &order);
            scope.spawn(move || turns(store, order, TURNS))
        });
        // Whoever looks meanwhile sees whole records; on Windows, where who holds the lock keeps others from reading, perhaps none.
        for _ in 0..TURNS {
            assert!(stores[0].look(&order.rules).is_some() || cfg!(windows));
        }
        grants.extend(
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap()),
        );
    });
    assert_eq!(grants.len(), 4 * TURNS);
    for (index, grant) in grants.iter().enumerate() {
        assert!(
            !grants[..index].contains(grant),
            "{grant:?} was given twice"
        );
    }
}

fn turns(store: &Arc<FileStore>, order: &Order, turns: usize) -> Vec<Grant> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    let turn = async || match store.clone().apply(order.clone()).await.unwrap().outcome {
        Outcome::Go(grant) => grant,
        other => panic!("{other:?}"),
    };
    let turns = async || {
        let mut grants = Vec::new();
        for _ in 0..turns {
            grants.push(turn().await);
        }
        grants
    };
    runtime.block_on(turns())
}
