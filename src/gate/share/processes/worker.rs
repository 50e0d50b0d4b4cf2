//! One process: callers who take turns, give up, and tell of throttles.

use std::{env, path::Path, sync::Arc, time::Duration};

use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::log::Logged;
use crate::gate::{
    Backoff, SearchGate, Verdict,
    share::{Place, RedisStore, Store},
};

const CALLERS: usize = 3;

/// What every process of a crew does. Its words stand in the environment.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// A file's path, or the address of a server.
    pub(super) store: String,
    pub(super) interval: Duration,
    pub(super) backoff: Duration,
    pub(super) cancels: bool,
    pub(super) throttles: bool,
}

impl Job {
    pub(super) fn variables(&self, log: &Path) -> [(&'static str, String); 6] {
        let millis = |time: Duration| time.as_millis().to_string();
        [
            ("SEARCH_GATE_JOB_STORE", self.store.clone()),
            ("SEARCH_GATE_JOB_INTERVAL", millis(self.interval)),
            ("SEARCH_GATE_JOB_BACKOFF", millis(self.backoff)),
            ("SEARCH_GATE_JOB_CANCELS", self.cancels.to_string()),
            ("SEARCH_GATE_JOB_THROTTLES", self.throttles.to_string()),
            ("SEARCH_GATE_JOB_LOG", log.display().to_string()),
        ]
    }

    /// `None` in a process that has none.
    fn from_environment() -> Option<Self> {
        let word = |name: &str| env::var(format!("SEARCH_GATE_JOB_{name}")).ok();
        let millis = |name| Some(Duration::from_millis(word(name)?.parse().ok()?));
        Some(Self {
            store: word("STORE")?,
            interval: millis("INTERVAL")?,
            backoff: millis("BACKOFF")?,
            cancels: word("CANCELS")?.parse().ok()?,
            throttles: word("THROTTLES")?.parse().ok()?,
        })
    }
}

/// The name by which a crew calls it.
pub(super) const NAME: &str = "gate::share::processes::worker::process";

/// What a crew runs in each of its processes; by itself it does nothing.
#[test]
fn process() {
    let Some(job) = Job::from_environment() else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work(job));
}

async fn work(job: Job) {
    let log = env::var_os("SEARCH_GATE_JOB_LOG").unwrap();
    let store = Logged::new(open(&job.store).await, Path::new(&log));
    let gate = SearchGate::builder()
        .interval(job.interval)
        .backoff(Backoff::fixed(job.backoff))
        // A trial whose process is killed would bar all others for the rest of the run.
        .turn_lease(job.backoff)
        .on(Place::Store(Arc::new(store), 1000))
        .build()
        .unwrap();
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        callers.spawn(call(gate.clone(), job.clone()));
    }
    // Until the process is killed.
    callers.join_all().await;
}

async fn call(gate: SearchGate, job: Job) {
    let draw = |most: u32| {
        job.interval
            .mul_f64(f64::from(fastrand::u32(0..most * 16)) / 16.0)
    };
    loop {
        let asked = gate.turn(Instant::now() + Duration::from_secs(60));
        let patience = match job.cancels && fastrand::u8(0..4) == 0 {
            true => draw(20),
            false => Duration::from_secs(60),
        };
        let turn = match timeout(patience, asked).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(refused)) => {
                sleep(refused.retry_after().min(job.backoff)).await;
                continue;
            }
            Err(_) => continue,
        };
        match fastrand::u8(0..24) {
            0 | 1 if job.throttles => turn.settle(Verdict::Throttled { retry_after: None }),
            2 => drop(turn),
            _ => {
                sleep(draw(1)).await;
                turn.settle(Verdict::Answered);
            }
        }
    }
}

async fn open(store: &str) -> Arc<dyn Store> {
    #[cfg(feature = "redis")]
    if store.starts_with("redis") {
        let client = redis::Client::open(store).unwrap();
        let connection = client.get_connection_manager().await.unwrap();
        return Arc::new(RedisStore::new(connection, "crew"));
    }
    #[cfg(feature = "file")]
    return Arc::new(crate::gate::share::file::FileStore::open(Path::new(store)).unwrap());
    #[cfg(not(feature = "file"))]
    panic!("no store at {store}");
}
