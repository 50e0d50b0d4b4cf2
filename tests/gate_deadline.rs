//! A turn that would start after its deadline is refused as soon as that is known, and holds up nobody.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, LONGEST_BACKOFF, Refusal, SearchGate, time_left};
use support::{Calls, GRACE, INTERVAL, caller, far, gate, within};
use tokio::time::{Instant, advance, sleep, sleep_until};
use tokio_test::{assert_pending, assert_ready_eq, assert_ready_err, assert_ready_ok};

const MILLISECOND: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn a_turn_beyond_the_deadline_is_refused_at_entry_and_reserves_nothing() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut queued = caller(&gate, far());
    assert_pending!(queued.poll());
    let before = gate.snapshot();
    for short in [INTERVAL * 2 - MILLISECOND, INTERVAL, Duration::ZERO] {
        assert_ready_eq!(
            caller(&gate, within(short)).poll(),
            Err(Refusal::PastDeadline)
        );
    }
    let after = gate.snapshot();
    assert_eq!(after.queued, before.queued);
    assert_eq!(after.next_turn, before.next_turn);
    assert_eq!(after.counts.refused_past_deadline, 3);
    // The place that they did not get is still to be had.
    let mut punctual = caller(&gate, within(INTERVAL * 2));
    assert_pending!(punctual.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(queued.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(punctual.poll());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_exactly_at_the_turn_is_granted() {
    let gate = gate();
    let begun = Instant::now();
    let mut calls = Calls::new(&gate);
    for turn in 0..10 {
        calls.call(begun + INTERVAL * turn).await;
    }
    let expected: Vec<_> = (0..10).map(|who| (who, INTERVAL * who as u32)).collect();
    assert_eq!(calls.starts().await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_at_the_turn_is_granted_however_fine_the_interval() {
    for micros in [1, 250, 999, 1_001, 2_345] {
        let interval = Duration::from_micros(micros);
        let gate = SearchGate::new(interval, BACKOFF);
        let begun = Instant::now();
        gate.take_turn(begun).await.unwrap();
        gate.take_turn(begun + interval).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_past_deadline_is_refused_even_when_the_gate_is_open() {
    let gate = gate();
    sleep(INTERVAL).await;
    let past = Instant::now() - MILLISECOND;
    assert_ready_eq!(caller(&gate, past).poll(), Err(Refusal::PastDeadline));
    assert_ready_ok!(caller(&gate, Instant::now()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_from_before_the_gate_was_made_is_refused() {
    let early = Instant::now();
    sleep(INTERVAL).await;
    assert_ready_eq!(caller(&gate(), early).poll(), Err(Refusal::PastDeadline));
}

#[tokio::test(start_paused = true)]
async fn a_back_off_is_told_before_a_deadline_that_has_passed() {
    let gate = gate();
    gate.throttled();
    let past = Instant::now() - MILLISECOND;
    assert_ready_eq!(
        caller(&gate, past).poll(),
        Err(Refusal::BackingOff(BACKOFF))
    );
}

#[tokio::test(start_paused = true)]
async fn a_deadline_beyond_the_queue_is_judged_by_the_queue_of_that_moment() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut ahead = caller(&gate, far());
    assert_pending!(ahead.poll());
    let deadline = within(INTERVAL * 3 / 2);
    assert_ready_err!(caller(&gate, deadline).poll());
    drop(ahead);
    let mut again = caller(&gate, deadline);
    assert_pending!(again.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(again.poll());
}

#[tokio::test(start_paused = true)]
async fn behind_stalled_callers_a_waiter_is_refused_by_its_deadline_at_the_latest() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut stalled: Vec<_> = (0..3).map(|_| caller(&gate, far())).collect();
    for head in &mut stalled {
        assert_pending!(head.poll());
    }
    let deadline = within(INTERVAL * 4);
    let mut calls = Calls::new(&gate);
    calls.call(deadline).await;
    // Each of those ahead comes as late as it may, so that nobody passes it.
    for head in &mut stalled {
        sleep(INTERVAL + GRACE - 2 * MILLISECOND).await;
        assert_ready_ok!(head.poll());
    }
    sleep_until(deadline + MILLISECOND).await;
    let told = calls.told();
    assert_eq!(told.len(), 1, "no answer by the deadline");
    assert_eq!(told[0].answer, Err(Refusal::PastDeadline));
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_wakes_after_its_deadline_is_refused_and_spends_nothing() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut overslept = caller(&gate, within(INTERVAL * 2));
    assert_pending!(overslept.poll());
    advance(INTERVAL * 3).await;
    assert_ready_eq!(overslept.poll(), Err(Refusal::PastDeadline));
    assert_ready_ok!(caller(&gate, far()).poll());
}

/// The last moment that an `Instant` can tell.
fn end_of_time() -> Instant {
    let seconds = (0..64).map(|bit| Duration::from_secs(1 << bit));
    let fraction = (0..30).map(|bit| Duration::from_nanos(1 << bit));
    fraction
        .chain(seconds)
        .rev()
        .fold(Instant::now(), |time, step| {
            time.checked_add(step).unwrap_or(time)
        })
}

#[tokio::test(start_paused = true)]
async fn waits_and_deadlines_of_any_length_are_borne() {
    let lengths = [Duration::MAX, Duration::from_nanos(1), Duration::ZERO];
    for (interval, backoff) in lengths
        .map(|one| lengths.map(|other| (one, other)))
        .concat()
    {
        let gate = SearchGate::new(interval, backoff);
        assert_ready_ok!(caller(&gate, end_of_time()).poll());
        for deadline in [end_of_time(), far(), end_of_time()] {
            let mut waiting = caller(&gate, deadline);
            if waiting.poll().is_pending() {
                advance(Duration::from_secs(3600)).await;
                let _ = waiting.poll();
            }
        }
        gate.throttled();
        let shown = format!("{gate:?}");
        assert!(shown.contains("throttled: 1"), "{shown}");
        if backoff == Duration::MAX {
            assert!(gate.backoff_left() > Some(LONGEST_BACKOFF));
            assert_ready_err!(caller(&gate, end_of_time()).poll());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_left_is_the_limit_or_what_the_deadline_leaves() {
    let limit = Duration::from_secs(30);
    assert_eq!(time_left(within(limit * 2), limit), limit);
    assert_eq!(time_left(within(limit / 2), limit), limit / 2);
    assert_eq!(time_left(Instant::now(), limit), Duration::ZERO);
    assert_eq!(time_left(Instant::now() - limit, limit), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn deep_in_the_queue_too_it_ends_the_wait() {
    let gate = SearchGate::builder().interval(Duration::ZERO);
    let gate = gate.max_in_flight(1).build().unwrap();
    let _out = gate.turn(far()).await.unwrap();
    let mut ahead: Vec<_> = (0..8).map(|_| caller(&gate, far())).collect();
    for waiter in &mut ahead {
        assert_pending!(waiter.poll());
    }
    let mut deep = caller(&gate, within(INTERVAL));
    assert_pending!(deep.poll());
    sleep(INTERVAL + MILLISECOND).await;
    assert!(deep.is_woken());
    assert_ready_eq!(deep.poll(), Err(Refusal::PastDeadline));
    assert_eq!(gate.snapshot().queued, ahead.len());
}
