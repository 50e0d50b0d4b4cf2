//! After a back-off one request goes out alone; what becomes of it decides for everyone.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, Refusal, SearchGate, Verdict};
use support::{
    Calls, GRACE, INTERVAL, THROTTLED, back_off_once, caller, far, gate, turn, turn_caller, within,
};
use tokio::time::{Instant, sleep};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};

/// The default, from the documentation of the builder.
const LEASE: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn one_turn_is_out_until_its_verdict() {
    let gate = gate();
    back_off_once(&gate).await;
    let _trial = turn(&gate).await;
    let mut waiting = [(); 3].map(|()| turn_caller(&gate, far()));
    for waiter in &mut waiting {
        assert_pending!(waiter.poll());
    }
    sleep(LEASE - Duration::from_millis(1)).await;
    for waiter in &mut waiting {
        assert_pending!(waiter.poll());
    }
    assert_eq!(gate.snapshot().counts.granted, 1);
}

#[tokio::test(start_paused = true)]
async fn an_answered_trial_opens_the_gate_and_wakes_who_waits_at_once() {
    let gate = gate();
    back_off_once(&gate).await;
    let trial = turn(&gate).await;
    let (mut head, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(head.poll());
    assert_pending!(second.poll());
    sleep(INTERVAL * 3).await;
    assert_pending!(head.poll());
    trial.settle(Verdict::Answered);
    assert!(head.is_woken());
    assert_ready_ok!(head.poll());
    assert!(!gate.snapshot().on_trial);
    assert_pending!(second.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(second.poll());
}

#[tokio::test(start_paused = true)]
async fn a_verdict_within_the_interval_brings_nobody_forward() {
    let gate = gate();
    back_off_once(&gate).await;
    let begun = Instant::now();
    let trial = turn(&gate).await;
    let mut calls = Calls::new(&gate);
    calls.call_many(3).await;
    trial.settle(Verdict::Answered);
    let starts = calls.starts().await;
    let expected = [1, 2, 3].map(|turn| (turn as usize - 1, INTERVAL * turn));
    assert_eq!(starts, expected);
    assert_eq!(begun.elapsed(), INTERVAL * 3);
}

#[tokio::test(start_paused = true)]
async fn a_throttled_trial_refuses_who_waits_for_it_at_once() {
    let gate = gate();
    back_off_once(&gate).await;
    let trial = turn(&gate).await;
    let mut waiting = [(); 5].map(|()| caller(&gate, far()));
    for waiter in &mut waiting {
        assert_pending!(waiter.poll());
    }
    sleep(INTERVAL * 3).await;
    trial.settle(THROTTLED);
    for waiter in &mut waiting {
        assert!(waiter.is_woken());
        let refusal = assert_ready_err!(waiter.poll());
        assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_of_which_nothing_is_known_is_followed_by_the_next_caller() {
    for settle in [true, false] {
        let gate = gate();
        back_off_once(&gate).await;
        let trial = turn(&gate).await;
        let (mut head, mut second) = (turn_caller(&gate, far()), turn_caller(&gate, far()));
        assert_pending!(head.poll());
        assert_pending!(second.poll());
        sleep(INTERVAL * 2).await;
        match settle {
            true => trial.settle(Verdict::Unknown),
            false => drop(trial),
        }
        assert!(head.is_woken());
        let next = assert_ready_ok!(head.poll());
        assert!(gate.snapshot().on_trial);
        sleep(INTERVAL * 2).await;
        assert_pending!(second.poll());
        next.settle(Verdict::Answered);
        drop(assert_ready_ok!(second.poll()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_hangs_is_replaced_when_its_lease_ends() {
    let lease = Duration::from_secs(7);
    let builder = SearchGate::builder().interval(INTERVAL).turn_lease(lease);
    let gate = builder.build().unwrap();
    back_off_once(&gate).await;
    let hung = turn(&gate).await;
    let begun = Instant::now();
    let (second, third) = (turn(&gate).await, turn(&gate).await);
    assert_eq!(begun.elapsed(), lease * 2);
    // News of it still counts, however late.
    hung.settle(Verdict::Answered);
    assert!(!gate.snapshot().on_trial);
    drop((second, third));
}

#[tokio::test(start_paused = true)]
async fn callers_that_tell_nothing_are_not_kept_waiting() {
    let gate = gate();
    back_off_once(&gate).await;
    let mut calls = Calls::new(&gate);
    calls.call_many(20).await;
    let expected: Vec<_> = (0..20).map(|who| (who, INTERVAL * who as u32)).collect();
    assert_eq!(calls.starts().await, expected);
}

#[tokio::test(start_paused = true)]
async fn who_cannot_wait_for_the_verdict_is_refused_by_its_deadline() {
    for patience in [
        INTERVAL * 2,
        INTERVAL * 2 + Duration::from_micros(1),
        Duration::from_micros(1),
    ] {
        let gate = gate();
        back_off_once(&gate).await;
        let _trial = turn(&gate).await;
        sleep(INTERVAL).await;
        let begun = Instant::now();
        let refusal = gate.take_turn(within(patience)).await.unwrap_err();
        assert_eq!(refusal, Refusal::PastDeadline);
        assert!(begun.elapsed() <= patience + Duration::from_millis(2));
        assert_eq!(gate.snapshot().queued, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_no_time_is_refused_at_once_while_the_trial_is_out() {
    let gate = gate();
    back_off_once(&gate).await;
    let _trial = turn(&gate).await;
    sleep(INTERVAL).await;
    let refusal = assert_ready_err!(caller(&gate, Instant::now()).poll());
    assert_eq!(refusal, Refusal::PastDeadline);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_in_time_serves_who_would_not_have_waited_for_the_lease() {
    let gate = gate();
    back_off_once(&gate).await;
    let trial = turn(&gate).await;
    let mut hasty = caller(&gate, within(INTERVAL * 2));
    assert_pending!(hasty.poll());
    sleep(INTERVAL).await;
    trial.settle(Verdict::Answered);
    assert_ready_ok!(hasty.poll());
}

#[tokio::test(start_paused = true)]
async fn a_parked_caller_does_not_keep_the_others_from_the_trial() {
    let gate = gate();
    back_off_once(&gate).await;
    let trial = turn(&gate).await;
    let mut parked = caller(&gate, far());
    assert_pending!(parked.poll());
    let mut calls = Calls::new(&gate);
    calls.call_many(2).await;
    sleep(INTERVAL * 2).await;
    drop(trial);
    let freed = Duration::ZERO + INTERVAL * 2;
    let first = freed + GRACE;
    let starts = calls.starts().await;
    assert_eq!(starts, [(0, first), (1, first + INTERVAL)]);
    drop(parked);
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_does_not_pass_who_waits_for_the_verdict() {
    for interval in [INTERVAL, Duration::ZERO] {
        let gate = SearchGate::new(interval, BACKOFF);
        back_off_once(&gate).await;
        let trial = turn(&gate).await;
        let mut waits = turn_caller(&gate, far());
        assert_pending!(waits.poll());
        sleep(INTERVAL).await;
        drop(trial);
        let mut newcomer = turn_caller(&gate, far());
        assert_pending!(newcomer.poll());
        let _next = assert_ready_ok!(waits.poll());
        assert_pending!(newcomer.poll());
    }
}

#[tokio::test(start_paused = true)]
async fn before_the_first_back_off_nothing_is_tried() {
    let gate = gate();
    let _out = [turn(&gate).await, turn(&gate).await, turn(&gate).await];
    assert!(!gate.snapshot().on_trial);
}
