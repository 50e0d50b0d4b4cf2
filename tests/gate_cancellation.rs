//! A caller that gives up costs nobody anything: everyone behind it moves up, and nobody goes past them.

mod support;

use std::time::Duration;

use futures_util::future::{Either, select};
use support::{Calls, INTERVAL, caller, far, gate};
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_test::{assert_pending, assert_ready_ok};

/// One caller goes at once, five wait, and those named leave after a quarter of the interval.
async fn starts_without(leavers: &[usize]) -> Vec<(usize, Duration)> {
    let gate = gate();
    let mut calls = Calls::new(&gate);
    calls.call_many(6).await;
    sleep(INTERVAL / 4).await;
    for &who in leavers {
        calls.cancel(who).await;
    }
    let cancelled = leavers.len();
    assert_eq!(gate.snapshot().counts.cancelled, cancelled as u64);
    assert_eq!(gate.snapshot().queued, 5 - cancelled);
    calls.starts().await
}

fn evenly(callers: &[usize]) -> Vec<(usize, Duration)> {
    let paced = |(turn, &who)| (who, INTERVAL * turn as u32);
    callers.iter().enumerate().map(paced).collect()
}

#[tokio::test(start_paused = true)]
async fn whoever_leaves_the_others_move_up() {
    assert_eq!(starts_without(&[1]).await, evenly(&[0, 2, 3, 4, 5]));
    assert_eq!(starts_without(&[2]).await, evenly(&[0, 1, 3, 4, 5]));
    assert_eq!(starts_without(&[3]).await, evenly(&[0, 1, 2, 4, 5]));
    assert_eq!(starts_without(&[5]).await, evenly(&[0, 1, 2, 3, 4]));
}

#[tokio::test(start_paused = true)]
async fn several_leave_at_once() {
    assert_eq!(starts_without(&[1, 2]).await, evenly(&[0, 3, 4, 5]));
    assert_eq!(starts_without(&[2, 1, 4]).await, evenly(&[0, 3, 5]));
    assert_eq!(starts_without(&[1, 2, 3, 4]).await, evenly(&[0, 5]));
    assert_eq!(starts_without(&[5, 4, 3, 2]).await, evenly(&[0, 1]));
    assert_eq!(starts_without(&[1, 2, 3, 4, 5]).await, evenly(&[0]));
}

#[tokio::test(start_paused = true)]
async fn the_next_goes_in_the_moment_a_head_whose_turn_is_due_leaves() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (mut head, mut next) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(head.poll());
    assert_pending!(next.poll());
    sleep(INTERVAL + Duration::from_millis(100)).await;
    assert!(head.is_woken());
    assert!(!next.is_woken());
    drop(head);
    assert!(next.is_woken());
    assert_ready_ok!(next.poll());
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_does_not_pass_those_who_wait_when_the_head_leaves() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let [mut head, mut second, mut third] = [(); 3].map(|()| caller(&gate, far()));
    for waiting in [&mut head, &mut second, &mut third] {
        assert_pending!(waiting.poll());
    }
    sleep(INTERVAL).await;
    drop(head);
    let mut newcomer = caller(&gate, far());
    assert_pending!(newcomer.poll());
    assert_pending!(third.poll());
    assert_ready_ok!(second.poll());
    sleep(INTERVAL).await;
    assert_pending!(newcomer.poll());
    assert_ready_ok!(third.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(newcomer.poll());
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_was_granted_stays_spent() {
    let gate = gate();
    let turn = gate.turn(far()).await.unwrap();
    // Its request may be on its way.
    drop(turn);
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
    assert_eq!(gate.snapshot().counts.cancelled, 0);
}

#[tokio::test(start_paused = true)]
async fn when_the_last_one_leaves_the_gate_is_as_if_it_had_never_come() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut only = caller(&gate, far());
    assert_pending!(only.poll());
    drop(only);
    assert_eq!(gate.snapshot().queued, 0);
    assert_eq!(gate.snapshot().next_turn, INTERVAL);
    sleep(INTERVAL).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn who_leaves_and_comes_back_stands_at_the_end() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (mut first, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    drop(first);
    let mut again = caller(&gate, far());
    assert_pending!(again.poll());
    sleep(INTERVAL).await;
    assert_pending!(again.poll());
    assert_ready_ok!(second.poll());
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_a_turn_gives_its_place_up() {
    let gate = gate();
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    let mut calls = Calls::new(&gate);
    let given_up = timeout(INTERVAL / 2, gate.take_turn(far()));
    let others = async {
        calls.call_many(2).await;
        calls.starts().await
    };
    let (given_up, starts) = tokio::join!(biased; given_up, others);
    assert!(given_up.is_err());
    assert_eq!(starts, [(0, INTERVAL), (1, INTERVAL * 2)]);
    assert_eq!(begun.elapsed(), INTERVAL * 2);
}

#[tokio::test(start_paused = true)]
async fn the_loser_of_a_select_gives_its_place_up() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let one = Box::pin(gate.take_turn(far()));
    let other = Box::pin(gate.take_turn(far()));
    match select(one, other).await {
        Either::Left((won, lost)) => {
            won.unwrap();
            drop(lost);
        }
        Either::Right(_) => panic!("the second to be polled went first"),
    }
    sleep(INTERVAL).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_goes_down_takes_its_callers_places_with_it() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let elsewhere = gate.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut calls = Calls::new(&elsewhere);
            calls.call_many(10).await;
            assert_eq!(elsewhere.snapshot().queued, 10);
        });
    })
    .join()
    .unwrap();
    assert_eq!(gate.snapshot().queued, 0);
    advance(INTERVAL).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}
