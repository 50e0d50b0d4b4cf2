//! The provider: judges each search when it arrives, and answers after a while.

use std::{
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use search_gate::testing::{Outcome, Throttle};
use tokio::time::{Instant, sleep};

/// What a search asks of the provider.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// Where it is noted.
    pub(super) id: usize,
    /// How long its answer takes; `None` if it never comes.
    pub(super) latency: Option<Duration>,
}

/// What the provider made of a search, and when it came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged {
    pub(super) at: Instant,
    pub(super) outcome: Outcome,
}

/// One handle of many.
#[derive(Debug, Clone)]
pub(super) struct Provider {
    began: Instant,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    throttle: Throttle,
    judged: Vec<Option<Judged>>,
}

impl Provider {
    /// One that knows `searches` searches.
    pub(super) fn new(searches: usize) -> Self {
        Self {
            began: Instant::now(),
            state: Arc::new(Mutex::new(State {
                throttle: Throttle::new(),
                judged: vec![None; searches],
            })),
        }
    }

    /// A search of these agents arrives. The answer: whether it is one.
    pub(super) async fn search(&self, search: Search) -> Outcome {
        let outcome = self.arrive();
        let at = Instant::now();
        self.lock().judged[search.id] = Some(Judged { at, outcome });
        match search.latency {
            Some(latency) => sleep(latency).await,
            None => pending().await,
        }
        outcome
    }

    /// A search of anyone behind the address arrives.
    pub(super) fn arrive(&self) -> Outcome {
        self.lock().throttle.judge(self.began.elapsed())
    }

    /// What was made of each search.
    pub(super) fn judged(&self) -> Vec<Option<Judged>> {
        self.lock().judged.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
