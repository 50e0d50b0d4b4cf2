//! How many may wait and be in flight where a gate is shared.

use std::time::Duration;

use tokio::time::Instant;
use tokio_test::{assert_pending, assert_ready_err, task};

use super::{super::Place, store::InMemory};
use crate::gate::{SearchGate, SearchGateBuilder};

/// A store with room for this many.
const ROOM: usize = 1000;

fn builder() -> SearchGateBuilder {
    SearchGate::builder().on(Place::Store(InMemory::new(), ROOM))
}

#[tokio::test]
async fn a_builder_asks_for_no_more_room_than_there_is() {
    let widest = builder().max_queued(ROOM).max_in_flight(ROOM);
    assert!(widest.build().is_ok());
    for (builder, what) in [
        (builder().max_queued(ROOM + 1), "callers to wait"),
        (builder().max_in_flight(ROOM + 1), "turns in flight"),
    ] {
        let message = builder.build().unwrap_err().to_string();
        let says = [format!("room for 1000 {what}"), "not for 1001".to_owned()];
        assert!(says.iter().all(|says| message.contains(says)), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn unless_more_is_asked_for_250_wait() {
    let gate = builder().build().unwrap();
    let far = Instant::now() + Duration::from_secs(24 * 3600);
    gate.take_turn(far).await.unwrap();
    let mut waiting: Vec<_> = (0..=250).map(|_| task::spawn(gate.turn(far))).collect();
    let last = waiting.pop();
    for waiter in &mut waiting {
        assert_pending!(waiter.poll());
    }
    assert!(assert_ready_err!(last.unwrap().poll()).is_queue_full());
}
