//! Once the provider has throttled a request, nobody sends until the back-off is over, and everyone learns of it at once.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, LONGEST_BACKOFF, Refusal, SearchGate, Verdict};
use support::{Calls, INTERVAL, Told, caller, far, gate, within};
use tokio::time::{Instant, advance, sleep};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};

#[tokio::test(start_paused = true)]
async fn while_backing_off_every_turn_is_refused_at_once_with_what_is_left() {
    let gate = gate();
    gate.throttled();
    let mut left = BACKOFF;
    let step = Duration::from_millis(7_350);
    while left > Duration::ZERO {
        assert_eq!(gate.backoff_left(), Some(left));
        let refusal = assert_ready_err!(caller(&gate, far()).poll());
        assert_eq!(refusal, Refusal::BackingOff(left));
        sleep(step.min(left)).await;
        left = left.saturating_sub(step);
    }
    assert_eq!(gate.backoff_left(), None);
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn the_back_off_ends_when_nothing_of_it_is_left() {
    let gate = gate();
    gate.throttled();
    advance(BACKOFF - Duration::from_nanos(1)).await;
    let refusal = assert_ready_err!(caller(&gate, far()).poll());
    assert_eq!(refusal, Refusal::BackingOff(Duration::from_nanos(1)));
    advance(Duration::from_nanos(1)).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn everyone_in_the_queue_is_refused_in_the_moment_the_back_off_begins() {
    let gate = gate();
    let mut calls = Calls::new(&gate);
    calls.call_many(20).await;
    let begins = Duration::from_secs(3);
    sleep(begins).await;
    gate.throttled();
    assert_eq!(gate.snapshot().queued, 0);
    tokio::task::yield_now().await;
    let told = calls.told();
    let refused: Vec<_> = (2..20)
        .map(|who| Told {
            who,
            answer: Err(Refusal::BackingOff(BACKOFF)),
            at: begins,
        })
        .collect();
    assert_eq!(told[2..], refused);
}

#[tokio::test(start_paused = true)]
async fn the_next_after_the_back_off_goes_at_once_however_many_were_queued() {
    let gate = gate();
    let mut calls = Calls::new(&gate);
    calls.call_many(500).await;
    gate.throttled();
    sleep(BACKOFF).await;
    assert_eq!(calls.told().len(), 500);
    assert_ready_ok!(caller(&gate, within(Duration::ZERO)).poll());
    let next = gate.snapshot().next_turn;
    assert_eq!(next, INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_queued_caller_that_is_polled_only_after_the_back_off_is_refused_too() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut asleep = caller(&gate, far());
    assert_pending!(asleep.poll());
    gate.throttled();
    assert!(asleep.is_woken());
    sleep(BACKOFF * 2).await;
    let refusal = assert_ready_err!(asleep.poll());
    assert!(matches!(refusal, Refusal::BackingOff(_)), "{refusal:?}");
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_caller_refused_by_an_old_back_off_holds_up_nobody_after_it() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut old = caller(&gate, far());
    assert_pending!(old.poll());
    gate.throttled();
    sleep(BACKOFF).await;
    assert_ready_ok!(caller(&gate, far()).poll());
    let mut new = caller(&gate, far());
    assert_pending!(new.poll());
    drop(old);
    sleep(INTERVAL).await;
    assert_ready_ok!(new.poll());
}

#[tokio::test(start_paused = true)]
async fn a_throttle_while_nobody_waits_closes_the_gate() {
    let gate = gate();
    gate.throttled();
    assert_ready_err!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn another_throttle_starts_the_back_off_anew() {
    let gate = gate();
    gate.throttled();
    sleep(BACKOFF / 2).await;
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_back_off_shorter_than_the_interval_does_not_shorten_it() {
    let gate = SearchGate::new(INTERVAL, INTERVAL / 4);
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    gate.throttled();
    sleep(INTERVAL / 4).await;
    gate.take_turn(far()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_turn_settled_as_throttled_closes_the_gate_and_any_other_verdict_does_not() {
    let gate = SearchGate::new(Duration::ZERO, BACKOFF);
    for verdict in [Verdict::Answered, Verdict::Unknown] {
        gate.turn(far()).await.unwrap().settle(verdict);
        assert_eq!(gate.backoff_left(), None);
    }
    drop(gate.turn(far()).await.unwrap());
    assert_eq!(gate.backoff_left(), None);
    let turn = gate.turn(far()).await.unwrap();
    turn.settle(Verdict::Throttled { retry_after: None });
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn the_providers_wish_lengthens_a_back_off_and_never_shortens_it() {
    let settled = |retry_after| async move {
        let gate = gate();
        let turn = gate.turn(far()).await.unwrap();
        turn.settle(Verdict::Throttled {
            retry_after: Some(retry_after),
        });
        gate.backoff_left().unwrap()
    };
    assert_eq!(settled(Duration::ZERO).await, BACKOFF);
    assert_eq!(settled(BACKOFF / 2).await, BACKOFF);
    assert_eq!(settled(BACKOFF * 2).await, BACKOFF * 2);
    let ten_years = Duration::from_secs(10 * 365 * 24 * 3600);
    assert_eq!(settled(ten_years).await, LONGEST_BACKOFF);
    assert_eq!(settled(Duration::MAX).await, LONGEST_BACKOFF);

    let gate = gate();
    let turn = gate.turn(far()).await.unwrap();
    turn.settle(Verdict::Throttled {
        retry_after: Some(BACKOFF * 2),
    });
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF * 2));
}

#[tokio::test(start_paused = true)]
async fn a_gate_with_a_long_back_off_of_its_own_keeps_it() {
    let hour = Duration::from_secs(3600);
    let gate = SearchGate::new(INTERVAL, hour);
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(hour));
    assert_eq!(gate.take_turn(far()).await, Err(Refusal::BackingOff(hour)),);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_under_way_beats_a_turn_that_is_due() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut due = caller(&gate, far());
    assert_pending!(due.poll());
    sleep(INTERVAL).await;
    assert!(due.is_woken());
    gate.throttled();
    assert_eq!(assert_ready_err!(due.poll()), Refusal::BackingOff(BACKOFF));
}
