//! What the tests of the gate and the layer share.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its own part of it"
)]

pub mod answer;
pub mod service;
pub mod trial;

use std::{
    future::Future,
    sync::{Arc, Mutex},
    task::{Wake, Waker},
    time::Duration,
};

use search_gate::{BACKOFF, Refusal, SearchGate, Turn, TurnError, Verdict};
use tokio::{
    task::{JoinHandle, yield_now},
    time::{Instant, sleep},
};
use tokio_test::task::{Spawn, spawn};

pub const INTERVAL: Duration = Duration::from_secs(2);

/// How late a caller may look before it is passed over: a quarter of the interval, and what tokio's timers add.
pub const GRACE: Duration = Duration::from_millis(501);

/// What a request came to that the provider throttled without saying for how long.
pub const THROTTLED: Verdict = Verdict::Throttled { retry_after: None };

pub fn gate() -> SearchGate {
    SearchGate::new(INTERVAL, BACKOFF)
}

pub fn far() -> Instant {
    within(Duration::from_secs(24 * 3600))
}

pub fn within(time: Duration) -> Instant {
    Instant::now() + time
}

/// A caller that is polled by hand.
pub fn caller(
    gate: &SearchGate,
    deadline: Instant,
) -> Spawn<impl Future<Output = Result<(), Refusal>> + use<>> {
    let gate = gate.clone();
    spawn(async move { gate.take_turn(deadline).await })
}

/// The same, for a caller that keeps the receipt.
pub fn turn_caller(
    gate: &SearchGate,
    deadline: Instant,
) -> Spawn<impl Future<Output = Result<Turn, TurnError>> + use<>> {
    let gate = gate.clone();
    spawn(async move { gate.turn(deadline).await })
}

/// The turn of a caller that has all the time it needs.
pub async fn turn(gate: &SearchGate) -> Turn {
    gate.turn(far()).await.unwrap()
}

/// The gate's first throttle, and its back-off waited out.
pub async fn back_off_once(gate: &SearchGate) {
    gate.throttled();
    wait_out(gate).await;
}

/// Waits until nothing of the back-off is left.
pub async fn wait_out(gate: &SearchGate) {
    sleep(gate.backoff_left().expect("the gate backs off")).await;
    assert_eq!(gate.backoff_left(), None);
}

/// A waker that runs `code` when it wakes, and once more when the last of its clones is dropped.
pub fn waker(code: impl Fn() + Send + Sync + 'static) -> Waker {
    Waker::from(Arc::new(Runs(code)))
}

struct Runs<F: Fn() + Send + Sync>(F);

impl<F: Fn() + Send + Sync> Wake for Runs<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

impl<F: Fn() + Send + Sync> Drop for Runs<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// What one caller was told, and when, counted from the making of [`Calls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub who: usize,
    pub answer: Result<(), Refusal>,
    pub at: Duration,
}

/// Callers in tasks of their own.
#[derive(Debug)]
pub struct Calls {
    gate: SearchGate,
    begun: Instant,
    told: Arc<Mutex<Vec<Told>>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Calls {
    pub fn new(gate: &SearchGate) -> Self {
        Self {
            gate: gate.clone(),
            begun: Instant::now(),
            told: Arc::default(),
            tasks: Vec::new(),
        }
    }

    /// A caller comes: when this returns, it has been polled once.
    pub async fn call(&mut self, deadline: Instant) -> usize {
        let (gate, begun) = (self.gate.clone(), self.begun);
        let (who, told) = (self.tasks.len(), Arc::clone(&self.told));
        self.tasks.push(tokio::spawn(async move {
            let answer = gate.take_turn(deadline).await;
            let at = begun.elapsed();
            told.lock().unwrap().push(Told { who, answer, at });
        }));
        yield_now().await;
        who
    }

    pub async fn call_many(&mut self, count: usize) {
        for _ in 0..count {
            self.call(far()).await;
        }
    }

    /// The caller goes away.
    pub async fn cancel(&self, who: usize) {
        self.tasks[who].abort();
        yield_now().await;
    }

    /// What has been told so far, in that order.
    pub fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }

    /// Who has gone when, in that order, once nobody waits any more. Everyone who was not cancelled must have gone.
    pub async fn starts(mut self) -> Vec<(usize, Duration)> {
        for task in &mut self.tasks {
            if let Err(error) = task.await {
                assert!(error.is_cancelled(), "{error}");
            }
        }
        let start = |told: Told| {
            assert_eq!(told.answer, Ok(()), "caller {}", told.who);
            (told.who, told.at)
        };
        self.told().into_iter().map(start).collect()
    }
}
