//! Turns end on any thread, while others queue, while back-offs begin and while the gate is reset.

mod support;

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    thread,
    time::Duration,
};

use search_gate::{BACKOFF, SearchGate, Turn, TurnError, Verdict, WhileBackingOff};
use support::{THROTTLED, far};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_test::assert_ready_ok;

/// A run that takes this long has stopped.
const STUCK: Duration = Duration::from_secs(60);

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
