//! How long the gate backs off: the first time, when the trial after a back-off is refused too, and when the provider says for how long.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, Backoff, LONGEST_BACKOFF, SearchGate, Verdict};
use support::{INTERVAL, THROTTLED, back_off_once, caller, far, gate, turn, wait_out, within};
use tokio::time::{advance, sleep};
use tokio_test::{assert_pending, assert_ready_ok};

const FIRST: Duration = Duration::from_secs(10);
const CAP: Duration = Duration::from_secs(100);

/// 10 s, 30 s, 90 s, 100 s, 100 s, …
fn growing() -> SearchGate {
    gate_with(Backoff::new(FIRST).factor(3.0).cap(CAP))
}

fn gate_with(backoff: Backoff) -> SearchGate {
    let builder = SearchGate::builder().interval(INTERVAL).backoff(backoff);
    builder.build().unwrap()
}

/// Waits out the back-off, if there is one, and has the next request throttled.
async fn refuse_next(gate: &SearchGate) -> Duration {
    if gate.backoff_left().is_some() {
        wait_out(gate).await;
    }
    turn(gate).await.settle(THROTTLED);
    gate.backoff_left().unwrap()
}

async fn refuse_many(gate: &SearchGate, count: usize) -> Vec<u64> {
    let mut lengths = Vec::new();
    for _ in 0..count {
        lengths.push(refuse_next(gate).await.as_secs());
    }
    lengths
}

#[tokio::test(start_paused = true)]
async fn a_fixed_back_off_stays_as_it_is() {
    assert_eq!(refuse_many(&gate(), 4).await, [60; 4]);
    assert_eq!(refuse_many(&gate_with(FIRST.into()), 4).await, [10; 4]);
}

#[tokio::test(start_paused = true)]
async fn a_back_off_grows_by_its_factor_up_to_its_cap_while_its_trials_are_refused() {
    let gate = growing();
    assert_eq!(refuse_many(&gate, 5).await, [10, 30, 90, 100, 100]);
    assert_eq!(gate.snapshot().streak, 5);
}

#[tokio::test(start_paused = true)]
async fn duckduckgos_begins_with_a_minute_and_doubles_to_a_quarter_of_an_hour() {
    let gate = gate_with(Backoff::duckduckgo());
    let lengths = refuse_many(&gate, 6).await;
    assert_eq!(lengths, [60, 120, 240, 480, 900, 900]);
    let process_wide = SearchGate::duckduckgo();
    assert_eq!(refuse_many(&process_wide, 3).await, [60, 120, 240]);
    process_wide.reset();
}

#[tokio::test(start_paused = true)]
async fn a_back_off_does_not_grow_once_its_trial_was_answered() {
    let gate = growing();
    refuse_many(&gate, 2).await;
    wait_out(&gate).await;
    turn(&gate).await.settle(Verdict::Answered);
    // Nor does one answer take back what two refusals have shown.
    assert_eq!(refuse_many(&gate, 2).await, [30, 90]);
}

#[tokio::test(start_paused = true)]
async fn a_back_off_grows_past_trials_of_which_nothing_is_known() {
    let gate = growing();
    back_off_once(&gate).await;
    drop(turn(&gate).await);
    turn(&gate).await.settle(Verdict::Unknown);
    assert_eq!(refuse_next(&gate).await, FIRST * 3);
}

#[tokio::test(start_paused = true)]
async fn the_growth_is_forgotten_when_the_gate_has_stood_open_for_as_long_as_the_cap() {
    for (open_for, streak, next) in [
        (CAP - Duration::from_nanos(1), 2, FIRST * 9),
        (CAP, 0, FIRST),
    ] {
        let gate = growing();
        refuse_many(&gate, 2).await;
        wait_out(&gate).await;
        advance(open_for).await;
        assert_eq!(gate.snapshot().streak, streak);
        assert_eq!(refuse_next(&gate).await, next, "open for {open_for:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reset_opens_the_gate_and_forgets_the_growth() {
    let gate = growing();
    refuse_many(&gate, 3).await;
    sleep(INTERVAL * 5).await;
    gate.reset();
    assert_eq!(gate.backoff_left(), None);
    let open = gate.snapshot();
    assert_eq!((open.streak, open.on_trial), (0, false));
    assert_eq!(open.next_turn, Duration::ZERO);
    assert_ready_ok!(caller(&gate, within(Duration::ZERO)).poll());
    assert_eq!(refuse_next(&gate).await, FIRST);
}

#[tokio::test(start_paused = true)]
async fn a_reset_brings_no_two_starts_closer_together() {
    let gate = growing();
    refuse_next(&gate).await;
    gate.reset();
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
    let mut next = caller(&gate, far());
    assert_pending!(next.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(next.poll());
}

#[tokio::test(start_paused = true)]
async fn the_providers_wish_lengthens_one_step_and_not_those_after_it() {
    let gate = growing();
    turn(&gate).await.settle(Verdict::Throttled {
        retry_after: Some(FIRST * 5),
    });
    assert_eq!(gate.backoff_left(), Some(FIRST * 5));
    assert_eq!(refuse_next(&gate).await, FIRST * 3);
}

#[tokio::test(start_paused = true)]
async fn the_providers_wish_shortens_no_step_and_has_a_bound() {
    for (wish, length) in [
        (Duration::ZERO, FIRST * 3),
        (FIRST, FIRST * 3),
        (FIRST * 3, FIRST * 3),
        (FIRST * 4, FIRST * 4),
        (LONGEST_BACKOFF, LONGEST_BACKOFF),
        (LONGEST_BACKOFF * 2, LONGEST_BACKOFF),
        (Duration::MAX, LONGEST_BACKOFF),
    ] {
        let gate = growing();
        refuse_next(&gate).await;
        wait_out(&gate).await;
        turn(&gate).await.settle(Verdict::Throttled {
            retry_after: Some(wish),
        });
        assert_eq!(gate.backoff_left(), Some(length), "{wish:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_bound_of_the_providers_wish_is_the_gates_own_cap_where_that_is_longer() {
    let hour = Duration::from_secs(3600);
    let gate = gate_with(Backoff::new(FIRST).cap(hour));
    turn(&gate).await.settle(Verdict::Throttled {
        retry_after: Some(hour * 2),
    });
    assert_eq!(gate.backoff_left(), Some(hour));
}

#[tokio::test(start_paused = true)]
async fn chance_makes_a_back_off_longer_by_its_share_at_most_and_not_always_alike() {
    let lengths: Vec<_> = (0..200)
        .map(|_| {
            let gate = gate_with(Backoff::new(FIRST).jitter(0.5));
            gate.throttled();
            gate.backoff_left().unwrap()
        })
        .collect();
    let bounds = FIRST..FIRST + FIRST / 2;
    assert!(lengths.iter().all(|length| bounds.contains(length)));
    assert!(lengths.iter().any(|length| *length != lengths[0]));
}

#[tokio::test(start_paused = true)]
async fn chance_makes_no_back_off_longer_than_the_cap() {
    let cap = FIRST + FIRST / 10;
    for _ in 0..100 {
        let gate = gate_with(Backoff::new(FIRST).cap(cap).jitter(1.0));
        gate.throttled();
        let length = gate.backoff_left().unwrap();
        assert!((FIRST..=cap).contains(&length), "{length:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_factor_hardly_over_one_is_borne() {
    let gate = gate_with(Backoff::new(BACKOFF).factor(1.0 + 1e-10));
    gate.throttled();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
}
