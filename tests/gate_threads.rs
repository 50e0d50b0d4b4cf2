//! Order, spacing and bookkeeping hold when callers run on several threads.
//!
//! A test sees a grant from outside: it fell between the beginning and the end of the poll that returned it. So an inversion counts
//! when the later caller's poll had ended before the earlier one's began, and two starts are too close when even the widest
//! reading of their polls brings them closer than the interval.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use futures_util::future::{FutureExt, poll_fn};
use proptest::{collection::vec, prelude::*};
use search_gate::{BACKOFF, Refusal, SearchGate};
use tokio::{runtime::Runtime, sync::oneshot, time::timeout};

/// What the ledger allows a late caller at least.
const GRACE: Duration = Duration::from_millis(100);

/// A run that takes this long has stopped.
const STUCK: Duration = Duration::from_secs(60);

fn four_threads() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .unwrap()
}

fn far() -> tokio::time::Instant {
    tokio::time::Instant::now() + Duration::from_secs(3600)
}

/// A grant, and the poll in which it fell.
#[derive(Clone, Copy, Debug)]
struct Grant {
    who: usize,
    begun: Instant,
    ended: Instant,
}

/// Waits for `turn` and tells in which poll the answer came; `polled` runs after the first poll.
async fn watch<F: Future>(turn: F, polled: impl FnOnce()) -> (F::Output, Instant, Instant) {
    let mut turn = pin!(turn);
    let mut polled = Some(polled);
    poll_fn(|cx| {
        let begun = Instant::now();
        let answer = turn.as_mut().poll(cx);
        let ended = Instant::now();
        if let Some(polled) = polled.take() {
            polled();
        }
        answer.map(|answer| (answer, begun, ended))
    })
    .await
}

fn assert_spaced(grants: &[Grant], interval: Duration) {
    for pair in grants.windows(2) {
        let widest = pair[1].ended - pair[0].begun.min(pair[1].begun);
        assert!(widest >= interval, "too close: {pair:?}");
    }
    if let [first, .., last] = grants {
        let least = interval * (grants.len() as u32 - 1);
        assert!(last.ended - first.begun >= least);
    }
}

/// The grants before the machine may have stopped somebody for longer than its grace: who is late is passed, and rightly so.
fn undisturbed(grants: &[Grant], interval: Duration) -> &[Grant] {
    let stall = grants
        .windows(2)
        .position(|pair| pair[1].ended - pair[0].begun > interval + GRACE);
    &grants[..stall.map_or(grants.len(), |last| last + 1)]
}

#[test]
fn two_hundred_callers_on_four_threads_go_in_the_order_of_their_first_polls() {
    const CALLERS: usize = 200;
    let interval = Duration::from_millis(4);
    let gate = SearchGate::new(interval, BACKOFF);
    let mut grants = four_threads().block_on(async {
        let mut tasks = Vec::new();
        for who in 0..CALLERS {
            let gate = gate.clone();
            let (polled, first_poll) = oneshot::channel();
            tasks.push(tokio::spawn(async move {
                let polled = || polled.send(()).unwrap();
                let (answer, begun, ended) = watch(gate.take_turn(far()), polled).await;
                answer.unwrap();
                Grant { who, begun, ended }
            }));
            first_poll.await.unwrap();
        }
        let mut grants = Vec::new();
        for task in tasks {
            grants.push(timeout(STUCK, task).await.unwrap().unwrap());
        }
        grants
    });
    grants.sort_by_key(|grant| grant.ended);
    assert_spaced(&grants, interval);
    for later in undisturbed(&grants, interval) {
        let overtaken = grants
            .iter()
            .find(|earlier| earlier.who < later.who && earlier.begun >= later.ended);
        assert!(overtaken.is_none(), "{later:?} went before {overtaken:?}");
    }
    assert_eq!(gate.snapshot().counts.granted, CALLERS as u64);
    assert_eq!(gate.snapshot().queued, 0);
}

/// What becomes of one caller besides its turn, after so many microseconds.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Stays,
    IsAborted(u64),
    IsDroppedElsewhere(u64),
    Throttles(u64),
}

