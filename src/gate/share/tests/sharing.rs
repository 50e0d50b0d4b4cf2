//! What all who share a gate see of each other.

use std::{
    convert::Infallible,
    future::ready,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tokio::time::{Instant, advance, sleep};
use tower::{ServiceBuilder, ServiceExt, limit::ConcurrencyLimitLayer, service_fn};

use super::store::InMemory;
use crate::{
    SearchGateLayer,
    gate::{BACKOFF, MIN_INTERVAL, SearchGate, Verdict},
};

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

async fn take_turns(gate: SearchGate, turns: u32) {
    for _ in 0..turns {
        gate.take_turn(far()).await.unwrap();
    }
}

/// Lets every other task run.
async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn processes_start_an_interval_apart() {
    let store = InMemory::new();
    let processes: Vec<_> = (0..4)
        .map(|_| tokio::spawn(take_turns(store.gate(), 5)))
        .collect();
    for process in processes {
        process.await.unwrap();
    }
    let gaps = store.gaps();
    assert_eq!(gaps.len(), 19);
    let most = MIN_INTERVAL + Duration::from_millis(10);
    assert!(
        gaps.iter().all(|gap| (MIN_INTERVAL..most).contains(gap)),
        "{gaps:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn turns_are_given_in_the_order_of_asking_over_all_processes() {
    let store = InMemory::new();
    let gates = [store.gate(), store.gate(), store.gate()];
    let mut callers = Vec::new();
    for n in 0..12 {
        let gate = gates[n % 3].clone();
        callers.push(tokio::spawn(async move {
            gate.take_turn(far()).await.unwrap();
            Instant::now()
        }));
        settle().await;
    }
    let mut starts = Vec::new();
    for caller in callers {
        starts.push(caller.await.unwrap());
    }
    assert!(starts.is_sorted(), "{starts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_free_turn_costs_one_order() {
    let store = InMemory::new();
    store.gate().take_turn(far()).await.unwrap();
    assert_eq!(store.orders(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_is_polled_for_nothing_asks_nothing() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    let mut turn = Box::pin(gate.take_turn(far()));
    assert!(futures_util::poll!(&mut turn).is_pending());
    let orders = store.orders();
    for _ in 0..100 {
        assert!(futures_util::poll!(&mut turn).is_pending());
    }
    assert_eq!(store.orders(), orders);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_refuses_the_callers_of_every_process() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.take_turn(far()).await.unwrap();
    let waits = tokio::spawn({
        let other = other.clone();
        async move { other.turn(far()).await.map(drop) }
    });
    settle().await;
    one.throttled();
    assert_eq!(one.backoff_left(), Some(BACKOFF));
    let refused = other.turn(far()).await.unwrap_err();
    assert!(refused.is_backing_off());
    assert_eq!(refused.retry_after(), BACKOFF);
    settle().await;
    assert!(waits.await.unwrap().unwrap_err().is_backing_off());
}

#[tokio::test(start_paused = true)]
async fn one_trial_is_out_over_all_processes() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.throttled();
    settle().await;
    advance(BACKOFF).await;
    let trial = one.turn(far()).await.unwrap();
    let waits = tokio::spawn(async move { other.turn(far()).await });
    sleep(4 * MIN_INTERVAL).await;
    assert!(!waits.is_finished());
    trial.settle(Verdict::Answered);
    sleep(2 * MIN_INTERVAL).await;
    assert!(waits.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_costs_the_other_processes_nothing() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.take_turn(far()).await.unwrap();
    let begun = Instant::now();
    let mut leaver = Box::pin(one.take_turn(far()));
    assert!(futures_util::poll!(&mut leaver).is_pending());
    let waits = tokio::spawn(async move { other.take_turn(far()).await });
    settle().await;
    drop(leaver);
    waits.await.unwrap().unwrap();
    let waited = begun.elapsed();
    assert!(
        waited < MIN_INTERVAL + Duration::from_millis(10),
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_with_an_order_on_its_way_leaves_no_place_behind() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    store.takes(Duration::from_millis(5));
    for _ in 0..3 {
        let mut leaver = Box::pin(gate.take_turn(far()));
        assert!(futures_util::poll!(&mut leaver).is_pending());
        drop(leaver);
    }
    sleep(Duration::from_millis(100)).await;
    store.takes(Duration::ZERO);
    gate.reset();
    let snapshot = gate.snapshot();
    assert_eq!((snapshot.queued, snapshot.counts.cancelled), (0, 3));
}

#[tokio::test(start_paused = true)]
async fn a_reset_opens_the_gate_of_every_process() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.throttled();
    settle().await;
    assert!(other.turn(far()).await.unwrap_err().is_backing_off());
    one.reset();
    settle().await;
    // What the other remembers of the back-off does not bring it back.
    other.take_turn(far()).await.unwrap();
    assert_eq!(other.backoff_left(), None);
}

#[tokio::test(start_paused = true)]
async fn through_the_layer_a_request_starts_in_the_poll_in_which_its_turn_comes() {
    let store = InMemory::new();
    store.takes(Duration::from_millis(5));
    let starts = Arc::new(Mutex::new(Vec::new()));
    let service = service_fn({
        let starts = Arc::clone(&starts);
        move |_: Request<()>| {
            starts.lock().unwrap().push(Instant::now());
            ready(Ok::<_, Infallible>(Response::new(Full::<Bytes>::default())))
        }
    });
    let layer = SearchGateLayer::builder()
        .gate(store.gate())
        .build()
        .unwrap();
    // A place in the limit is held while the store is asked, and not while the turn is not due.
    let client = ServiceBuilder::new()
        .layer(layer)
        .layer(ConcurrencyLimitLayer::new(1))
        .service(service);
    let requests: Vec<_> = (0..4)
        .map(|_| tokio::spawn(client.clone().oneshot(Request::new(()))))
        .collect();
    for request in requests {
        request.await.unwrap().unwrap();
    }
    let (given, starts) = (store.starts.lock().unwrap(), starts.lock().unwrap());
    assert_eq!(given.len(), 4);
    for (given, start) in given.iter().zip(starts.iter()) {
        assert_eq!(*start - *given, Duration::from_millis(5));
    }
}

#[tokio::test(start_paused = true)]
async fn who_tells_of_a_throttle_sees_it_before_the_store_has_heard() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    store.takes(Duration::from_millis(50));
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
    let refused = gate.turn(far()).await.unwrap_err();
    assert!(refused.is_backing_off());
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_shows_what_the_store_last_showed_less_what_has_passed() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.take_turn(far()).await.unwrap();
    let waits = other.turn(far());
    tokio::pin!(waits);
    assert!(futures_util::poll!(&mut waits).is_pending());
    let second = Duration::from_secs(1);
    sleep(second).await;
    assert_eq!(other.snapshot().queued, 1);
    assert_eq!(other.snapshot().next_turn, 2 * MIN_INTERVAL - second);
    one.throttled();
    other.turn(far()).await.unwrap_err();
    sleep(second).await;
    assert_eq!(other.backoff_left(), Some(BACKOFF - second));
}
