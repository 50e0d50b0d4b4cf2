//! Turns come in the order in which they were asked for, at least one interval apart, and at once after a quiet spell.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, MIN_INTERVAL, SearchGate};
use support::{Calls, INTERVAL, caller, far, gate};
use tokio::time::{Instant, advance, sleep};
use tokio_test::{assert_pending, assert_ready_ok};

#[tokio::test(start_paused = true)]
async fn a_burst_starts_one_interval_apart_in_order() {
    let mut calls = Calls::new(&gate());
    calls.call_many(20).await;
    let expected: Vec<_> = (0..20).map(|who| (who, INTERVAL * who as u32)).collect();
    assert_eq!(calls.starts().await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_turn_after_a_quiet_spell_is_given_at_once() {
    let gate = gate();
    for quiet in [INTERVAL, INTERVAL * 100] {
        assert_ready_ok!(caller(&gate, far()).poll());
        sleep(quiet).await;
    }
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_quiet_spell_saves_up_no_turns() {
    let gate = gate();
    sleep(INTERVAL * 100).await;
    assert_ready_ok!(caller(&gate, far()).poll());
    assert_pending!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_turn_asked_for_too_soon_waits_for_the_rest_of_the_interval() {
    let gate = gate();
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    sleep(INTERVAL / 4).await;
    gate.take_turn(far()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn the_first_poll_decides_the_order() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut made_first = caller(&gate, far());
    let mut polled_first = caller(&gate, far());
    assert_pending!(polled_first.poll());
    assert_pending!(made_first.poll());
    sleep(INTERVAL).await;
    assert_pending!(made_first.poll());
    assert_ready_ok!(polled_first.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(made_first.poll());
}

#[tokio::test(start_paused = true)]
async fn a_future_that_is_never_polled_takes_no_place() {
    let gate = gate();
    let never = caller(&gate, far());
    assert_ready_ok!(caller(&gate, far()).poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(caller(&gate, far()).poll());
    assert_eq!(gate.snapshot().queued, 0);
    drop(never);
    assert_eq!(gate.snapshot().counts.cancelled, 0);
}

#[tokio::test(start_paused = true)]
async fn polling_more_often_gains_nothing() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (mut patient, mut eager) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(patient.poll());
    for _ in 0..19 {
        assert_pending!(eager.poll());
        sleep(INTERVAL / 20).await;
    }
    sleep(INTERVAL / 20).await;
    assert_pending!(eager.poll());
    assert_ready_ok!(patient.poll());
    assert_eq!(gate.snapshot().queued, 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_start_moves_the_next_one() {
    let gate = gate();
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    let mut late = caller(&gate, far());
    assert_pending!(late.poll());
    advance(INTERVAL * 2 - Duration::from_millis(100)).await;
    assert_ready_ok!(late.poll());
    // By stored times the next start would be due 0.1 s from now.
    gate.take_turn(far()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL * 3 - Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn time_that_jumps_past_several_intervals_brings_no_two_starts_together() {
    let mut calls = Calls::new(&gate());
    calls.call_many(8).await;
    advance(INTERVAL * 4 + Duration::from_millis(300)).await;
    let starts = calls.starts().await;
    let late = INTERVAL * 4 + Duration::from_millis(300);
    let mut expected = vec![(0, Duration::ZERO)];
    expected.extend((1..8).map(|who| (who, late + INTERVAL * (who as u32 - 1))));
    assert_eq!(starts, expected);
}

#[tokio::test(start_paused = true)]
async fn intervals_finer_than_the_timers_are_never_cut_short() {
    for interval in [1, 300, 1_500, 2_999].map(Duration::from_micros) {
        let mut calls = Calls::new(&SearchGate::new(interval, BACKOFF));
        calls.call_many(10).await;
        let starts = calls.starts().await;
        assert!(starts.is_sorted(), "{interval:?}: {starts:?}");
        for pair in starts.windows(2) {
            let gap = pair[1].1 - pair[0].1;
            let most = interval + Duration::from_millis(1);
            assert!((interval..=most).contains(&gap), "{interval:?}: {gap:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_interval_of_zero_spaces_nothing_and_still_backs_off() {
    let gate = SearchGate::new(Duration::ZERO, BACKOFF);
    for _ in 0..1000 {
        assert_ready_ok!(caller(&gate, far()).poll());
    }
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
    sleep(BACKOFF).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn two_gates_pace_and_back_off_apart() {
    let (one, other) = (gate(), gate());
    assert_ready_ok!(caller(&one, far()).poll());
    one.throttled();
    assert_ready_ok!(caller(&other, far()).poll());
    assert_eq!(other.backoff_left(), None);
}

#[tokio::test(start_paused = true)]
async fn clones_share_one_queue_and_one_back_off() {
    let one = gate();
    let other = one.clone();
    assert_ready_ok!(caller(&one, far()).poll());
    assert_pending!(caller(&other, far()).poll());
    other.throttled();
    assert_eq!(one.backoff_left(), Some(BACKOFF));
    assert_eq!(one.snapshot(), other.snapshot());
}

#[tokio::test(start_paused = true)]
async fn every_handle_of_the_process_wide_gate_is_the_same_gate() {
    let one = SearchGate::duckduckgo();
    assert_eq!(one.snapshot().interval, MIN_INTERVAL);
    assert_ready_ok!(caller(&one, far()).poll());
    assert_pending!(caller(&SearchGate::duckduckgo(), far()).poll());
    std::thread::spawn(|| SearchGate::duckduckgo().throttled())
        .join()
        .unwrap();
    assert!(one.backoff_left().is_some());
}
