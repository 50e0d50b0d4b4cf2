//! Who watches a gate hears of every change.

mod support;

use std::time::Duration;

use search_gate::BACKOFF;
use support::{Calls, INTERVAL, caller, far, gate};
use tokio::{
    task::yield_now,
    time::{Instant, timeout},
};
use tokio_test::{assert_pending, assert_ready, task::spawn};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test(start_paused = true)]
async fn a_watcher_hears_of_everything_that_happens() {
    let gate = gate();
    let mut changes = gate.changes();
    let mut heard = async || {
        let heard = timeout(Duration::from_secs(1), changes.changed()).await;
        heard.expect("a change that was not heard of")
    };
    gate.take_turn(far()).await.unwrap();
    assert_eq!(heard().await.counts.granted, 1);
    let mut waits = caller(&gate, far());
    assert_pending!(waits.poll());
    assert_eq!(heard().await.queued, 1);
    drop(waits);
    assert_eq!(heard().await.counts.cancelled, 1);
    gate.set_interval(INTERVAL * 3).unwrap();
    assert_eq!(heard().await.interval, INTERVAL * 3);
    gate.throttled();
    assert_eq!(heard().await.backoff_left, Some(BACKOFF));
    gate.reset();
    assert_eq!(heard().await.backoff_left, None);
    gate.set_backoff(BACKOFF * 2).unwrap();
    heard().await;
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_is_told_of_nothing_waits() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut changes = gate.changes();
    let _ = (gate.snapshot(), gate.backoff_left(), gate.clone());
    let waits = timeout(DAY, changes.changed()).await;
    assert!(
        waits.is_err(),
        "the passing of time is no change: {waits:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_change_before_the_first_poll_is_not_missed() {
    let gate = gate();
    let mut changes = gate.changes();
    gate.throttled();
    let mut changed = spawn(changes.changed());
    let heard = assert_ready!(changed.poll());
    assert_eq!(heard.backoff_left, Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_change_that_a_dropped_future_would_have_told_is_told_by_the_next() {
    let gate = gate();
    let mut changes = gate.changes();
    let mut dropped = spawn(changes.changed());
    assert_pending!(dropped.poll());
    gate.throttled();
    assert!(dropped.is_woken());
    drop(dropped);
    assert_ready!(spawn(changes.changed()).poll());
    assert_pending!(spawn(changes.changed()).poll());
}

#[tokio::test(start_paused = true)]
async fn each_watcher_and_each_clone_hears_for_itself() {
    let gate = gate();
    let mut one = gate.changes();
    gate.throttled();
    // A clone has heard what its original had.
    let mut other = one.clone();
    let mut late = gate.changes();
    assert_ready!(spawn(one.changed()).poll());
    assert_ready!(spawn(other.changed()).poll());
    assert_pending!(spawn(late.changed()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_watcher_outlives_the_handle_it_was_made_from() {
    let gate = gate();
    let mut changes = gate.changes();
    let clone = gate.clone();
    drop(gate);
    let mut changed = spawn(changes.changed());
    assert_pending!(changed.poll());
    clone.throttled();
    assert_ready!(changed.poll());
    drop((changed, clone));
    // Nobody is left who could change anything.
    assert_pending!(spawn(changes.changed()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_watcher_follows_a_wait_from_beginning_to_end() {
    let gate = gate();
    let mut changes = gate.changes();
    let watcher = tokio::spawn(async move {
        let mut shown = Vec::new();
        while shown.last() != Some(&(3, 0)) {
            let now = changes.changed().await;
            shown.push((now.counts.granted, now.queued));
        }
        shown
    });
    let begun = Instant::now();
    let mut calls = Calls::new(&gate);
    calls.call_many(3).await;
    calls.starts().await;
    assert_eq!(begun.elapsed(), INTERVAL * 2);
    yield_now().await;
    let shown = watcher.await.unwrap();
    assert!(
        shown.contains(&(1, 2)) && shown.contains(&(2, 1)),
        "{shown:?}"
    );
}
