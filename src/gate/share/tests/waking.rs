//! Callers who sleep until they are to look at the store: woken when there is something new, and not remembered when they are gone.

use std::{
    sync::Arc,
    task::{Context, Wake, Waker},
    time::Duration,
};

use tokio::time::Instant;
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};

use super::store::InMemory;
use crate::gate::SearchGate;

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
