//! Somebody else holds the lock.

use std::{
    fs::File,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use super::*;

fn hold(world: &World) -> File {
    let file = File::open(world.path()).unwrap();
    file.lock().unwrap();
    file
}

#[tokio::test]
async fn a_holder_that_never_lets_go_costs_an_error_and_stalls_no_other_task() {
    let world = World::new();
    let store = world.open();
    let _held = hold(&world);
    let begun = Instant::now();
    let ticks = tokio::spawn(async move {
        let mut ticks = 0;
        while begun.elapsed() < Duration::from_millis(200) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            ticks += 1;
        }
        ticks
    });
    let error = store
        .clone()
        .apply(world.order(take(None)))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("held its lock"), "{error}");
    assert!(begun.elapsed() >= Duration::from_millis(250));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(ticks.await.unwrap() > 5);
}

#[tokio::test]
async fn a_holder_that_lets_go_in_time_costs_no_error() {
    let world = World::new();
    let store = world.open();
    let held = hold(&world);
    let mut applying = store.clone().apply(world.order(take(None)));
    for _ in 0..3 {
        let soon = tokio::time::timeout(Duration::from_millis(1), &mut applying);
        assert!(soon.await.is_err());
    }
    drop(held);
    assert!(is_go(&applying.await.unwrap().outcome));
}

#[test]
fn one_poll_needs_no_runtime() {
    let world = World::new();
    let store = world.open();
    let held = hold(&world);
    let mut applying = pin!(store.apply(world.order(take(None))));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(applying.as_mut().poll(&mut cx).is_pending());
    drop(held);
    let Poll::Ready(Ok(answer)) = applying.as_mut().poll(&mut cx) else {
        panic!("nobody holds the lock");
    };
    assert!(is_go(&answer.outcome));
}

#[test]
fn a_thread_that_is_at_it_makes_others_wait_without_blocking_them() {
    let world = World::new();
    let store = world.open();
    let busy = store.current.lock().unwrap();
    let applying = store.clone().apply(world.order(take(None)));
    assert!(applying.now_or_never().is_none());
    drop(busy);
    assert!(is_go(&world.ask(&store, None)));
}

/// On Windows it keeps others from reading.
#[cfg(unix)]
#[test]
fn whoever_holds_the_lock_keeps_nobody_from_opening_and_looking() {
    let world = World::new();
    assert!(is_go(&world.ask(&world.open(), None)));
    let _held = hold(&world);
    assert_eq!(world.open().look(&rules()).unwrap().next_turn, INTERVAL);
}

#[test]
fn an_order_that_is_dropped_leaves_the_lock_free() {
    let world = World::new();
    let store = world.open();
    let held = hold(&world);
    let mut applying = store.clone().apply(world.order(take(None)));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(applying.as_mut().poll(&mut cx).is_pending());
    drop((applying, held));
    assert!(is_go(&world.ask(&store, None)));
    hold(&world);
}
