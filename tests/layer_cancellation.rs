//! A request that is dropped, or whose inner service fails before it is sent: what it held is free, and what it spent is spent.

mod support;

use std::{sync::Arc, time::Duration};

use search_gate::SearchGateLayer;
use support::{
    INTERVAL, gate,
    service::{Probe, Req, request},
};
use tokio::{sync::Semaphore, time::Instant};
use tokio_test::{assert_pending, assert_ready, assert_ready_err, task};
use tower::{Layer, Service, limit::ConcurrencyLimit};

#[tokio::test(start_paused = true)]
async fn dropped_while_it_waits_a_request_gives_its_place_up() {
    let probe = Probe::default();
    let mut service = SearchGateLayer::new(gate()).layer(probe.clone());
    service.call(request()).await.unwrap();
    let begun = Instant::now();
    let mut dropped = task::spawn(service.call(request()));
    let mut behind = task::spawn(service.call(request()));
    assert_pending!(dropped.poll());
    assert_pending!(behind.poll());
    drop(dropped);
    assert!(behind.is_woken());
    behind.await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL);
    assert_eq!(service.gate().snapshot().counts.cancelled, 1);
}

#[tokio::test(start_paused = true)]
async fn dropped_while_the_inner_service_gets_ready_a_request_spends_no_turn() {
    let permits = Arc::new(Semaphore::new(1));
    let inner = ConcurrencyLimit::with_semaphore(Probe::default(), Arc::clone(&permits));
    let mut service = SearchGateLayer::new(gate()).layer(inner);
    let held = Arc::clone(&permits).acquire_owned().await.unwrap();
    let mut dropped = task::spawn(service.call(request()));
    assert_pending!(dropped.poll());
    drop(dropped);
    drop(held);
    let begun = Instant::now();
    service.call(request()).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(permits.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn dropped_after_it_was_sent_a_request_has_spent_its_turn() {
    let (mock, mut handle) = tower_test::mock::pair::<Req, support::service::Res>();
    let mut service = SearchGateLayer::new(gate()).layer(mock);
    handle.allow(2);
    let begun = Instant::now();
    let mut sent = task::spawn(service.call(request()));
    assert_pending!(sent.poll());
    assert!(handle.next_request().await.is_some());
    drop(sent);
    let mut next = task::spawn(service.call(request()));
    assert_pending!(next.poll());
    let (_, answer) = tokio::select! {
        biased;
        _ = &mut next => panic!("nobody answered"),
        asked = handle.next_request() => asked.unwrap(),
    };
    assert_eq!(begun.elapsed(), INTERVAL);
    answer.send_response(http::Response::new(Default::default()));
    assert_ready!(next.poll()).unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_fails_while_getting_ready_frees_the_place() {
    let (mock, mut handle) = tower_test::mock::pair::<Req, support::service::Res>();
    let layer = SearchGateLayer::new(gate());
    let mut service = layer.layer(mock);
    handle.send_error("worn out");
    let mut failing = task::spawn(service.call(request()));
    let error = assert_ready_err!(failing.poll());
    assert!(error.is_transport() && !error.is_refused());
    assert_eq!(
        layer.gate().snapshot().queued,
        0,
        "even while it is not dropped"
    );
}
