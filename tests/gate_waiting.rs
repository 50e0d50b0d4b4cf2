//! A gate that lets callers wait while it backs off refuses those, and only those, whose turn can no longer come in time.

mod support;

use std::time::Duration;

use search_gate::{
    BACKOFF, Backoff, Refusal, SearchGate, SearchGateBuilder, Verdict, WhileBackingOff,
};
use support::{Calls, INTERVAL, THROTTLED, caller, far, turn, within};
use tokio::{
    task::yield_now,
    time::{Instant, sleep},
};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};

fn builder() -> SearchGateBuilder {
    let builder = SearchGate::builder().interval(INTERVAL).backoff(BACKOFF);
    builder.while_backing_off(WhileBackingOff::Wait)
}

fn gate() -> SearchGate {
    builder().build().unwrap()
}

const INSTANT: Duration = Duration::from_nanos(1);

#[tokio::test(start_paused = true)]
async fn who_has_the_time_waits_for_the_back_off_to_end() {
    let gate = gate();
    gate.throttled();
    let mut waits = caller(&gate, within(BACKOFF));
    assert_pending!(waits.poll());
    sleep(BACKOFF).await;
    assert_ready_ok!(waits.poll());
}

#[tokio::test(start_paused = true)]
async fn who_has_not_the_time_is_refused_at_once_with_what_is_left() {
    let gate = gate();
    gate.throttled();
    let refusal = assert_ready_err!(caller(&gate, within(BACKOFF - INSTANT)).poll());
    assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
    assert_eq!(gate.snapshot().counts.refused_backing_off, 1);
}

#[tokio::test(start_paused = true)]
async fn who_has_not_the_time_for_those_before_it_is_refused_for_its_deadline() {
    let gate = gate();
    gate.throttled();
    let mut first = caller(&gate, far());
    assert_pending!(first.poll());
    let refusal = assert_ready_err!(caller(&gate, within(BACKOFF + INTERVAL - INSTANT)).poll());
    assert_eq!(refusal, Refusal::PastDeadline);
    let mut second = caller(&gate, within(BACKOFF + INTERVAL));
    assert_pending!(second.poll());
}

#[tokio::test(start_paused = true)]
async fn a_back_off_refuses_front_to_back_those_who_can_no_longer_make_it() {
    let gate = gate();
    let trial = turn(&gate).await;
    let opens = Instant::now() + BACKOFF;
    // The second, third and sixth cannot make it whatever the others do. The fifth can because two before it cannot; the seventh
    // cannot although three before it cannot.
    let deadlines = [
        opens,
        opens - INSTANT,
        opens - INTERVAL * 10,
        opens + INTERVAL,
        opens + INTERVAL * 2,
        opens + INTERVAL * 2,
        opens + INTERVAL * 3 - INSTANT,
        opens + INTERVAL * 3,
    ];
    let mut callers = deadlines.map(|deadline| caller(&gate, deadline));
    for caller in &mut callers {
        assert_pending!(caller.poll());
    }
    trial.settle(THROTTLED);
    let woken = callers.each_ref().map(|caller| caller.is_woken());
    assert_eq!(woken, [false, true, true, false, false, true, true, false]);
    assert_eq!(gate.snapshot().queued, 4);
    for (caller, _) in callers.iter_mut().zip(woken).filter(|(_, woken)| *woken) {
        let refusal = assert_ready_err!(caller.poll());
        assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
    }
    for who in [0, 3, 4, 7] {
        assert_pending!(callers[who].poll());
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_refused_when_a_back_off_begins_cannot_come_in_again() {
    let gate = gate();
    let trial = turn(&gate).await;
    let mut waits = caller(&gate, within(BACKOFF - INSTANT));
    assert_pending!(waits.poll());
    trial.settle(THROTTLED);
    assert!(waits.is_woken());
    gate.reset();
    let refusal = assert_ready_err!(waits.poll());
    assert!(matches!(refusal, Refusal::BackingOff(_)), "{refusal:?}");
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_go_in_order_once_the_trial_is_answered() {
    let gate = gate();
    gate.throttled();
    let begun = Instant::now();
    let mut trial = support::turn_caller(&gate, far());
    assert_pending!(trial.poll());
    let mut calls = Calls::new(&gate);
    calls.call_many(3).await;
    sleep(BACKOFF).await;
    let trial = assert_ready_ok!(trial.poll());
    sleep(INTERVAL * 2).await;
    assert_eq!(calls.told(), []);
    trial.settle(Verdict::Answered);
    let first = BACKOFF + INTERVAL * 2;
    let starts = calls.starts().await;
    assert_eq!(
        starts,
        [0, 1, 2].map(|who| (who, first + INTERVAL * who as u32))
    );
    assert_eq!(begun.elapsed(), first + INTERVAL * 2);
}

#[tokio::test(start_paused = true)]
async fn a_refused_trial_keeps_those_who_have_the_time() {
    let backoff = Backoff::new(BACKOFF);
    let gate = builder().backoff(backoff).build().unwrap();
    gate.throttled();
    sleep(BACKOFF).await;
    let trial = turn(&gate).await;
    let (mut patient, mut hasty) = (caller(&gate, far()), caller(&gate, within(BACKOFF)));
    assert_pending!(patient.poll());
    assert_pending!(hasty.poll());
    sleep(INTERVAL).await;
    trial.settle(THROTTLED);
    assert!(hasty.is_woken());
    let refusal = assert_ready_err!(hasty.poll());
    assert_eq!(refusal, Refusal::BackingOff(BACKOFF * 2));
    assert_pending!(patient.poll());
    sleep(BACKOFF * 2).await;
    assert_ready_ok!(patient.poll());
}

#[tokio::test(start_paused = true)]
async fn a_late_throttle_that_lengthens_the_back_off_refuses_again() {
    let gate = gate();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    let mut waits = caller(&gate, within(BACKOFF));
    assert_pending!(waits.poll());
    sleep(INTERVAL).await;
    late.settle(THROTTLED);
    assert!(waits.is_woken());
    let refusal = assert_ready_err!(waits.poll());
    assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_reset_serves_who_waits_at_once() {
    let gate = gate();
    gate.throttled();
    let mut calls = Calls::new(&gate);
    calls.call_many(3).await;
    sleep(INTERVAL * 2).await;
    gate.reset();
    let expected = [0, 1, 2].map(|who| (who, INTERVAL * (2 + who as u32)));
    assert_eq!(calls.starts().await, expected);
}

#[tokio::test(start_paused = true)]
async fn one_who_leaves_during_the_back_off_leaves_its_place() {
    let gate = gate();
    gate.throttled();
    let mut calls = Calls::new(&gate);
    calls.call_many(4).await;
    sleep(BACKOFF / 2).await;
    calls.cancel(0).await;
    calls.cancel(2).await;
    yield_now().await;
    assert_eq!(gate.snapshot().next_turn, BACKOFF / 2 + INTERVAL * 2);
    let starts = calls.starts().await;
    assert_eq!(starts, [(1, BACKOFF), (3, BACKOFF + INTERVAL)]);
}

#[tokio::test(start_paused = true)]
async fn the_bound_on_who_waits_holds_while_backing_off() {
    let gate = builder().max_queued(2).build().unwrap();
    gate.throttled();
    let (mut one, mut other) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(one.poll());
    assert_pending!(other.poll());
    assert_ready_err!(caller(&gate, far()).poll());
    assert_eq!(gate.snapshot().counts.refused_queue_full, 1);
}
