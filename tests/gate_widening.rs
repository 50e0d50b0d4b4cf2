//! After a back-off a widened gate keeps twice the distance for some time.

mod support;

use std::time::Duration;

use search_gate::{BACKOFF, Refusal, SearchGate, SearchGateBuilder, Verdict, WhileBackingOff};
use support::{Calls, INTERVAL, THROTTLED, back_off_once, caller, far, turn, wait_out, within};
use tokio::time::{Instant, sleep};
use tokio_test::{assert_pending, assert_ready_err};

const WIDENING: Duration = Duration::from_secs(600);

fn builder() -> SearchGateBuilder {
    let builder = SearchGate::builder().interval(INTERVAL).backoff(BACKOFF);
    builder.widening(WIDENING)
}

/// Throttled once, its trial answered just now.
async fn widened(builder: SearchGateBuilder) -> SearchGate {
    let gate = builder.build().unwrap();
    back_off_once(&gate).await;
    turn(&gate).await.settle(Verdict::Answered);
    gate
}

#[tokio::test(start_paused = true)]
async fn the_interval_is_doubled_from_the_end_of_the_back_off_on() {
    let gate = widened(builder()).await;
    assert_eq!(gate.snapshot().interval, INTERVAL * 2);
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    gate.take_turn(far()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL * 4);
}

#[tokio::test(start_paused = true)]
async fn a_back_off_longer_than_the_widening_leaves_all_of_it() {
    let gate = builder().backoff(WIDENING * 2).build().unwrap();
    turn(&gate).await.settle(THROTTLED);
    wait_out(&gate).await;
    turn(&gate).await.settle(Verdict::Answered);
    assert_eq!(gate.snapshot().interval, INTERVAL * 2);
    assert_eq!(gate.snapshot().next_turn, INTERVAL * 2);
}

#[tokio::test(start_paused = true)]
async fn the_interval_is_the_old_one_when_the_time_is_over() {
    let gate = widened(builder()).await;
    sleep(WIDENING).await;
    assert_eq!(gate.snapshot().interval, INTERVAL);
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    gate.take_turn(far()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn looking_at_a_gate_does_not_change_when_the_next_may_start() {
    for looks in [false, true] {
        let gate = widened(builder()).await;
        // The last start of the widened time.
        sleep(WIDENING - INTERVAL / 2).await;
        gate.take_turn(far()).await.unwrap();
        let begun = Instant::now();
        sleep(INTERVAL).await;
        if looks {
            assert_eq!(gate.snapshot().next_turn, INTERVAL);
        }
        gate.take_turn(far()).await.unwrap();
        assert_eq!(begun.elapsed(), INTERVAL * 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_is_judged_by_the_intervals_of_those_ahead() {
    // Ten may start in the widened time, the first at once.
    let gate = widened(builder().widening(INTERVAL * 20)).await;
    let mut calls = Calls::new(&gate);
    calls.call_many(14).await;
    let last = INTERVAL * 20 + INTERVAL * 5;
    assert_eq!(gate.snapshot().next_turn, last);
    assert_ready_err!(caller(&gate, within(last - Duration::from_nanos(1))).poll());
    let mut in_time = caller(&gate, within(last));
    assert_pending!(in_time.poll());
    let starts = calls.starts().await;
    let wide = (1..=10).map(|turn| INTERVAL * 2 * turn);
    let usual = (1..=4).map(|turn| INTERVAL * (20 + turn));
    let expected: Vec<_> = wide.chain(usual).enumerate().collect();
    assert_eq!(starts, expected);
}

#[tokio::test(start_paused = true)]
async fn a_back_off_refuses_who_cannot_make_it_at_the_doubled_interval() {
    let gate = builder().while_backing_off(WhileBackingOff::Wait);
    let gate = gate.build().unwrap();
    let throttled = turn(&gate).await;
    let opens = Instant::now() + BACKOFF;
    let [mut head, mut hasty, mut patient] =
        [opens, opens + INTERVAL, opens + INTERVAL * 2].map(|deadline| caller(&gate, deadline));
    for waiter in [&mut head, &mut hasty, &mut patient] {
        assert_pending!(waiter.poll());
    }
    throttled.settle(THROTTLED);
    assert!(!head.is_woken() && hasty.is_woken() && !patient.is_woken());
    let refusal = assert_ready_err!(hasty.poll());
    assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_reset_ends_it() {
    let gate = widened(builder()).await;
    sleep(INTERVAL * 2).await;
    gate.reset();
    assert_eq!(gate.snapshot().interval, INTERVAL);
    gate.take_turn(far()).await.unwrap();
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_gate_is_not_widened_unless_it_was_set_to() {
    let gate = support::gate();
    back_off_once(&gate).await;
    assert_eq!(gate.snapshot().interval, INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_burst_keeps_the_doubled_average() {
    let gate = widened(builder().burst(3)).await;
    sleep(INTERVAL * 10).await;
    let mut calls = Calls::new(&gate);
    calls.call_many(8).await;
    let starts = calls.starts().await;
    for (first, &(_, start)) in starts.iter().enumerate() {
        for (more, &(_, later)) in starts[first..].iter().enumerate() {
            let least = (INTERVAL * 2 * more as u32).saturating_sub(INTERVAL * 2);
            assert!(later - start >= least, "{starts:?}");
        }
    }
    assert_eq!(starts[1].1, Duration::ZERO);
}