fn fate() -> impl Strategy<Value = Fate> {
    let soon = 0..30_000_u64;
    prop_oneof![
        6 => Just(Fate::Stays),
        4 => soon.clone().prop_map(Fate::IsAborted),
        4 => soon.clone().prop_map(Fate::IsDroppedElsewhere),
        1 => soon.prop_map(Fate::Throttles),
    ]
}

#[derive(Debug, Default)]
struct Record {
    polled: AtomicUsize,
    grants: Mutex<Vec<Grant>>,
    refused: AtomicUsize,
    throttles: Mutex<Vec<(Instant, Instant)>>,
    droppers: Mutex<Vec<thread::JoinHandle<()>>>,
}

impl Record {
    /// One caller. Its answer is taken down in the poll that brings it, so that none is lost when its task is aborted.
    async fn call(self: Arc<Self>, gate: SearchGate, who: usize) {
        let polled = || _ = self.polled.fetch_add(1, Ordering::Relaxed);
        match watch(gate.take_turn(far()), polled).await {
            (Ok(()), begun, ended) => self
                .grants
                .lock()
                .unwrap()
                .push(Grant { who, begun, ended }),
            (Err(Refusal::BackingOff(_)), ..) => _ = self.refused.fetch_add(1, Ordering::Relaxed),
            (Err(Refusal::PastDeadline), ..) => panic!("refused for a deadline that is far away"),
        }
    }

    fn throttle(&self, gate: &SearchGate) {
        let begun = Instant::now();
        gate.throttled();
        self.throttles.lock().unwrap().push((begun, Instant::now()));
    }
}

async fn meet(fate: Fate, gate: SearchGate, who: usize, record: Arc<Record>) {
    let call = Arc::clone(&record).call(gate.clone(), who);
    let wait = |micros| tokio::time::sleep(Duration::from_micros(micros));
    match fate {
        Fate::Stays => call.await,
        Fate::IsAborted(after) => {
            let task = tokio::spawn(call);
            wait(after).await;
            task.abort();
            let ended = task.await;
            assert!(ended.is_ok() || ended.unwrap_err().is_cancelled());
        }
        Fate::IsDroppedElsewhere(after) => {
            let mut call: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(call);
            if (&mut call).now_or_never().is_none() {
                let dropper = thread::spawn(move || {
                    thread::sleep(Duration::from_micros(after));
                    drop(call);
                });
                record.droppers.lock().unwrap().push(dropper);
            }
        }
        Fate::Throttles(after) => {
            wait(after).await;
            record.throttle(&gate);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn callers_that_leave_and_throttles_from_any_thread_lose_nobody(fates in vec(fate(), 1..120)) {
        let interval = Duration::from_millis(1);
        let backoff = Duration::from_millis(5);
        let gate = SearchGate::new(interval, backoff);
        let record = Arc::new(Record::default());
        four_threads().block_on(async {
            let tasks: Vec<_> = (0..)
                .zip(fates)
                .map(|(who, fate)| tokio::spawn(meet(fate, gate.clone(), who, Arc::clone(&record))))
                .collect();
            for task in tasks {
                timeout(STUCK, task).await.unwrap().unwrap();
            }
        });
        for dropper in record.droppers.lock().unwrap().drain(..) {
            dropper.join().unwrap();
        }
        prop_assert_eq!(gate.snapshot().queued, 0);
        let mut grants = record.grants.lock().unwrap().clone();
        grants.sort_by_key(|grant| grant.ended);
        assert_spaced(&grants, interval);
        for &(begun, ended) in record.throttles.lock().unwrap().iter() {
            let inside = grants
                .iter()
                .find(|grant| grant.begun > ended && grant.ended < begun + backoff);
            prop_assert!(inside.is_none(), "{inside:?} inside a back-off");
        }
        let counted = gate.snapshot();
        let refused = record.refused.load(Ordering::Relaxed) as u64;
        prop_assert_eq!(counted.counts.granted, grants.len() as u64);
        prop_assert_eq!(counted.counts.refused_backing_off, refused);
        let polled = record.polled.load(Ordering::Relaxed) as u64;
        prop_assert_eq!(polled, counted.counts.granted + refused + counted.counts.cancelled);
    }
}
