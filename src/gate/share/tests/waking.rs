//! Callers who sleep until they are to look at the store: woken when there is something new, and not remembered when they are gone.

use std::{
    sync::{Arc, atomic::Ordering::SeqCst},
    task::{Context, Wake, Waker},
    time::Duration,
};

use tokio::time::{Instant, sleep};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};

use super::store::InMemory;
use crate::gate::{MIN_INTERVAL, SearchGate, Turn, TurnError};

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

/// A gate whose next turn is not due.
async fn busy() -> SearchGate {
    let gate = InMemory::new().gate();
    gate.take_turn(far()).await.unwrap();
    gate
}

struct Nothing;

impl Wake for Nothing {
    fn wake(self: Arc<Self>) {}
}

#[tokio::test(start_paused = true)]
async fn who_is_polled_by_another_task_is_woken_there() {
    let gate = busy().await;
    let mut waits = Box::pin(gate.turn(far()));
    let mut here = task::spawn(waits.as_mut());
    assert_pending!(here.poll());
    drop(here);
    let mut there = task::spawn(waits.as_mut());
    assert_pending!(there.poll());
    gate.throttled();
    assert!(there.is_woken());
    assert_ready_err!(there.poll());
}

#[tokio::test(start_paused = true)]
async fn who_hears_of_a_back_off_tells_all_callers_of_its_process() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.take_turn(far()).await.unwrap();
    let waiting: Vec<_> = (0..10)
        .map(|_| {
            let gate = other.clone();
            tokio::spawn(async move { gate.turn(far()).await.map(drop) })
        })
        .collect();
    sleep(Duration::from_millis(1)).await;
    one.throttled();
    assert!(waiting.iter().all(|caller| !caller.is_finished()));
    other.turn(far()).await.unwrap_err();
    sleep(Duration::from_millis(1)).await;
    for caller in waiting {
        assert!(caller.is_finished());
        assert!(caller.await.unwrap().unwrap_err().is_backing_off());
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_back_is_offered_to_who_waits_in_the_same_process() {
    let gate = InMemory::new();
    let gate = gate.gate_with(|gate| gate.interval(Duration::ZERO).max_in_flight(1));
    let out = gate.turn(far()).await.unwrap();
    let mut waits = task::spawn(gate.turn(far()));
    assert_pending!(waits.poll());
    drop(out);
    assert!(waits.is_woken());
    drop(assert_ready_ok!(waits.poll()));
}

#[tokio::test(start_paused = true)]
async fn a_new_interval_holds_for_those_who_wait_at_once() {
    let gate = busy().await;
    let mut waits = task::spawn(gate.turn(far()));
    assert_pending!(waits.poll());
    gate.set_interval(Duration::ZERO).unwrap();
    assert!(waits.is_woken());
    drop(assert_ready_ok!(waits.poll()));
}

#[tokio::test(start_paused = true)]
async fn who_goes_from_another_process_leaves_no_turn_idle() {
    let store = InMemory::new();
    let (one, other) = (store.gate(), store.gate());
    one.take_turn(far()).await.unwrap();
    let begun = Instant::now();
    let mut leaves = task::spawn(one.turn(far()));
    assert_pending!(leaves.poll());
    let mut stays = task::spawn(other.turn(far()));
    assert_pending!(stays.poll());
    drop(leaves);
    drop(stays.await.unwrap());
    assert!(begun.elapsed() <= MIN_INTERVAL + Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn a_turn_on_its_way_to_who_has_gone_keeps_nobody_waiting() {
    let store = InMemory::new();
    let gate = store.gate_with(|gate| gate.interval(Duration::ZERO).max_in_flight(1));
    store.takes(Duration::from_millis(5));
    let mut leaves = task::spawn(gate.turn(far()));
    assert_pending!(leaves.poll());
    drop(leaves);
    sleep(Duration::from_millis(1)).await;
    let begun = Instant::now();
    drop(gate.turn(far()).await.unwrap());
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_turn_on_its_way_to_who_has_gone_is_given_back_only_where_others_wait_for_its_end() {
    for (turns_in_flight, orders) in [(None, 1), (Some(1), 2)] {
        let store = InMemory::new();
        let gate = store.gate_with(|gate| match turns_in_flight {
            Some(turns) => gate.max_in_flight(turns),
            None => gate,
        });
        store.takes(Duration::from_millis(5));
        let mut leaves = task::spawn(gate.turn(far()));
        assert_pending!(leaves.poll());
        drop(leaves);
        sleep(Duration::from_secs(1)).await;
        assert_eq!(store.starts.lock().unwrap().len(), 1);
        assert_eq!(store.orders(), orders);
    }
}

#[tokio::test(start_paused = true)]
async fn who_goes_while_the_store_is_out_of_reach_keeps_no_place() {
    let store = InMemory::new();
    let gate = store.gate();
    store.is_down.store(true, SeqCst);
    gate.take_turn(far()).await.unwrap();
    let mut leaves = task::spawn(gate.turn(far()));
    assert_pending!(leaves.poll());
    assert_eq!(gate.snapshot().queued, 1);
    drop(leaves);
    assert_eq!(gate.snapshot().queued, 0);
    assert_eq!(gate.snapshot().counts.cancelled, 1);
}

#[tokio::test(start_paused = true)]
async fn those_behind_the_first_look_when_it_has_had_time_to_go() {
    let store = InMemory::new();
    store.gate().take_turn(far()).await.unwrap();
    for _ in 0..2 {
        let gate = store.gate();
        tokio::spawn(async move { gate.take_turn(far()).await });
        sleep(Duration::from_millis(1)).await;
    }
    let orders = store.orders();
    sleep(MIN_INTERVAL - Duration::from_millis(1)).await;
    assert_eq!(store.starts.lock().unwrap().len(), 2);
    assert_eq!(store.orders(), orders + 1);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(store.orders(), orders + 2);
}

/// One that has begun to wait in its process, whose store may be tried again.
async fn waits_until_the_store_is_back<'a>(
    store: &InMemory,
    gate: &'a SearchGate,
) -> task::Spawn<impl Future<Output = Result<Turn, TurnError>> + use<'a>> {
    gate.take_turn(far()).await.unwrap();
    store.is_down.store(true, SeqCst);
    let mut waits = task::spawn(gate.turn(far()));
    assert_pending!(waits.poll());
    store.is_down.store(false, SeqCst);
    sleep(Duration::from_secs(2)).await;
    waits
}

#[tokio::test(start_paused = true)]
async fn who_waits_in_the_process_is_woken_when_the_store_is_back() {
    let store = InMemory::new();
    let gate = store.gate();
    let waits = waits_until_the_store_is_back(&store, &gate).await;
    assert!(!waits.is_woken());
    let mut comes = task::spawn(gate.turn(far()));
    assert_pending!(comes.poll());
    assert!(waits.is_woken());
}

#[tokio::test(start_paused = true)]
async fn who_waits_in_the_store_again_keeps_no_place_in_the_process() {
    let store = InMemory::new();
    let gate = store.gate();
    let mut waits = waits_until_the_store_is_back(&store, &gate).await;
    assert_pending!(waits.poll());
    assert!(!gate.snapshot().out_of_reach);
    store.is_down.store(true, SeqCst);
    let mut comes = task::spawn(gate.turn(far()));
    assert_pending!(comes.poll());
    assert!(gate.snapshot().out_of_reach);
    assert_eq!(gate.snapshot().queued, 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_of_who_has_gone() {
    let gate = busy().await;
    let mut ahead: Vec<_> = (0..5).map(|_| task::spawn(gate.turn(far()))).collect();
    for waiter in &mut ahead {
        assert_pending!(waiter.poll());
    }
    let nothing = Arc::new(Nothing);
    let waker = Waker::from(Arc::clone(&nothing));
    let mut waits = Box::pin(gate.turn(far()));
    let polled = waits.as_mut().poll(&mut Context::from_waker(&waker));
    assert_pending!(polled);
    drop((waits, waker));
    assert_eq!(Arc::strong_count(&nothing), 1);
}
