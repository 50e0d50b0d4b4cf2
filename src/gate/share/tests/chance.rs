//! Chance: stores that are slow and at times out of reach, callers that leave, throttles; and what holds in a process whatever happens.

use std::{
    sync::{Arc, Mutex, atomic::Ordering::SeqCst},
    time::Duration,
};

use fastrand::Rng;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::store::InMemory;
use crate::gate::{SearchGate, Verdict};

const INTERVAL: Duration = Duration::from_secs(2);
const BACKOFF: Duration = Duration::from_secs(10);

/// How late the store's answer may come.
const LATEST: Duration = Duration::from_millis(250);

/// By default as many as take a second; more with `SEARCH_GATE_SEEDS=1000 cargo test --lib chance`.
const SEEDS: u64 = 10;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What a process has done.
#[derive(Debug)]
struct Done {
    starts: u32,
    last_start: Option<Instant>,
    closed_until: Instant,
}

impl Done {
    fn starts(&mut self) {
        let now = Instant::now();
        let since = self.last_start.map(|last| now - last);
        assert!(
            since.is_none_or(|since| since + LATEST >= INTERVAL),
            "{since:?} after the last start"
        );
        assert!(
            now + LATEST >= self.closed_until,
            "inside a back-off, by {:?}",
            self.closed_until - now
        );
        self.last_start = Some(now);
        self.starts += 1;
    }
}

async fn call(gate: &SearchGate, done: &Mutex<Done>, rng: &mut Rng) {
    sleep(millis(rng.u64(0..6000))).await;
    let begun = Instant::now();
    let deadline = begun + millis(rng.u64(0..60_000));
    let patience = millis(match rng.u8(0..3) {
        0 => rng.u64(0..500),
        1 => rng.u64(0..10_000),
        _ => 1_000_000,
    });
    let turn = timeout(patience, gate.turn(deadline)).await;
    // Its own grace, and some answers of the store's.
    let latest = deadline + INTERVAL / 4 + 4 * LATEST;
    assert!(Instant::now() <= latest, "it waits beyond its deadline");
    let Ok(Ok(turn)) = turn else { return };
    done.lock().unwrap().starts();
    sleep(millis(rng.u64(0..3000))).await;
    match rng.u8(0..12) {
        0 => {
            turn.settle(Verdict::Throttled { retry_after: None });
            let left = gate.backoff_left().unwrap_or_default();
            done.lock().unwrap().closed_until = Instant::now() + left;
        }
        1..4 => drop(turn),
        _ => turn.settle(Verdict::Answered),
    }
}

async fn run(mut rng: Rng) {
    let store = InMemory::new();
    let (mut callers, mut processes) = (JoinSet::new(), Vec::new());
    for _ in 0..3 {
        let gate = store.gate_with(|gate| {
            let gate = gate.interval(INTERVAL).backoff(BACKOFF);
            match rng.bool() {
                true => gate.max_in_flight(2),
                false => gate,
            }
        });
        let done = Arc::new(Mutex::new(Done {
            starts: 0,
            last_start: None,
            closed_until: Instant::now(),
        }));
        processes.push(Arc::clone(&done));
        for _ in 0..4 {
            let (gate, done, mut rng) = (gate.clone(), Arc::clone(&done), rng.fork());
            callers.spawn(async move {
                loop {
                    call(&gate, &done, &mut rng).await;
                }
            });
        }
    }
    let end = Instant::now() + Duration::from_secs(600);
    while Instant::now() < end {
        store.is_down.store(rng.u8(0..3) == 0, SeqCst);
        for _ in 0..rng.u64(1..20) {
            store.takes(millis(match rng.u8(0..4) {
                0 => 0,
                1 | 2 => rng.u64(1..10),
                _ => rng.u64(1..125),
            }));
            sleep(millis(rng.u64(1..700))).await;
        }
    }
    if let Some(ended) = callers.try_join_next() {
        ended.unwrap();
    }
    for process in processes {
        assert!(process.lock().unwrap().starts > 5);
    }
}

#[tokio::test(start_paused = true)]
async fn in_a_process_no_start_comes_early_whatever_the_store_does() {
    let seeds = std::env::var("SEARCH_GATE_SEEDS");
    let seeds = seeds.map_or(SEEDS, |seeds| seeds.parse().unwrap());
    for seed in 0..seeds {
        println!("seed {seed}");
        run(Rng::with_seed(seed)).await;
    }
}
