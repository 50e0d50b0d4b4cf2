//! A burst lets a few go at once after quiet; on average they start no more often than the interval allows.

mod support;

use std::time::Duration;

use search_gate::{SearchGate, Verdict};
use support::{Calls, INTERVAL, THROTTLED, caller, far, turn, wait_out, within};
use tokio::time::{Instant, sleep};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};

fn gate(burst: u32) -> SearchGate {
    let builder = SearchGate::builder().interval(INTERVAL).burst(burst);
    builder.build().unwrap()
}

/// How many go at once now.
fn go_at_once(gate: &SearchGate) -> usize {
    let at_once = || caller(gate, far()).poll().is_ready();
    (0..100).take_while(|_| at_once()).count()
}

#[tokio::test(start_paused = true)]
async fn so_many_go_at_once_after_quiet_and_then_one_each_interval() {
    for burst in 1..=5 {
        let mut calls = Calls::new(&gate(burst));
        calls.call_many(12).await;
        let turn = |who: usize| INTERVAL * (who as u32).saturating_sub(burst - 1);
        let expected: Vec<_> = (0..12).map(|who| (who, turn(who))).collect();
        assert_eq!(calls.starts().await, expected, "burst {burst}");
    }
}

#[tokio::test(start_paused = true)]
async fn quiet_gives_back_one_for_each_interval_and_no_more_than_the_burst() {
    let gate = gate(3);
    assert_eq!(go_at_once(&gate), 3);
    for (quiet, expected) in [(1, 1), (2, 2), (3, 3), (100, 3)] {
        sleep(INTERVAL * quiet).await;
        assert_eq!(go_at_once(&gate), expected, "after {quiet} intervals");
    }
}

#[tokio::test(start_paused = true)]
async fn over_any_time_no_more_start_than_the_average_and_the_burst_allow() {
    let burst = 3;
    let gate = gate(burst);
    let begun = Instant::now();
    let mut starts = Vec::new();
    // Quiet spells of all lengths, whole intervals and parts of them.
    for quiet in [
        0, 1, 7, 0, 0, 3, 12, 5, 0, 20, 1, 1, 0, 9, 4, 0, 0, 0, 2, 30, 0, 0,
    ] {
        sleep(INTERVAL / 4 * quiet).await;
        for _ in 0..3 {
            gate.take_turn(far()).await.unwrap();
            starts.push(begun.elapsed());
        }
    }
    for (first, start) in starts.iter().enumerate() {
        for (more, later) in starts[first..].iter().enumerate() {
            let least = INTERVAL * (more as u32).saturating_sub(burst - 1);
            assert!(
                *later - *start >= least,
                "{more} after {start:?}: {later:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_is_judged_by_what_the_burst_leaves() {
    let gate = gate(2);
    assert_eq!(go_at_once(&gate), 2);
    assert_ready_err!(caller(&gate, within(INTERVAL - Duration::from_nanos(1))).poll());
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
    let mut in_time = caller(&gate, within(INTERVAL));
    assert_pending!(in_time.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(in_time.poll());
}

#[tokio::test(start_paused = true)]
async fn no_burst_follows_a_back_off() {
    let gate = gate(4);
    turn(&gate).await.settle(THROTTLED);
    wait_out(&gate).await;
    let trial = turn(&gate).await;
    assert_eq!(go_at_once(&gate), 0);
    trial.settle(Verdict::Answered);
    assert_eq!(go_at_once(&gate), 0);
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
    // It is earned anew.
    sleep(INTERVAL * 3).await;
    assert_eq!(go_at_once(&gate), 3);
}

#[tokio::test(start_paused = true)]
async fn a_reset_gives_the_burst_back() {
    let gate = gate(4);
    turn(&gate).await.settle(THROTTLED);
    sleep(INTERVAL * 10).await;
    gate.reset();
    assert_eq!(go_at_once(&gate), 4);
}

#[tokio::test(start_paused = true)]
async fn an_interval_of_zero_bears_a_burst() {
    let builder = SearchGate::builder()
        .interval(Duration::ZERO)
        .burst(u32::MAX);
    assert_eq!(go_at_once(&builder.build().unwrap()), 100);
    let day = Duration::from_secs(24 * 3600);
    let builder = SearchGate::builder().interval(day).burst(u32::MAX);
    assert_eq!(go_at_once(&builder.build().unwrap()), 100);
}
