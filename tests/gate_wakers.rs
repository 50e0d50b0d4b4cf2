//! Wakers run other people's code, which may come back into the gate or panic; neither blocks it.

mod support;

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use search_gate::{BACKOFF, Refusal, SearchGate};
use support::{GRACE, INTERVAL, caller, far, gate, waker};
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready_eq, assert_ready_err, assert_ready_ok};

type Turn = Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send>>;

fn turn(gate: &SearchGate) -> Turn {
    let gate = gate.clone();
    Box::pin(async move { gate.take_turn(far()).await })
}

fn poll(turn: &mut Turn, waker: &Waker) -> Poll<Result<(), Refusal>> {
    turn.as_mut().poll(&mut Context::from_waker(waker))
}

/// A gate whose next turn is an interval away, and one who waits for it with a waker that runs `code`.
async fn waiting(code: impl Fn(&SearchGate) + Send + Sync + 'static) -> (SearchGate, Turn) {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut waiting = turn(&gate);
    let handle = gate.clone();
    let waker = waker(move || code(&handle));
    assert_pending!(poll(&mut waiting, &waker));
    (gate, waiting)
}

/// All that a handle can be asked at once.
fn ask_everything(gate: &SearchGate) {
    let _ = (gate.snapshot(), gate.backoff_left(), format!("{gate:?}"));
    let mut newcomer = turn(gate);
    let _ = poll(&mut newcomer, Waker::noop());
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_ask_the_gate_when_a_back_off_wakes_it() {
    let (gate, mut asks) = waiting(ask_everything).await;
    gate.throttled();
    assert_ready_eq!(
        poll(&mut asks, Waker::noop()),
        Err(Refusal::BackingOff(BACKOFF))
    );
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_ask_the_gate_when_it_is_replaced() {
    let (_gate, mut asks) = waiting(ask_everything).await;
    assert_pending!(poll(&mut asks, Waker::noop()));
    sleep(INTERVAL).await;
    assert_ready_ok!(poll(&mut asks, Waker::noop()));
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_ask_the_gate_when_its_caller_goes() {
    let (gate, asks) = waiting(ask_everything).await;
    // The timer has let go of its clone, so that the gate drops the last one.
    sleep(INTERVAL).await;
    drop(asks);
    assert_eq!(gate.snapshot().queued, 0);
}

#[tokio::test(start_paused = true)]
async fn a_caller_is_woken_by_the_waker_of_its_last_poll() {
    let woken = |gate: &SearchGate, count: &Arc<AtomicUsize>| {
        let (gate, count) = (gate.clone(), Arc::clone(count));
        waker(move || {
            let _ = (gate.snapshot(), count.fetch_add(1, Ordering::Relaxed));
        })
    };
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let (first, last) = (Arc::default(), Arc::default());
    let (first_waker, last_waker) = (woken(&gate, &first), woken(&gate, &last));
    let mut moved = turn(&gate);
    assert_pending!(poll(&mut moved, &first_waker));
    assert_pending!(poll(&mut moved, &last_waker));
    gate.throttled();
    let counts = [first, last].map(|count| count.load(Ordering::Relaxed));
    assert_eq!(counts, [0, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_ask_the_gate_when_its_caller_is_served() {
    let (gate, mut asks) = waiting(ask_everything).await;
    sleep(INTERVAL).await;
    assert_ready_ok!(poll(&mut asks, Waker::noop()));
    assert_eq!(gate.snapshot().counts.granted, 2);
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_throttle_the_gate_while_the_gate_wakes_it() {
    let (gate, _waits) = waiting(SearchGate::throttled).await;
    let mut other = caller(&gate, far());
    assert_pending!(other.poll());
    gate.throttled();
    assert!(other.is_woken());
    assert_ready_err!(other.poll());
    assert!(gate.snapshot().counts.throttled >= 2);
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_drop_those_who_wait() {
    let others: Arc<Mutex<Vec<Turn>>> = Arc::default();
    let dropped = Arc::clone(&others);
    let (gate, head) = waiting(move |_| drop(std::mem::take(&mut *dropped.lock().unwrap()))).await;
    for _ in 0..10 {
        let mut other = turn(&gate);
        assert_pending!(poll(&mut other, Waker::noop()));
        others.lock().unwrap().push(other);
    }
    let mut last = caller(&gate, far());
    assert_pending!(last.poll());
    drop(head);
    assert_eq!(gate.snapshot().counts.cancelled, 11);
    assert_eq!(gate.snapshot().queued, 1);
    sleep(INTERVAL).await;
    assert_ready_ok!(last.poll());
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_poll_its_own_caller_at_once() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut head = caller(&gate, far());
    assert_pending!(head.poll());
    let slot: Arc<Mutex<Option<Turn>>> = Arc::new(Mutex::new(Some(turn(&gate))));
    let answered = Arc::new(AtomicUsize::new(0));
    let (waits, answers) = (Arc::clone(&slot), Arc::clone(&answered));
    let inline = waker(move || {
        let Some(mut turn) = waits.lock().unwrap().take() else {
            return;
        };
        match poll(&mut turn, Waker::noop()) {
            Poll::Ready(answer) => {
                _ = answers.fetch_add(1 + usize::from(answer.is_ok()), Ordering::Relaxed)
            }
            Poll::Pending => *waits.lock().unwrap() = Some(turn),
        }
    });
    let mut second = slot.lock().unwrap().take().unwrap();
    assert_pending!(poll(&mut second, &inline));
    *slot.lock().unwrap() = Some(second);
    sleep(INTERVAL).await;
    drop(head);
    assert_eq!(
        answered.load(Ordering::Relaxed),
        2,
        "it went inside of the wake"
    );
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics");
    }
}

/// A waker must not panic. One that does may cost those who were to be woken after it the news, but they learn it at their own look.
#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_when_the_next_is_told_blocks_nobody() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut head = caller(&gate, far());
    assert_pending!(head.poll());
    let mut panics = turn(&gate);
    assert_pending!(poll(&mut panics, &Waker::from(Arc::new(Panics))));
    let mut behind = caller(&gate, far());
    assert_pending!(behind.poll());
    catch_unwind(AssertUnwindSafe(|| drop(head))).unwrap_err();
    drop(panics);
    sleep(INTERVAL * 2 + GRACE).await;
    assert!(behind.is_woken());
    assert_ready_ok!(behind.poll());
}

#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_when_a_back_off_begins_does_not_keep_the_gate_open() {
    let gate = gate();
    gate.take_turn(far()).await.unwrap();
    let mut panics = turn(&gate);
    assert_pending!(poll(&mut panics, &Waker::from(Arc::new(Panics))));
    let mut behind = caller(&gate, far());
    assert_pending!(behind.poll());
    catch_unwind(AssertUnwindSafe(|| gate.throttled())).unwrap_err();
    assert_eq!(gate.backoff_left(), Some(BACKOFF));
    assert_ready_err!(caller(&gate, far()).poll());
    drop(panics);
    sleep(INTERVAL * 2).await;
    assert!(behind.is_woken());
    assert_ready_err!(behind.poll());
}
