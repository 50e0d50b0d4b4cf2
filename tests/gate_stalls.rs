//! A caller that has been polled and then is not polled any more (its task is busy elsewhere) stalls nobody for long.

mod support;

use std::time::Duration;

use search_gate::SearchGate;
use support::{Calls, GRACE, INTERVAL, caller, far, gate};
use tokio::time::{Instant, advance, sleep};
use tokio_test::{assert_pending, assert_ready_ok};

/// One caller goes, so many are polled once and parked, and then so many come in tasks of their own.
async fn starts_behind_parked(parked: usize, live: usize) -> Vec<Duration> {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut heads: Vec<_> = (0..parked).map(|_| caller(&gate, far())).collect();
    for head in &mut heads {
        assert_pending!(head.poll());
    }
    let mut calls = Calls::new(&gate);
    calls.call_many(live).await;
    let starts = calls.starts().await;
    assert!(starts.is_sorted_by_key(|&(who, _)| who));
    starts.into_iter().map(|(_, at)| at).collect()
}

#[tokio::test(start_paused = true)]
async fn a_parked_head_costs_those_behind_it_its_grace_once() {
    let starts = starts_behind_parked(1, 3).await;
    let first = INTERVAL + GRACE;
    assert_eq!(starts, [first, first + INTERVAL, first + INTERVAL * 2]);
}

#[tokio::test(start_paused = true)]
async fn parked_callers_cost_those_behind_them_no_more_than_their_own_turns_would_have() {
    for parked in 2..=6 {
        let starts = starts_behind_parked(parked, 3).await;
        for (place, start) in starts.iter().enumerate() {
            let promised = INTERVAL * (1 + parked + place) as u32;
            assert!(*start <= promised, "{parked} parked: {starts:?}");
        }
        let gaps = starts.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.eq([INTERVAL; 2]), "{parked} parked: {starts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_passes_parked_callers_whose_grace_is_spent() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut parked: Vec<_> = (0..5).map(|_| caller(&gate, far())).collect();
    for head in &mut parked {
        assert_pending!(head.poll());
    }
    sleep(INTERVAL * 5 + GRACE * 2).await;
    assert_ready_ok!(caller(&gate, far()).poll());
}

#[tokio::test(start_paused = true)]
async fn nobody_is_passed_over_within_its_grace() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (mut head, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(head.poll());
    assert_pending!(second.poll());
    sleep(INTERVAL + GRACE - Duration::from_millis(1)).await;
    assert_pending!(second.poll());
    assert_pending!(caller(&gate, far()).poll());
    assert_ready_ok!(head.poll());
}

#[tokio::test(start_paused = true)]
async fn a_parked_head_that_comes_back_goes_first_when_a_turn_is_due() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let [mut parked, mut second, mut third] = [(); 3].map(|()| caller(&gate, far()));
    for waiting in [&mut parked, &mut second, &mut third] {
        assert_pending!(waiting.poll());
    }
    sleep(INTERVAL + GRACE).await;
    assert_ready_ok!(second.poll());
    assert_pending!(parked.poll());
    sleep(INTERVAL).await;
    assert_pending!(third.poll());
    assert_ready_ok!(parked.poll());
    sleep(INTERVAL).await;
    assert_ready_ok!(third.poll());
}

#[tokio::test(start_paused = true)]
async fn a_parked_head_that_comes_back_to_a_turn_that_is_due_goes_at_once() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (mut parked, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(parked.poll());
    assert_pending!(second.poll());
    advance(INTERVAL * 10).await;
    assert_ready_ok!(parked.poll());
    assert_pending!(second.poll());
}

#[tokio::test(start_paused = true)]
async fn a_head_woken_by_one_that_left_and_then_parked_stalls_nobody() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let begun = Instant::now();
    let [mut leaver, mut parked] = [(); 2].map(|()| caller(&gate, far()));
    assert_pending!(leaver.poll());
    assert_pending!(parked.poll());
    let mut calls = Calls::new(&gate);
    calls.call_many(2).await;
    sleep(INTERVAL).await;
    drop(leaver);
    assert!(parked.is_woken());
    let starts = calls.starts().await;
    let first = INTERVAL + GRACE;
    assert_eq!(starts, [(0, first), (1, first + INTERVAL)]);
    assert_eq!(begun.elapsed(), first + INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_parked_caller_that_was_passed_over_changes_nothing() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (mut parked, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(parked.poll());
    assert_pending!(second.poll());
    sleep(INTERVAL + GRACE).await;
    assert_ready_ok!(second.poll());
    assert_eq!(gate.snapshot().queued, 0);
    let before = gate.snapshot().next_turn;
    drop(parked);
    assert_eq!(gate.snapshot().next_turn, before);
}

#[tokio::test(start_paused = true)]
async fn the_grace_of_a_fine_interval_leaves_room_for_a_busy_machine() {
    let gate = SearchGate::new(Duration::from_millis(10), Duration::from_secs(1));
    gate.take_turn(far()).await.unwrap();
    let (mut head, mut second) = (caller(&gate, far()), caller(&gate, far()));
    assert_pending!(head.poll());
    assert_pending!(second.poll());
    advance(Duration::from_millis(110)).await;
    assert_pending!(second.poll());
    assert_ready_ok!(head.poll());
}

#[tokio::test(start_paused = true)]
async fn once_all_of_a_busy_task_have_been_polled_again_their_order_is_restored() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut busy: Vec<_> = (0..4).map(|_| caller(&gate, far())).collect();
    for waiting in &mut busy {
        assert_pending!(waiting.poll());
    }
    advance(INTERVAL * 20).await;
    // Polled back to front, one after the other, whenever one of them may go.
    let mut order = Vec::new();
    while order.len() < busy.len() {
        for (who, waiting) in busy.iter_mut().enumerate().rev() {
            if !order.contains(&who) && waiting.poll().is_ready() {
                order.push(who);
            }
        }
        sleep(INTERVAL).await;
    }
    // The first to be polled finds everyone before it late. From then on all have been heard of.
    assert_eq!(order, [3, 0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn parked_heads_do_not_hold_up_one_whose_neighbours_leave() {
    for parked in 1..=3 {
        let gate = gate();
        gate.take_turn(far()).await.unwrap();
        let mut heads: Vec<_> = (0..parked).map(|_| caller(&gate, far())).collect();
        let mut leavers: Vec<_> = (0..20).map(|_| caller(&gate, far())).collect();
        for waiting in heads.iter_mut().chain(&mut leavers) {
            assert!(waiting.poll().is_pending());
        }
        let mut calls = Calls::new(&gate);
        calls.call(far()).await;
        drop(leavers);
        let starts = calls.starts().await;
        let latest = INTERVAL * (parked + 1) + GRACE;
        assert!(starts[0].1 <= latest, "{parked} parked: {starts:?}");
    }
}
