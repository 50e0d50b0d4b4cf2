//! Inner services that come back into the gate.

mod support;

use std::{cell::Cell, convert::Infallible, future::ready, time::Duration};

use http::Response;
use search_gate::{BACKOFF, Refusal, SearchGate, SearchGateLayer};
use support::{
    INTERVAL,
    answer::full,
    far, gate,
    service::{Probe, Req, WhenReadying, goes_after, request},
};
use tokio::time::{Instant, advance};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};
use tower::{Layer, ServiceExt, service_fn};

/// Asks the gate all there is to ask.
fn ask(gate: &SearchGate) {
    let snapshot = gate.snapshot();
    assert_eq!(gate.backoff_left(), snapshot.backoff_left);
    assert!(!format!("{gate:?}").is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_may_ask_the_gate_at_any_time() {
    let gate = gate();
    let layer = SearchGateLayer::builder()
        .gate(gate.clone())
        .only({
            let gate = gate.clone();
            move |_| {
                ask(&gate);
                true
            }
        })
        .build()
        .unwrap();
    let client = service_fn(|_: Req| {
        ask(&gate);
        let gate = gate.clone();
        async move {
            ask(&gate);
            gate.take_turn(far()).await.unwrap();
            Ok::<_, Infallible>(Response::new(full("")))
        }
    });
    let begun = Instant::now();
    layer.layer(client).oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL, "its own turn came second");
    let readying = WhenReadying(|| ask(&gate));
    layer.layer(readying).oneshot(request()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_is_not_asked_whether_it_is_ready_while_too_many_turns_are_out() {
    let gate = SearchGate::builder().interval(Duration::ZERO);
    let layer = SearchGateLayer::new(gate.max_in_flight(1).build().unwrap());
    let out = layer.gate().turn(far()).await.unwrap();
    let asked = Cell::new(0);
    let counting = WhenReadying(|| asked.set(asked.get() + 1));
    let mut waits = task::spawn(layer.layer(counting).oneshot(request()));
    assert_pending!(waits.poll());
    assert_eq!(asked.get(), 0);
    drop(out);
    assert!(waits.is_woken());
    assert_ready_ok!(waits.poll());
    assert_eq!(asked.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_closes_the_gate_while_it_is_called_is_sent_nevertheless() {
    let layer = SearchGateLayer::new(gate());
    let mut behind = task::spawn(layer.layer(Probe::default()).oneshot(request()));
    let closing = service_fn(|_: Req| {
        layer.gate().throttled();
        ready(Ok::<_, Infallible>(Response::new(full(""))))
    });
    let mut sent = task::spawn(layer.layer(closing).oneshot(request()));
    layer.gate().take_turn(far()).await.unwrap();
    assert_pending!(sent.poll());
    assert_pending!(behind.poll());
    advance(INTERVAL).await;
    assert_ready_ok!(sent.poll());
    assert!(behind.is_woken());
    let error = assert_ready_err!(behind.poll());
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_closes_the_gate_while_it_gets_ready_is_not_called() {
    let layer = SearchGateLayer::new(gate());
    let closing = WhenReadying(|| layer.gate().throttled());
    let error = layer.layer(closing).oneshot(request()).await.unwrap_err();
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
    assert_eq!(layer.gate().snapshot().counts.granted, 0);
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_takes_the_turn_while_it_gets_ready_makes_its_request_wait() {
    let layer = SearchGateLayer::new(gate());
    let taking = WhenReadying({
        let gate = layer.gate().clone();
        let mut taken = false;
        move || {
            if !std::mem::replace(&mut taken, true) {
                let mut turn = task::spawn(gate.take_turn(far()));
                assert_ready_ok!(turn.poll());
            }
        }
    });
    let begun = Instant::now();
    layer.layer(taking).oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL);
    goes_after(&layer, INTERVAL).await;
}
