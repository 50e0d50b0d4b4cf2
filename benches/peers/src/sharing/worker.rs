//! One of the processes that share a gate.

use std::{io, str::FromStr, time::Duration};

use rustix::process::{Signal, set_parent_process_death_signal};
use search_gate::{Backoff, SearchGate, Turn, Verdict};
use serde::{Deserialize, Serialize};
use tokio::{
    runtime::Builder,
    task::{JoinSet, spawn_blocking},
    time::{Instant, sleep, timeout},
};

use super::{
    CALLERS, PROCESSES,
    event::{Counted, Event, now},
    store::Store,
};

/// How long a caller waits that does not give up: longer than all the others take.
const PATIENT: Duration = Duration::from_secs(60 * 60);

/// How long a process that has told of a throttle waits until it counts the back-off as begun for everyone.
const TOLD: Duration = Duration::from_millis(20);

/// What a process does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub(super) store: Store,
    pub(super) interval: Duration,
    /// Whether callers give up now and then.
    pub(super) cancels: bool,
    /// Whether requests are throttled now and then.
    pub(super) throttles: bool,
}

impl FromStr for Job {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(text)
    }
}

impl Job {
    pub(super) fn backoff(&self) -> Duration {
        3 * self.interval
    }
}

/// Takes turns until the input ends, and tells of them on the output. For each line of the input it tells what it has counted.
pub fn work(job: &Job) {
    // One that is stopped does not see that its input has ended.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime needs threads and memory");
    runtime.block_on(async {
        let settings = SearchGate::builder()
            .interval(job.interval)
            .backoff(Backoff::fixed(job.backoff()))
            // Turns are settled at once: who has not done so by then was killed.
            .turn_lease(job.interval);
        let gate = job.store.gate(settings).await;
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            callers.spawn(call(gate.clone(), job.clone()));
        }
        Event::Ready.tell();
        let answering = spawn_blocking(move || answer(&gate));
        answering.await.expect("the input can be read");
    });
}

async fn call(gate: SearchGate, job: Job) {
    loop {
        let patience = match job.cancels && fastrand::bool() {
            // Wherever in the queue the caller is by then.
            true => job
                .interval
                .mul_f64((PROCESSES * CALLERS) as f64 * fastrand::f64()),
            false => PATIENT,
        };
        match timeout(patience, gate.turn(Instant::now() + PATIENT)).await {
            Ok(Ok(turn)) => start(turn, &job).await,
            Ok(Err(refused)) => sleep(refused.retry_after()).await,
            Err(_) => {}
        }
    }
}

async fn start(turn: Turn, job: &Job) {
    let at = now();
    Event::Start { at }.tell();
    if !job.throttles || fastrand::u8(0..20) > 0 {
        return turn.settle(Verdict::Answered);
    }
    let until = now() + job.backoff();
    turn.settle(Verdict::Throttled { retry_after: None });
    sleep(TOLD).await;
    Event::Closed { from: now(), until }.tell();
}

fn answer(gate: &SearchGate) {
    let mut told = Counted::default();
    for line in io::stdin().lines() {
        if line.is_err() {
            break;
        }
        let counts = gate.snapshot().counts;
        let counted = Counted {
            granted: counts.granted,
            orders: counts.store_orders,
            cancelled: counts.cancelled,
        };
        Event::Counted(Counted {
            granted: counted.granted - told.granted,
            orders: counted.orders - told.orders,
            cancelled: counted.cancelled - told.cancelled,
        })
        .tell();
        told = counted;
    }
}
