//! An inner service that takes its time to get ready, while the turn is due and after.

mod support;

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::Full;
use search_gate::{BACKOFF, Deadline, Refusal, SearchGateLayer};
use support::{
    INTERVAL, far, gate,
    service::{Probe, Req, request},
};
use tokio::{
    sync::Semaphore,
    time::{Instant, advance},
};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};
use tower::{Layer, Service, ServiceExt, limit::ConcurrencyLimit, service_fn};

fn within(deadline: Instant) -> Req {
    let mut request = request();
    request.extensions_mut().insert(Deadline(deadline));
    request
}

#[tokio::test(start_paused = true)]
async fn the_turn_is_spent_when_the_inner_service_is_called_and_not_when_it_was_due() {
    let probe = Probe::default();
    let mut service = SearchGateLayer::new(gate()).layer(probe.clone());
    let begun = Instant::now();
    probe.set_busy(true);
    let mut first = task::spawn(service.call(request()));
    assert_pending!(first.poll());
    advance(Duration::from_secs(7)).await;
    probe.set_busy(false);
    assert!(first.is_woken());
    assert_ready_ok!(first.poll());
    service.call(request()).await.unwrap();
    let starts: Vec<_> = probe.starts().iter().map(|start| *start - begun).collect();
    assert_eq!(starts, [Duration::from_secs(7), Duration::from_secs(9)]);
}

#[tokio::test(start_paused = true)]
async fn the_interval_counts_from_when_the_call_returned() {
    let layer = SearchGateLayer::new(gate());
    let blocking = service_fn(|_: Req| {
        // Its first poll moves the clock on.
        assert_pending!(task::spawn(advance(Duration::from_secs(1))).poll());
        std::future::ready(Ok::<_, Infallible>(http::Response::new(
            Full::<Bytes>::default(),
        )))
    });
    let begun = Instant::now();
    layer.layer(blocking).oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::from_secs(1));
    layer
        .layer(Probe::default())
        .oneshot(request())
        .await
        .unwrap();
    assert_eq!(begun.elapsed(), Duration::from_secs(1) + INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_back_off_that_begins_while_the_inner_service_gets_ready_stops_the_request() {
    let gate = gate();
    let probe = Probe::default();
    probe.set_busy(true);
    let mut service = SearchGateLayer::new(gate.clone()).layer(probe.clone());
    let mut due = task::spawn(service.call(request()));
    assert_pending!(due.poll());
    gate.throttled();
    assert!(due.is_woken());
    probe.set_busy(false);
    let error = assert_ready_err!(due.poll());
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
    assert!(probe.starts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_deadline_runs_while_the_inner_service_gets_ready() {
    let probe = Probe::default();
    probe.set_busy(true);
    let mut service = SearchGateLayer::new(gate()).layer(probe.clone());
    let begun = Instant::now();
    let error = service
        .call(within(begun + Duration::from_secs(5)))
        .await
        .unwrap_err();
    assert_eq!(error.refusal(), Some(Refusal::PastDeadline));
    assert!(begun.elapsed() < Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn one_whose_inner_service_is_not_ready_keeps_nobody_else_waiting() {
    let gate = gate();
    let layer = SearchGateLayer::new(gate);
    let stuck = Probe::default();
    stuck.set_busy(true);
    let mut first = task::spawn(layer.layer(stuck.clone()).oneshot(within(far())));
    assert_pending!(first.poll());
    let begun = Instant::now();
    layer
        .layer(Probe::default())
        .oneshot(within(far()))
        .await
        .unwrap();
    assert!(begun.elapsed() <= INTERVAL, "{:?}", begun.elapsed());
    stuck.set_busy(false);
    first.await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 2, "one interval after the other");
}

#[tokio::test(start_paused = true)]
async fn readiness_that_comes_too_late_for_the_turn_is_let_go() {
    let layer = SearchGateLayer::new(gate());
    let permits = Arc::new(Semaphore::new(1));
    let slow = ConcurrencyLimit::with_semaphore(Probe::default(), Arc::clone(&permits));
    let held = Arc::clone(&permits).acquire_owned().await.unwrap();
    let mut first = task::spawn(layer.layer(slow).oneshot(within(far())));
    assert_pending!(first.poll());
    layer
        .layer(Probe::default())
        .oneshot(within(far()))
        .await
        .unwrap();
    drop(held);
    assert!(first.is_woken());
    assert_eq!(permits.available_permits(), 0, "it was given the permit");
    assert_pending!(first.poll());
    assert_eq!(
        permits.available_permits(),
        1,
        "waits for its next turn and holds nothing"
    );
    first.await.unwrap();
}
