use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::super::{Answer, Applying, Order, Place, Store};
use crate::gate::{
    BACKOFF, SearchGate, SearchGateBuilder,
    clock::to_ticks,
    ledger::{Outcome, Rules, State, View},
};

#[derive(Debug)]
pub(super) struct InMemory {
    /// `None` when nothing has been kept yet, or what was kept is lost.
    state: Mutex<Option<State>>,
    origin: Instant,
    /// How long an order is on its way, and its answer.
    delay: Mutex<Duration>,
    pub(super) is_down: AtomicBool,
    pub(super) orders: AtomicUsize,
    pub(super) starts: Mutex<Vec<Instant>>,
}

impl InMemory {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(None),
            origin: Instant::now(),
            delay: Mutex::default(),
            is_down: AtomicBool::new(false),
            orders: AtomicUsize::new(0),
            starts: Mutex::default(),
        })
    }

    /// The gate of another process.
    pub(super) fn gate(self: &Arc<Self>) -> SearchGate {
        self.gate_with(|builder| builder)
    }

    pub(super) fn gate_with(
        self: &Arc<Self>,
        set: impl FnOnce(SearchGateBuilder) -> SearchGateBuilder,
    ) -> SearchGate {
        let store: Arc<dyn Store> = Arc::<Self>::clone(self);
        let builder = SearchGate::builder()
            .backoff(BACKOFF)
            .on(Place::Store(store, 1000));
        set(builder).build().unwrap()
    }

    pub(super) fn takes(&self, delay: Duration) {
        *self.delay.lock().unwrap() = delay;
    }

    pub(super) fn forgets(&self) {
        *self.state.lock().unwrap() = None;
    }

    pub(super) fn orders(&self) -> usize {
        self.orders.load(SeqCst)
    }

    /// How long after one another turns were given.
    pub(super) fn gaps(&self) -> Vec<Duration> {
        let starts = self.starts.lock().unwrap();
        starts.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    fn step(&self, order: &Order) -> Answer {
        let now = to_ticks(self.origin.elapsed());
        let mut state = self.state.lock().unwrap();
        let state = state.get_or_insert_with(|| State::new(&order.rules, now));
        state.recall(&order.rules, now, &order.memory);
        let outcome = state.step(&order.rules, now, order.command);
        if matches!(outcome, Outcome::Go(_)) {
            self.starts.lock().unwrap().push(Instant::now());
        }
        let view = state.view(&order.rules, now);
        Answer {
            outcome,
            view,
            at: now,
        }
    }
}

impl Store for InMemory {
    fn apply(self: Arc<Self>, order: Order) -> Applying {
        let delay = *self.delay.lock().unwrap();
        self.orders.fetch_add(1, SeqCst);
        Box::pin(async move {
            if !delay.is_zero() {
                sleep(delay).await;
            }
            if self.is_down.load(SeqCst) {
                return Err("the store is down".into());
            }
            let answer = self.step(&order);
            if !delay.is_zero() {
                sleep(delay).await;
            }
            Ok(answer)
        })
    }

    fn look(&self, _: &Rules) -> Option<View> {
        None
    }
}
