//! Turns end anywhere: inside of a waker, on any thread, while others queue, while the gate is reset.

mod support;

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    thread,
    time::Duration,
};

use search_gate::{BACKOFF, Refusal, SearchGate, Turn, TurnError, Verdict, WhileBackingOff};
use support::{INTERVAL, THROTTLED, back_off_once, far, turn, turn_caller, waker};
use tokio::{
    runtime::{Builder, Runtime},
    time::{sleep, timeout},
};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok};

/// A run that takes this long has stopped.
const STUCK: Duration = Duration::from_secs(60);

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

fn four_threads() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .unwrap()
}

/// Counts who is out, never more than are.
#[derive(Clone, Debug, Default)]
struct Gauge {
    out: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Gauge {
    fn begins(&self) {
        let out = self.out.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(out, Ordering::SeqCst);
    }

    fn ends(&self) {
        self.out.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

/// So many callers take a turn each and settle it in threads that belong to nobody.
fn all_settle(gate: &SearchGate, callers: usize, verdict: fn(usize) -> Verdict) -> Gauge {
    let gauge = Gauge::default();
    four_threads().block_on(async {
        let tasks: Vec<_> = (0..callers)
            .map(|who| {
                let (gate, gauge) = (gate.clone(), gauge.clone());
                tokio::spawn(async move {
                    let turn = gate.turn(far()).await.unwrap();
                    gauge.begins();
                    let settles = move || {
                        thread::yield_now();
                        gauge.ends();
                        turn.settle(verdict(who));
                    };
                    tokio::task::spawn_blocking(settles).await.unwrap();
                })
            })
            .collect();
        for task in tasks {
            timeout(STUCK, task).await.expect("a lost wake").unwrap();
        }
    });
    assert_eq!(gate.snapshot().queued, 0);
    gauge
}

#[test]
fn no_more_are_out_than_may_be_however_many_threads_settle() {
    let builder = SearchGate::builder().interval(Duration::ZERO);
    let gate = builder.max_in_flight(3).build().unwrap();
    let gauge = all_settle(&gate, 400, |who| match who % 2 {
        0 => Verdict::Answered,
        _ => Verdict::Unknown,
    });
    assert!(gauge.most() <= 3, "{} were out", gauge.most());
    assert_eq!(gate.snapshot().counts.granted, 400);
}

#[test]
fn one_trial_is_out_at_a_time_however_many_threads_settle() {
    let gate = SearchGate::new(Duration::ZERO, Duration::from_millis(1));
    gate.throttled();
    thread::sleep(Duration::from_millis(2));
    let gauge = all_settle(&gate, 400, |_| Verdict::Unknown);
    assert_eq!(gauge.most(), 1);
    assert!(gate.snapshot().on_trial);
}

#[test]
fn nobody_is_lost_while_back_offs_begin_end_and_are_reset() {
    let builder = SearchGate::builder().interval(Duration::from_micros(10));
    let gate = builder
        .backoff(Duration::from_secs(3600))
        .while_backing_off(WhileBackingOff::Wait)
        .max_in_flight(2)
        .build()
        .unwrap();
    four_threads().block_on(async {
        let tasks: Vec<_> = (0..400)
            .map(|who| {
                let gate = gate.clone();
                tokio::spawn(async move {
                    let turn = gate.turn(far()).await.unwrap();
                    turn.settle(match who % 4 {
                        0 => THROTTLED,
                        1 => Verdict::Unknown,
                        _ => Verdict::Answered,
                    });
                })
            })
            .collect();
        let resets = tokio::task::spawn_blocking({
            let gate = gate.clone();
            move || {
                while gate.snapshot().counts.granted < 400 {
                    gate.reset();
                    thread::yield_now();
                }
            }
        });
        for task in tasks {
            timeout(STUCK, task).await.expect("a lost wake").unwrap();
        }
        timeout(STUCK, resets).await.unwrap().unwrap();
    });
    assert_eq!(gate.snapshot().queued, 0);
    assert_eq!(gate.snapshot().counts.granted, 400);
}

#[test]
fn a_watcher_misses_no_last_change_however_many_threads_make_them() {
    let gate = SearchGate::new(Duration::ZERO, BACKOFF);
    let mut changes = gate.changes();
    four_threads().block_on(async {
        for _ in 0..400 {
            let gate = gate.clone();
            tokio::spawn(async move { gate.take_turn(far()).await.unwrap() });
        }
        let all = async { while changes.changed().await.counts.granted < 400 {} };
        timeout(STUCK, all).await.expect("a missed change");
    });
}

/// Polls until the answer is there, on a thread of its own, with no runtime at all: nothing of this may need one.
#[test]
fn a_turn_ends_without_a_runtime() {
    let gate = SearchGate::new(Duration::ZERO, BACKOFF);
    let mut granted: Pin<Box<dyn Future<Output = Result<Turn, TurnError>> + Send>> = Box::pin({
        let gate = gate.clone();
        async move { gate.turn(far()).await }
    });
    let turn = thread::spawn(move || {
        let answer = granted.as_mut();
        assert_ready_ok!(answer.poll(&mut Context::from_waker(Waker::noop())))
    });
    turn.join().unwrap().settle(THROTTLED);
    assert!(gate.backoff_left().is_some());
}
