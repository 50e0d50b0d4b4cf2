//! News of a request counts by the round in which it started: what comes late changes nothing that newer requests have shown.

mod support;

use std::time::Duration;

use search_gate::{Backoff, SearchGate, Verdict};
use support::{INTERVAL, THROTTLED, caller, far, turn, wait_out};
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready_ok};

const FIRST: Duration = Duration::from_secs(10);

/// 10 s, 20 s, 40 s, …
fn growing() -> SearchGate {
    let builder = SearchGate::builder().interval(INTERVAL);
    builder.backoff(Backoff::new(FIRST)).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn two_throttles_of_one_round_are_one_step() {
    let gate = growing();
    let (one, other) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    other.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST));
    let told = gate.snapshot();
    assert_eq!((told.streak, told.counts.throttled), (1, 2));
    wait_out(&gate).await;
    turn(&gate).await.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST * 2));
}

#[tokio::test(start_paused = true)]
async fn a_late_throttle_lengthens_the_back_off_and_does_not_let_it_grow() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    sleep(FIRST / 2).await;
    late.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST));
    assert_eq!(gate.snapshot().streak, 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_throttle_never_shortens_a_back_off() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(Verdict::Throttled {
        retry_after: Some(FIRST * 3),
    });
    late.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST * 3));
}

#[tokio::test(start_paused = true)]
async fn a_late_throttle_brings_the_providers_wish() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    late.settle(Verdict::Throttled {
        retry_after: Some(FIRST * 3),
    });
    assert_eq!(gate.backoff_left(), Some(FIRST * 3));
}

#[tokio::test(start_paused = true)]
async fn a_success_from_before_the_back_off_changes_nothing() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    let before = gate.snapshot();
    late.settle(Verdict::Answered);
    assert_eq!(gate.snapshot(), before);
}

#[tokio::test(start_paused = true)]
async fn a_late_success_does_not_stand_in_for_the_trial() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    wait_out(&gate).await;
    let trial = turn(&gate).await;
    late.settle(Verdict::Answered);
    assert!(gate.snapshot().on_trial);
    sleep(INTERVAL).await;
    assert_pending!(caller(&gate, far()).poll());
    trial.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST * 2));
}

#[tokio::test(start_paused = true)]
async fn a_late_throttle_after_the_trial_was_answered_changes_nothing() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    wait_out(&gate).await;
    turn(&gate).await.settle(Verdict::Answered);
    late.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), None);
    assert!(!gate.snapshot().on_trial);
}

#[tokio::test(start_paused = true)]
async fn a_late_throttle_while_the_trial_is_out_closes_the_gate_and_does_not_let_it_grow() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    wait_out(&gate).await;
    let trial = turn(&gate).await;
    late.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST));
    assert_eq!(gate.snapshot().streak, 1);
    // The trial itself still counts.
    trial.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST * 2));
    assert_eq!(gate.snapshot().streak, 2);
}

#[tokio::test(start_paused = true)]
async fn an_answered_trial_does_not_spare_the_gate_another_when_it_was_closed_again_meanwhile() {
    let gate = growing();
    let (one, late) = (turn(&gate).await, turn(&gate).await);
    one.settle(THROTTLED);
    wait_out(&gate).await;
    let trial = turn(&gate).await;
    late.settle(THROTTLED);
    trial.settle(Verdict::Answered);
    assert_eq!(gate.backoff_left(), Some(FIRST));
    wait_out(&gate).await;
    assert!(gate.snapshot().on_trial);
    let _trial = turn(&gate).await;
    sleep(INTERVAL).await;
    assert_pending!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_trial_replaced_after_its_lease_still_gives_its_verdict() {
    let gate = growing();
    gate.throttled();
    wait_out(&gate).await;
    let hung = turn(&gate).await;
    let replacement = turn(&gate).await;
    hung.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST * 2));
    // By now this is from an earlier round.
    replacement.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST * 2));
    assert_eq!(gate.snapshot().streak, 2);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_told_twice_through_the_handle_is_one_step() {
    let gate = growing();
    gate.throttled();
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(FIRST));
    assert_eq!(gate.snapshot().streak, 1);
    wait_out(&gate).await;
    gate.throttled();
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(FIRST * 2));
}

#[tokio::test(start_paused = true)]
async fn a_throttle_told_by_a_turn_and_through_the_handle_is_one_step() {
    for turn_first in [true, false] {
        let gate = growing();
        let turn = turn(&gate).await;
        if turn_first {
            turn.settle(THROTTLED);
            gate.throttled();
        } else {
            gate.throttled();
            turn.settle(THROTTLED);
        }
        assert_eq!(gate.backoff_left(), Some(FIRST));
        assert_eq!(gate.snapshot().streak, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn news_from_before_a_reset_changes_nothing() {
    let gate = growing();
    let [one, answered, throttled] = [turn(&gate).await, turn(&gate).await, turn(&gate).await];
    one.settle(THROTTLED);
    gate.reset();
    answered.settle(Verdict::Answered);
    throttled.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), None);
    let told = gate.snapshot();
    assert_eq!((told.streak, told.on_trial), (0, false));
    sleep(INTERVAL).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_trial_from_before_a_reset_holds_up_nobody_and_says_nothing_of_the_next_back_off() {
    let gate = growing();
    gate.throttled();
    wait_out(&gate).await;
    let old = turn(&gate).await;
    gate.reset();
    let next = turn(&gate).await;
    next.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(FIRST));
    old.settle(Verdict::Answered);
    assert!(gate.snapshot().on_trial);
}
