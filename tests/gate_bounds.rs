//! Bounds on how many turns are out at once and on how many callers wait, and what is told to whoever is one too many.

mod support;

use std::time::Duration;

use http::{Request, Response};
use search_gate::{
    BACKOFF, BoxError, Refusal, SearchGate, SearchGateBuilder, SearchGateLayer, Verdict,
};
use support::{INTERVAL, THROTTLED, caller, far, turn, turn_caller, within};
use tokio::time::{Instant, sleep};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};
use tower::{Layer, ServiceExt, service_fn};

fn builder() -> SearchGateBuilder {
    SearchGate::builder().interval(INTERVAL).backoff(BACKOFF)
}

fn in_flight(turns: usize) -> SearchGate {
    builder().max_in_flight(turns).build().unwrap()
}

fn queued(callers: usize) -> SearchGate {
    builder().max_queued(callers).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn no_more_turns_are_out_than_may_be() {
    let gate = in_flight(2);
    let (one, _other) = (turn(&gate).await, turn(&gate).await);
    let mut third = turn_caller(&gate, far());
    assert_pending!(third.poll());
    sleep(INTERVAL * 5).await;
    assert_pending!(third.poll());
    one.settle(Verdict::Answered);
    assert!(third.is_woken());
    drop(assert_ready_ok!(third.poll()));
}

#[tokio::test(start_paused = true)]
async fn every_end_of_a_turn_makes_room() {
    for end in [
        drop,
        |turn: search_gate::Turn| turn.settle(Verdict::Unknown),
        |turn: search_gate::Turn| turn.settle(Verdict::Answered),
    ] {
        let gate = in_flight(1);
        let out = turn(&gate).await;
        let mut next = turn_caller(&gate, far());
        assert_pending!(next.poll());
        sleep(INTERVAL).await;
        assert_pending!(next.poll());
        end(out);
        assert!(next.is_woken());
        drop(assert_ready_ok!(next.poll()));
    }
}

#[tokio::test(start_paused = true)]
async fn room_made_within_the_interval_brings_nobody_forward() {
    let gate = in_flight(1);
    let begun = Instant::now();
    drop(turn(&gate).await);
    drop(turn(&gate).await);
    assert_eq!(begun.elapsed(), INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_hangs_makes_room_when_its_lease_ends() {
    let lease = Duration::from_secs(7);
    let gate = builder().max_in_flight(1).turn_lease(lease).build();
    let gate = gate.unwrap();
    let begun = Instant::now();
    let _hung = turn(&gate).await;
    let _next = turn(&gate).await;
    assert_eq!(begun.elapsed(), lease);
}

#[tokio::test(start_paused = true)]
async fn plain_turns_are_not_out() {
    let gate = in_flight(1);
    let begun = Instant::now();
    for _ in 0..5 {
        gate.take_turn(far()).await.unwrap();
    }
    assert_eq!(begun.elapsed(), INTERVAL * 4);
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_does_not_pass_who_waits_for_room() {
    for builder in [builder().burst(3), builder().interval(Duration::ZERO)] {
        let gate = builder.max_in_flight(1).build().unwrap();
        let out = turn(&gate).await;
        let mut waits = turn_caller(&gate, far());
        assert_pending!(waits.poll());
        sleep(INTERVAL).await;
        out.settle(Verdict::Answered);
        let mut newcomer = turn_caller(&gate, far());
        assert_pending!(newcomer.poll());
        let next = assert_ready_ok!(waits.poll());
        assert_pending!(newcomer.poll());
        next.settle(Verdict::Answered);
        drop(assert_ready_ok!(newcomer.poll()));
    }
}

#[tokio::test(start_paused = true)]
async fn who_cannot_wait_for_room_is_refused_by_its_deadline() {
    let gate = in_flight(1);
    let _out = turn(&gate).await;
    sleep(INTERVAL).await;
    let begun = Instant::now();
    let refusal = gate.take_turn(within(INTERVAL)).await.unwrap_err();
    assert_eq!(refusal, Refusal::PastDeadline);
    assert!(begun.elapsed() <= INTERVAL + Duration::from_millis(2));
    assert_eq!(gate.snapshot().counts.refused_past_deadline, 1);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_of_one_of_those_out_leaves_the_others_out() {
    let gate = in_flight(2);
    let (one, other) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    other.settle(Verdict::Answered);
    sleep(BACKOFF).await;
    let _trial = assert_ready_ok!(turn_caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn one_more_than_may_wait_is_refused_at_once_and_counted() {
    let gate = queued(3);
    gate.take_turn(far()).await.unwrap();
    let mut waiting = [(); 3].map(|()| caller(&gate, far()));
    for waiter in &mut waiting {
        assert_pending!(waiter.poll());
    }
    for _ in 0..2 {
        let refusal = assert_ready_err!(caller(&gate, far()).poll());
        assert_eq!(refusal, Refusal::PastDeadline);
    }
    let told = gate.snapshot();
    assert_eq!(told.queued, 3);
    assert_eq!(told.counts.refused_queue_full, 2);
    assert_eq!(told.counts.refused_past_deadline, 0);
    let [gone, ..] = waiting;
    drop(gone);
    assert_pending!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn who_stands_in_a_full_queue_keeps_its_place() {
    let gate = queued(2);
    gate.take_turn(far()).await.unwrap();
    let (mut head, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(head.poll());
    assert_pending!(second.poll());
    assert_ready_err!(caller(&gate, far()).poll());
    assert_pending!(head.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(head.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(second.poll());
}

#[tokio::test(start_paused = true)]
async fn a_back_off_is_told_before_a_full_queue() {
    let gate = queued(0);
    gate.throttled();
    let refusal = assert_ready_err!(caller(&gate, far()).poll());
    assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_may_wait_those_go_whose_turn_is_due() {
    let gate = queued(0);
    for _ in 0..3 {
        assert_ready_ok!(caller(&gate, far()).poll());
        assert_ready_err!(caller(&gate, far()).poll());
        sleep(INTERVAL).await;
    }
    assert_eq!(gate.snapshot().counts.refused_queue_full, 3);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_may_wait_the_layer_serves_those_whose_turn_is_due() {
    let layer = SearchGateLayer::builder().gate(queued(0)).build();
    let inner = service_fn(async |_: Request<()>| Ok::<_, BoxError>(Response::new(String::new())));
    let service = layer.unwrap().layer(inner);
    for _ in 0..3 {
        let ask = || service.clone().oneshot(Request::new(()));
        let answer = ask().await;
        assert!(answer.is_ok(), "{answer:?}");
        assert!(ask().await.unwrap_err().is_refused());
        sleep(INTERVAL).await;
    }
}

#[test]
fn a_builder_says_what_to_set_instead() {
    let day = Duration::from_secs(24 * 3600);
    let over = day + Duration::from_nanos(1);
    for (builder, setting, instead) in [
        (builder().burst(0), "burst", "at least 1"),
        (builder().max_in_flight(0), "in flight", "at least 1"),
        (builder().turn_lease(Duration::ZERO), "lease", "how long"),
        (builder().turn_lease(over), "lease", "24 hours"),
        (builder().widening(over), "widening", "24 hours"),
    ] {
        let message = builder.build().unwrap_err().to_string();
        let told = message.contains(setting) && message.contains(instead);
        assert!(told, "{message}");
    }
    let widest = builder().burst(u32::MAX).widening(day).turn_lease(day);
    let widest = widest.max_in_flight(usize::MAX).max_queued(usize::MAX);
    assert!(widest.build().is_ok());
}
