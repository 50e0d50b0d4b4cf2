//! A gate's settings change while it runs.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, Backoff, SearchGate};
use support::{Calls, INTERVAL, THROTTLED, caller, far, gate, turn, wait_out};
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready_ok};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test(start_paused = true)]
async fn a_shorter_interval_brings_who_waits_forward() {
    let gate = gate();
    let mut calls = Calls::new(&gate);
    calls.call_many(4).await;
    sleep(INTERVAL / 4).await;
    gate.set_interval(INTERVAL / 2).unwrap();
    let starts = calls.starts().await;
    let expected = [0, 1, 2, 3].map(|who| (who, INTERVAL / 2 * who as u32));
    assert_eq!(starts, expected);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_a_shorter_interval_makes_due_is_had_at_once() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut waits = caller(&gate, far());
    assert_pending!(waits.poll());
    sleep(INTERVAL / 2).await;
    gate.set_interval(INTERVAL / 2).unwrap();
    assert!(waits.is_woken());
    assert_ready_ok!(waits.poll());
}

#[tokio::test(start_paused = true)]
async fn a_longer_interval_puts_who_waits_off() {
    let gate = gate();
    let mut calls = Calls::new(&gate);
    calls.call_many(3).await;
    sleep(INTERVAL / 2).await;
    gate.set_interval(INTERVAL * 2).unwrap();
    assert_eq!(gate.snapshot().next_turn, INTERVAL * 11 / 2);
    let starts = calls.starts().await;
    let expected = [0, 1, 2].map(|who| (who, INTERVAL * 2 * who as u32));
    assert_eq!(starts, expected);
}

#[tokio::test(start_paused = true)]
async fn there_and_back_changes_nothing() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    sleep(INTERVAL / 4).await;
    for interval in [INTERVAL * 3, INTERVAL / 7, DAY, INTERVAL] {
        gate.set_interval(interval).unwrap();
    }
    assert_eq!(gate.snapshot().next_turn, INTERVAL * 3 / 4);
}

#[tokio::test(start_paused = true)]
async fn an_interval_taken_away_and_given_back_is_counted_from_the_last_start() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    sleep(INTERVAL / 4).await;
    gate.set_interval(Duration::ZERO).unwrap();
    gate.set_interval(INTERVAL).unwrap();
    assert_eq!(gate.snapshot().next_turn, INTERVAL * 3 / 4);
}

#[tokio::test(start_paused = true)]
async fn a_longer_interval_gives_no_burst_away() {
    let builder = SearchGate::builder().interval(INTERVAL).burst(3);
    let gate = builder.build().unwrap();
    for _ in 0..3 {
        assert_ready_ok!(caller(&gate, far()).poll());
    }
    gate.set_interval(INTERVAL * 5).unwrap();
    assert_eq!(gate.snapshot().next_turn, INTERVAL * 5);
    gate.set_interval(INTERVAL).unwrap();
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_changed_interval_is_doubled_where_the_gate_is_widened() {
    let builder = SearchGate::builder().interval(INTERVAL);
    let gate = builder.widening(DAY).build().unwrap();
    turn(&gate).await.settle(THROTTLED);
    wait_out(&gate).await;
    gate.take_turn(far()).await.unwrap();
    gate.set_interval(INTERVAL * 5).unwrap();
    assert_eq!(gate.snapshot().interval, INTERVAL * 10);
    assert_eq!(gate.snapshot().next_turn, INTERVAL * 10);
}

#[tokio::test(start_paused = true)]
async fn a_changed_interval_changes_how_late_a_caller_may_be() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut parked = caller(&gate, far());
    assert_pending!(parked.poll());
    let mut calls = Calls::new(&gate);
    calls.call(far()).await;
    let interval = Duration::from_millis(400);
    gate.set_interval(interval).unwrap();
    let grace = Duration::from_millis(101);
    assert_eq!(calls.starts().await, [(0, interval + grace)]);
}

#[tokio::test(start_paused = true)]
async fn a_changed_back_off_counts_from_the_next_throttle_on() {
    let gate = gate();
    gate.throttled();
    gate.set_backoff(BACKOFF * 2).unwrap();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
    wait_out(&gate).await;
    turn(&gate).await.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(BACKOFF * 2));
}

#[tokio::test(start_paused = true)]
async fn a_back_off_that_has_begun_is_not_cut_short_by_another_setting() {
    let hour = Duration::from_secs(3600);
    let gate = SearchGate::new(INTERVAL, hour);
    gate.throttled();
    gate.set_backoff(BACKOFF).unwrap();
    assert_eq!(gate.backoff_left(), Some(hour));
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(hour));
    assert_eq!(gate.snapshot().backoff_left, Some(hour));
    wait_out(&gate).await;
    turn(&gate).await.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_streak_goes_on_in_the_steps_of_a_changed_back_off() {
    let gate = gate();
    gate.throttled();
    wait_out(&gate).await;
    gate.set_backoff(Backoff::new(BACKOFF).factor(3.0)).unwrap();
    turn(&gate).await.settle(THROTTLED);
    assert_eq!(gate.backoff_left(), Some(BACKOFF * 3));
}

#[tokio::test(start_paused = true)]
async fn a_setting_that_cannot_be_meant_is_refused_and_changes_nothing() {
    let gate = gate();
    let over = DAY + Duration::from_nanos(1);
    let told = gate.set_interval(over).unwrap_err().to_string();
    assert!(
        told.contains("interval") && told.contains("24 hours"),
        "{told}"
    );
    assert_eq!(gate.snapshot().interval, INTERVAL);
    for (backoff, named, instead) in [
        (Backoff::fixed(Duration::ZERO), "zero", "set how long"),
        (Backoff::fixed(over), "backoff", "24 hours"),
        (Backoff::new(BACKOFF).cap(over), "cap", "24 hours"),
        (Backoff::new(BACKOFF).cap(BACKOFF / 2), "cap", "raise"),
        (
            Backoff::new(BACKOFF).factor(0.5),
            "factor",
            "from 1 to 1000",
        ),
        (
            Backoff::new(BACKOFF).factor(f64::NAN),
            "factor",
            "from 1 to 1000",
        ),
        (
            Backoff::new(BACKOFF).factor(f64::INFINITY),
            "factor",
            "from 1 to 1000",
        ),
        (Backoff::new(BACKOFF).jitter(-0.1), "jitter", "from 0 to 1"),
        (Backoff::new(BACKOFF).jitter(1.1), "jitter", "from 0 to 1"),
        (
            Backoff::new(BACKOFF).jitter(f64::NAN),
            "jitter",
            "from 0 to 1",
        ),
        (
            Backoff::fixed(BACKOFF).jitter(0.1),
            "jitter",
            "raise the cap",
        ),
    ] {
        let told = gate.set_backoff(backoff).unwrap_err().to_string();
        assert!(told.contains(named) && told.contains(instead), "{told}");
        let built = SearchGate::builder().backoff(backoff).build();
        assert_eq!(built.unwrap_err().to_string(), told);
    }
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
}
