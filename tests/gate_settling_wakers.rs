//! Turns end inside of a waker, which may be called while the gate changes.

mod support;

use std::{
    future::Future,
    pin::pin,
    sync::Mutex,
    task::{Context, Waker},
};

use search_gate::{BACKOFF, Refusal, SearchGate, Turn, Verdict};
use support::{INTERVAL, THROTTLED, back_off_once, far, turn, turn_caller, waker};
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};

type End = fn(Turn);

fn two_in_flight() -> SearchGate {
    let builder = SearchGate::builder().interval(INTERVAL).backoff(BACKOFF);
    builder.max_in_flight(2).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_end_a_turn() {
    let opens: [End; 3] = [
        drop,
        |turn| turn.settle(Verdict::Answered),
        |turn| turn.gate().clone().reset(),
    ];
    for end in opens {
        let gate = two_in_flight();
        let (one, other) = (turn(&gate).await, turn(&gate).await);
        let held = Mutex::new(Some(one));
        let ends = waker(move || {
            if let Some(turn) = held.lock().unwrap().take() {
                end(turn);
            }
        });
        let (mut head, mut second) = (pin!(gate.turn(far())), turn_caller(&gate, far()));
        assert_pending!(head.as_mut().poll(&mut Context::from_waker(&ends)));
        assert_pending!(second.poll());
        sleep(INTERVAL).await;
        other.settle(Verdict::Answered);
        let _head = assert_ready_ok!(head.poll(&mut Context::from_waker(Waker::noop())));
        sleep(INTERVAL).await;
        let _second = assert_ready_ok!(second.poll());
    }
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_close_the_gate_with_a_turn() {
    let gate = two_in_flight();
    let (one, other) = (turn(&gate).await, turn(&gate).await);
    let held = Mutex::new(Some(one));
    let throttles = waker(move || {
        if let Some(turn) = held.lock().unwrap().take() {
            turn.settle(THROTTLED);
        }
    });
    let (mut head, mut second) = (pin!(gate.turn(far())), turn_caller(&gate, far()));
    assert_pending!(head.as_mut().poll(&mut Context::from_waker(&throttles)));
    assert_pending!(second.poll());
    other.settle(Verdict::Answered);
    assert!(second.is_woken());
    let refusal = assert_ready_err!(second.poll());
    assert_eq!(refusal, Refusal::BackingOff(BACKOFF));
    assert_ready_err!(head.poll(&mut Context::from_waker(Waker::noop())));
}

#[tokio::test(start_paused = true)]
async fn a_turn_may_be_dropped_with_a_waker() {
    let gate = two_in_flight();
    back_off_once(&gate).await;
    let held = Mutex::new(Some(turn(&gate).await));
    let holds = waker(move || drop(held.lock().unwrap().take()));
    let (mut head, mut second) = (pin!(gate.turn(far())), turn_caller(&gate, far()));
    assert_pending!(head.as_mut().poll(&mut Context::from_waker(&holds)));
    assert_pending!(second.poll());
    sleep(INTERVAL).await;
    // The gate keeps the last clone, and lets go of it here.
    drop(holds);
    let noop = &mut Context::from_waker(Waker::noop());
    assert_pending!(head.as_mut().poll(noop));
    let _trial = assert_ready_ok!(head.poll(noop));
}

#[tokio::test(start_paused = true)]
async fn a_watchers_waker_may_ask_and_close_the_gate() {
    let gate = two_in_flight();
    let (mut changes, asked) = (gate.changes(), gate.clone());
    let asks = waker(move || {
        asked.throttled();
        drop(asked.changes());
        let _ = format!("{asked:?}");
    });
    let mut changed = Box::pin(changes.changed());
    let polled = changed.as_mut().poll(&mut Context::from_waker(&asks));
    assert_pending!(polled);
    let mut waits = turn_caller(&gate, far());
    let turn = assert_ready_ok!(waits.poll());
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
    turn.settle(Verdict::Answered);
    assert!(gate.snapshot().on_trial);
}
