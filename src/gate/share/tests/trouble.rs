//! Stores that are slow, out of reach, or have lost what they kept.

use std::{sync::atomic::Ordering::SeqCst, time::Duration};

use tokio::time::{Instant, sleep};

use super::store::InMemory;
use crate::gate::{BACKOFF, MIN_INTERVAL, Verdict, WhileUnreachable};

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

fn throttled() -> Verdict {
    Verdict::Throttled { retry_after: None }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_late_is_given_back_for_a_fresh_one() {
    let store = InMemory::new();
    let gate = store.gate();
    store.takes(millis(200));
    let turn = tokio::spawn({
        let gate = gate.clone();
        async move { gate.take_turn(far()).await.map(|()| Instant::now()) }
    });
    sleep(millis(100)).await;
    store.takes(millis(1));
    let used = turn.await.unwrap().unwrap();
    let given = store.starts.lock().unwrap().clone();
    assert_eq!(given.len(), 2);
    assert!(used - given[1] <= millis(2));
}

#[tokio::test(start_paused = true)]
async fn who_comes_after_its_deadline_is_refused_by_the_store_too() {
    let gate = InMemory::new().gate();
    let refused = gate.turn(Instant::now() - millis(10)).await.unwrap_err();
    assert!(refused.is_past_deadline());
}

#[tokio::test(start_paused = true)]
async fn at_a_short_interval_a_turn_comes_late_after_an_eighth_of_it() {
    for (way, given) in [(49, 1), (51, 4)] {
        let store = InMemory::new();
        let gate = store.gate_with(|gate| gate.interval(millis(800)));
        store.takes(millis(way));
        gate.take_turn(far()).await.unwrap();
        assert_eq!(store.starts.lock().unwrap().len(), given);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_always_slow_still_gives_turns() {
    let store = InMemory::new();
    let gate = store.gate();
    store.takes(millis(200));
    gate.take_turn(far()).await.unwrap();
    gate.take_turn(far()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_process_paces_itself_while_the_store_is_out_of_reach() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    let mut last = Instant::now();
    store.is_down.store(true, SeqCst);
    for _ in 0..5 {
        gate.take_turn(far()).await.unwrap();
        assert!(last.elapsed() >= MIN_INTERVAL);
        assert!(gate.snapshot().out_of_reach);
        last = Instant::now();
    }
    store.is_down.store(false, SeqCst);
    for _ in 0..3 {
        gate.take_turn(far()).await.unwrap();
        assert!(last.elapsed() >= MIN_INTERVAL, "{:?}", last.elapsed());
        last = Instant::now();
    }
    assert!(!gate.snapshot().out_of_reach);
    assert!(store.starts.lock().unwrap().len() > 1);
}

#[tokio::test(start_paused = true)]
async fn a_back_off_holds_while_the_store_is_out_of_reach_and_when_it_is_back() {
    let store = InMemory::new();
    let (gate, other) = (store.gate(), store.gate());
    store.is_down.store(true, SeqCst);
    gate.take_turn(far()).await.unwrap();
    gate.throttled();
    assert!(gate.turn(far()).await.unwrap_err().is_backing_off());
    store.is_down.store(false, SeqCst);
    other.take_turn(far()).await.unwrap();
    sleep(millis(3000)).await;
    assert!(gate.turn(far()).await.unwrap_err().is_backing_off());
    // Told by what the process remembers.
    let refused = other.turn(far()).await.unwrap_err();
    assert!(refused.is_backing_off());
    let left = refused.retry_after();
    assert!(BACKOFF - left <= millis(4000), "{left:?}");
}

#[tokio::test(start_paused = true)]
async fn a_back_off_that_could_not_be_told_holds_though_others_have_counted_more() {
    let store = InMemory::new();
    let (gate, other) = (store.gate(), store.gate());
    for _ in 0..2 {
        other.turn(far()).await.unwrap().settle(throttled());
        sleep(BACKOFF).await;
    }
    other.turn(far()).await.unwrap().settle(throttled());
    sleep(BACKOFF / 2).await;
    store.is_down.store(true, SeqCst);
    // It has never heard of the others' rounds.
    gate.throttled();
    sleep(millis(10)).await;
    store.is_down.store(false, SeqCst);
    sleep(BACKOFF / 2).await;
    let refused = gate.turn(far()).await.unwrap_err();
    assert!(refused.is_backing_off(), "{refused}");
    assert!(other.turn(far()).await.unwrap_err().is_backing_off());
}

#[tokio::test(start_paused = true)]
async fn a_reset_holds_here_until_the_store_is_back() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.throttled();
    store.is_down.store(true, SeqCst);
    gate.reset();
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(false, SeqCst);
    sleep(millis(3000)).await;
    assert!(gate.turn(far()).await.unwrap_err().is_backing_off());
    gate.reset();
    gate.take_turn(far()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_is_told_to_refuses_while_the_store_is_out_of_reach() {
    let store = InMemory::new();
    let gate = store.gate_with(|gate| gate.while_unreachable(WhileUnreachable::Refuse));
    store.is_down.store(true, SeqCst);
    let refused = gate.turn(far()).await.unwrap_err();
    assert!(refused.is_unreachable());
    assert_eq!(refused.retry_after(), Duration::from_secs(2));
    store.is_down.store(false, SeqCst);
    sleep(refused.retry_after()).await;
    gate.take_turn(far()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_out_of_reach_is_tried_by_one_caller_at_a_time() {
    let store = InMemory::new();
    let gate = store.gate_with(|gate| gate.while_unreachable(WhileUnreachable::Refuse));
    store.is_down.store(true, SeqCst);
    store.takes(millis(50));
    let refused = gate.turn(far()).await.unwrap_err();
    sleep(refused.retry_after()).await;
    let (tries, other) = tokio::join!(gate.turn(far()), gate.turn(far()));
    assert!(tries.unwrap_err().is_unreachable() && other.unwrap_err().is_unreachable());
    assert_eq!(store.orders(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_has_lost_its_state_lets_nothing_through_early() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    let last = Instant::now();
    store.forgets();
    gate.take_turn(far()).await.unwrap();
    let gap = last.elapsed();
    assert!(gap >= MIN_INTERVAL - millis(10), "{gap:?}");

    gate.throttled();
    store.forgets();
    let refused = gate.turn(far()).await.unwrap_err();
    assert_eq!(refused.retry_after(), BACKOFF);
}

#[tokio::test(start_paused = true)]
async fn what_a_store_is_told_that_has_lost_it_is_less_by_what_clocks_may_drift() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.throttled();
    let passed = BACKOFF / 2;
    sleep(passed).await;
    store.forgets();
    gate.turn(far()).await.unwrap_err();
    let left = BACKOFF - passed - passed / 256 - millis(1);
    assert_eq!(gate.backoff_left(), Some(left));
}

#[tokio::test(start_paused = true)]
async fn callers_who_wait_alone_go_back_to_the_store_when_it_is_back() {
    let store = InMemory::new();
    let gate = store.gate();
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(true, SeqCst);
    let callers: Vec<_> = (0..6)
        .map(|_| {
            let gate = gate.clone();
            tokio::spawn(async move {
                gate.take_turn(far()).await.unwrap();
                Instant::now()
            })
        })
        .collect();
    sleep(2 * MIN_INTERVAL).await;
    store.is_down.store(false, SeqCst);
    let mut starts = Vec::new();
    for caller in callers {
        starts.push(caller.await.unwrap());
    }
    starts.sort_unstable();
    let gaps: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let least = MIN_INTERVAL - millis(10);
    assert!(gaps.iter().all(|gap| *gap >= least), "{gaps:?}");
    assert!(store.starts.lock().unwrap().len() >= 3);
}
