//! Answers that come late or out of order, callers that leave meanwhile, and what a process does by itself in between.

use std::{
    convert::Infallible,
    future::{pending, ready},
    sync::atomic::Ordering::SeqCst,
    time::Duration,
};

use bytes::Bytes;
use futures_util::{FutureExt, poll};
use http::{Request, Response};
use http_body_util::Full;
use tokio::time::{Instant, advance, sleep};
use tower::{Service, ServiceBuilder, ServiceExt, limit::ConcurrencyLimit, service_fn};

use super::store::InMemory;
use crate::{
    SearchGateLayer,
    gate::{BACKOFF, MIN_INTERVAL, SearchGate, WhileUnreachable},
};

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn spawn_caller(gate: &SearchGate) -> tokio::task::JoinHandle<Instant> {
    let gate = gate.clone();
    tokio::spawn(async move {
        gate.take_turn(far()).await.unwrap();
        Instant::now()
    })
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_not_ready_costs_the_store_a_look_for_each_interval() {
    let store = InMemory::new();
    store.takes(millis(5));
    let service =
        service_fn(|_: Request<()>| pending::<Result<Response<Full<Bytes>>, Infallible>>());
    let mut limited = ConcurrencyLimit::new(service, 1);
    let _holds_the_place = limited.ready().await.unwrap().call(Request::new(()));
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    let layer = SearchGateLayer::builder().gate(gate).build().unwrap();
    let client = ServiceBuilder::new().layer(layer).service(limited);
    let _request = tokio::spawn(client.oneshot(Request::new(())));
    sleep(5 * MIN_INTERVAL).await;
    assert!((6..=12).contains(&store.orders()), "{}", store.orders());
}

/// Sends one request through the layer, which is answered at once.
async fn request_through(gate: SearchGate) {
    let service = service_fn(|_: Request<()>| {
        ready(Ok::<_, Infallible>(Response::new(Full::<Bytes>::default())))
    });
    let layer = SearchGateLayer::builder().gate(gate).build().unwrap();
    let client = ServiceBuilder::new().layer(layer).service(service);
    drop(client.oneshot(Request::new(())).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_may_start_costs_one_order() {
    let store = InMemory::new();
    request_through(store.gate()).await;
    assert_eq!(store.orders(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_interval_counts_from_a_request_whose_turn_came_late() {
    let store = InMemory::new();
    store.takes(millis(200));
    request_through(store.gate()).await;
    let start = Instant::now();
    store.takes(Duration::ZERO);
    sleep(MIN_INTERVAL / 2).await;
    store.gate().take_turn(far()).await.unwrap();
    assert!(start.elapsed() >= MIN_INTERVAL, "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn who_tries_a_lost_store_keeps_its_place_in_the_process() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(true, SeqCst);
    let mut callers = Vec::new();
    for _ in 0..6 {
        callers.push(spawn_caller(&gate));
        sleep(millis(5)).await;
    }
    let mut starts = Vec::new();
    for caller in callers {
        starts.push(caller.await.unwrap());
    }
    assert!(starts.is_sorted(), "{starts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_longer_interval_is_not_counted_twice() {
    let store = InMemory::new();
    let one = store.gate();
    let other = store.gate_with(|gate| gate.interval(5 * MIN_INTERVAL));
    one.take_turn(far()).await.unwrap();
    let begun = Instant::now();
    let waits = spawn_caller(&other);
    sleep(MIN_INTERVAL / 2).await;
    assert!(one.take_turn(Instant::now()).await.is_err());
    let waited = waits.await.unwrap() - begun;
    assert!(waited < 6 * MIN_INTERVAL, "{waited:?}");
    assert!(waited >= 5 * MIN_INTERVAL, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_start_after_a_long_outage_is_told_in_full() {
    let store = InMemory::new();
    let gate = store.gate_with(|gate| gate.interval(5 * MIN_INTERVAL));
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(true, SeqCst);
    advance(Duration::from_secs(3600)).await;
    gate.take_turn(far()).await.unwrap();
    let last = Instant::now();
    store.is_down.store(false, SeqCst);
    sleep(millis(2500)).await;
    gate.take_turn(far()).await.unwrap();
    let gap = last.elapsed();
    assert!(gap >= 5 * MIN_INTERVAL - millis(10), "{gap:?}");
    assert!(!gate.snapshot().out_of_reach);
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_the_store_is_not_used_beside_one_that_was_given_here_meanwhile() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(true, SeqCst);
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(false, SeqCst);
    sleep(MIN_INTERVAL).await;
    store.takes(millis(100));
    let tries = spawn_caller(&gate);
    sleep(millis(50)).await;
    let here = spawn_caller(&gate);
    let (tries, here) = (tries.await.unwrap(), here.await.unwrap());
    let gap = tries.max(here) - tries.min(here);
    assert!(gap >= MIN_INTERVAL - millis(210), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn a_start_is_remembered_though_its_answer_was_overtaken() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    sleep(MIN_INTERVAL).await;
    store.takes(millis(100));
    let slow = spawn_caller(&gate);
    sleep(millis(10)).await;
    store.takes(millis(10));
    gate.reset();
    let first = slow.await.unwrap();
    store.is_down.store(true, SeqCst);
    gate.take_turn(far()).await.unwrap();
    let gap = first.elapsed();
    assert!(gap >= MIN_INTERVAL - millis(10), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_from_before_a_throttle_does_not_hide_it() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    store.takes(millis(50));
    let waits = tokio::spawn({
        let gate = gate.clone();
        async move { gate.turn(far()).await.map(drop) }
    });
    sleep(millis(10)).await;
    store.takes(millis(200));
    gate.throttled();
    sleep(millis(140)).await;
    assert!(!waits.is_finished());
    assert!(gate.backoff_left().is_some_and(|left| left <= BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_was_on_its_way_when_a_throttle_came_is_not_used() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    sleep(MIN_INTERVAL).await;
    store.takes(millis(50));
    let asks = tokio::spawn({
        let gate = gate.clone();
        async move { gate.turn(far()).await.map(drop) }
    });
    sleep(millis(60)).await;
    gate.throttled();
    assert!(asks.await.unwrap().unwrap_err().is_backing_off());
}

#[tokio::test(start_paused = true)]
async fn callers_that_leave_early_still_show_that_the_store_is_out_of_reach() {
    let store = InMemory::new();
    let gate = store.gate();
    store.is_down.store(true, SeqCst);
    store.takes(millis(250));
    let left = tokio::time::timeout(millis(100), gate.take_turn(far())).await;
    assert!(left.is_err());
    sleep(millis(200)).await;
    assert!(gate.snapshot().out_of_reach);
}

#[tokio::test(start_paused = true)]
async fn changes_tell_that_the_store_is_out_of_reach() {
    let store = InMemory::new();
    let gate = store.gate_with(|gate| gate.while_unreachable(WhileUnreachable::Refuse));
    let mut changes = gate.changes();
    store.is_down.store(true, SeqCst);
    assert!(gate.turn(far()).await.unwrap_err().is_unreachable());
    let told = changes.changed().now_or_never().unwrap();
    assert!(told.out_of_reach);
}

#[tokio::test(start_paused = true)]
async fn a_caller_is_counted_once() {
    let store = InMemory::new();
    let gate = store.gate();
    store.takes(millis(5));
    let mut leaves = Box::pin(gate.take_turn(far()));
    assert!(poll!(&mut leaves).is_pending());
    drop(leaves);
    sleep(millis(20)).await;
    let counts = gate.snapshot().counts;
    assert_eq!((counts.granted, counts.cancelled), (0, 1));
    sleep(MIN_INTERVAL).await;
    store.takes(millis(200));
    let late = spawn_caller(&gate);
    sleep(millis(100)).await;
    store.takes(millis(1));
    late.await.unwrap();
    let counts = gate.snapshot().counts;
    assert_eq!((counts.granted, counts.cancelled), (1, 1));
}
