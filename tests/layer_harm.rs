//! Inner services that come back into the gate, panic, or cost much to clone, and callers that poll too often.

mod support;

use std::{
    cell::Cell,
    convert::Infallible,
    future::{Ready, poll_fn, ready},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use http::Response;
use http_body_util::{BodyExt, Full};
use search_gate::{BACKOFF, Deadline, Refusal, SearchGate, SearchGateLayer};
use support::{
    INTERVAL,
    answer::{FedBody, fed, full, html},
    far, gate,
    service::{Probe, Req, Res, request},
};
use tokio::time::{Instant, advance, sleep};
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};
use tower::{Layer, Service, ServiceExt, service_fn};

/// Asks the gate all there is to ask.
fn ask(gate: &SearchGate) {
    let snapshot = gate.snapshot();
    assert_eq!(gate.backoff_left(), snapshot.backoff_left);
    assert!(!format!("{gate:?}").is_empty());
}

async fn goes_after(layer: &SearchGateLayer, wait: Duration) {
    let begun = Instant::now();
    layer
        .layer(Probe::default())
        .oneshot(request())
        .await
        .unwrap();
    assert_eq!(begun.elapsed(), wait);
    assert_eq!(layer.gate().snapshot().queued, 0);
}

// ===== back into the gate =====

/// Runs this whenever it is asked whether it is ready.
#[derive(Clone)]
struct WhenReadying<F>(F);

impl<F: FnMut()> Service<Req> for WhenReadying<F> {
    type Response = Res;
    type Error = Infallible;
    type Future = Ready<Result<Res, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        (self.0)();
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Req) -> Self::Future {
        ready(Ok(Response::new(full(""))))
    }
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_may_ask_the_gate_at_any_time() {
    let gate = gate();
    let layer = SearchGateLayer::builder()
        .gate(gate.clone())
        .only({
            let gate = gate.clone();
            move |_| {
                ask(&gate);
                true
            }
        })
        .build()
        .unwrap();
    let client = service_fn(|_: Req| {
        ask(&gate);
        let gate = gate.clone();
        async move {
            ask(&gate);
            gate.take_turn(far()).await.unwrap();
            Ok::<_, Infallible>(Response::new(full("")))
        }
    });
    let begun = Instant::now();
    layer.layer(client).oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL, "its own turn came second");
    let readying = WhenReadying(|| ask(&gate));
    layer.layer(readying).oneshot(request()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_is_not_asked_whether_it_is_ready_while_too_many_turns_are_out() {
    let gate = SearchGate::builder().interval(Duration::ZERO);
    let layer = SearchGateLayer::new(gate.max_in_flight(1).build().unwrap());
    let out = layer.gate().turn(far()).await.unwrap();
    let asked = Cell::new(0);
    let counting = WhenReadying(|| asked.set(asked.get() + 1));
    let mut waits = task::spawn(layer.layer(counting).oneshot(request()));
    assert_pending!(waits.poll());
    assert_eq!(asked.get(), 0);
    drop(out);
    assert!(waits.is_woken());
    assert_ready_ok!(waits.poll());
    assert_eq!(asked.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_closes_the_gate_while_it_is_called_is_sent_nevertheless() {
    let layer = SearchGateLayer::new(gate());
    let mut behind = task::spawn(layer.layer(Probe::default()).oneshot(request()));
    let closing = service_fn(|_: Req| {
        layer.gate().throttled();
        ready(Ok::<_, Infallible>(Response::new(full(""))))
    });
    let mut sent = task::spawn(layer.layer(closing).oneshot(request()));
    layer.gate().take_turn(far()).await.unwrap();
    assert_pending!(sent.poll());
    assert_pending!(behind.poll());
    advance(INTERVAL).await;
    assert_ready_ok!(sent.poll());
    assert!(behind.is_woken());
    let error = assert_ready_err!(behind.poll());
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_closes_the_gate_while_it_gets_ready_is_not_called() {
    let layer = SearchGateLayer::new(gate());
    let closing = WhenReadying(|| layer.gate().throttled());
    let error = layer.layer(closing).oneshot(request()).await.unwrap_err();
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
    assert_eq!(layer.gate().snapshot().counts.granted, 0);
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_takes_the_turn_while_it_gets_ready_makes_its_request_wait() {
    let layer = SearchGateLayer::new(gate());
    let taking = WhenReadying({
        let gate = layer.gate().clone();
        let mut taken = false;
        move || {
            if !std::mem::replace(&mut taken, true) {
                let mut turn = task::spawn(gate.take_turn(far()));
                assert_ready_ok!(turn.poll());
            }
        }
    });
    let begun = Instant::now();
    layer.layer(taking).oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), INTERVAL);
    goes_after(&layer, INTERVAL).await;
}

// ===== panics =====

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_panics_when_called_has_spent_its_turn() {
    let layer = SearchGateLayer::new(gate());
    let panicking = service_fn(|_: Req| -> Ready<Result<Res, Infallible>> { panic!("called") });
    let mut sent = task::spawn(layer.layer(panicking).oneshot(request()));
    assert!(catch_unwind(AssertUnwindSafe(|| sent.poll())).is_err());
    // Even while what is left of it is still there.
    goes_after(&layer, INTERVAL).await;
    drop(sent);
    goes_after(&layer, INTERVAL).await;
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_panics_while_it_gets_ready_gives_its_place_up() {
    let layer = SearchGateLayer::new(gate());
    let panicking = WhenReadying(|| panic!("asked"));
    let mut asking = task::spawn(layer.layer(panicking).oneshot(request()));
    assert!(catch_unwind(AssertUnwindSafe(|| asking.poll())).is_err());
    drop(asking);
    goes_after(&layer, Duration::ZERO).await;
}

fn panicked() -> Infallible {
    panic!("polled")
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_panics_leaves_the_gate_in_order() {
    let layer = SearchGateLayer::new(gate());
    let panicking = service_fn(|_: Req| async {
        sleep(INTERVAL / 2).await;
        Err::<Response<FedBody>, _>(panicked())
    });
    let sent = tokio::spawn(layer.layer(panicking).oneshot(request()));
    assert!(sent.await.unwrap_err().is_panic());
    assert_eq!(layer.gate().backoff_left(), None);
    goes_after(&layer, INTERVAL / 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_predicate_that_panics_takes_no_turn() {
    let layer = SearchGateLayer::builder()
        .gate(gate())
        .only(|request| request.uri.path() != "/" || panic!("asked"))
        .build()
        .unwrap();
    let mut service = layer.layer(Probe::default());
    assert!(catch_unwind(AssertUnwindSafe(|| service.call(request()))).is_err());
    goes_after(&SearchGateLayer::new(layer.gate().clone()), Duration::ZERO).await;
}

#[test]
fn outside_of_a_runtime_a_request_panics_and_is_not_sent() {
    let probe = Probe::default();
    let mut lost = task::spawn(
        SearchGateLayer::new(gate())
            .layer(probe.clone())
            .call(request()),
    );
    assert!(catch_unwind(AssertUnwindSafe(|| lost.poll())).is_err());
    assert!(probe.starts().is_empty());
}

// ===== polled too often =====

#[tokio::test(start_paused = true)]
async fn a_refused_request_that_is_polled_again_panics_and_is_never_sent() {
    let layer = SearchGateLayer::new(gate());
    layer.gate().throttled();
    let probe = Probe::default();
    let mut refused = task::spawn(layer.layer(probe.clone()).call(request()));
    assert_ready_err!(refused.poll());
    sleep(BACKOFF).await;
    assert!(catch_unwind(AssertUnwindSafe(|| refused.poll())).is_err());
    assert!(probe.starts().is_empty());
    goes_after(&layer, Duration::ZERO).await;
}

#[tokio::test(start_paused = true)]
async fn an_answered_request_that_is_polled_again_panics() {
    // A service whose futures can be polled for ever, each time with an answer.
    let willing =
        service_fn(|_: Req| poll_fn(|_| Poll::Ready(Ok::<_, Infallible>(html(full(""))))));
    let layer = SearchGateLayer::new(gate());
    let mut sent = task::spawn(layer.layer(willing).call(request()));
    assert_ready_ok!(sent.poll());
    assert!(catch_unwind(AssertUnwindSafe(|| sent.poll())).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_time_is_up_lets_go_of_what_it_sent() {
    let (feed, body) = fed();
    let held = Arc::new(std::sync::Mutex::new(Some(body)));
    let stuck = service_fn(move |_: Req| {
        let body = held.lock().unwrap().take();
        async move {
            std::future::pending::<()>().await;
            Ok::<_, Infallible>(Response::new(body.unwrap()))
        }
    });
    let layer = SearchGateLayer::new(gate());
    let mut sent = task::spawn(layer.layer(stuck).call(request()));
    assert_pending!(sent.poll());
    sleep(search_gate::REQUEST_LIMIT).await;
    assert!(assert_ready_err!(sent.poll()).is_timeout());
    assert!(feed.is_abandoned(), "while the future is still there");
}

// ===== what a request costs =====

/// Counts its clones.
struct Costly(Probe, Arc<AtomicUsize>);

impl Clone for Costly {
    fn clone(&self) -> Self {
        self.1.fetch_add(1, Ordering::SeqCst);
        Self(self.0.clone(), Arc::clone(&self.1))
    }
}

impl Service<Req> for Costly {
    type Response = Response<Full<bytes::Bytes>>;
    type Error = Infallible;
    type Future = <Probe as Service<Req>>::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Req>::poll_ready(&mut self.0, cx)
    }

    fn call(&mut self, request: Req) -> Self::Future {
        self.0.call(request)
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_costs_one_clone_of_the_inner_service_however_long_it_waits() {
    let clones = Arc::new(AtomicUsize::new(0));
    let layer = SearchGateLayer::new(gate());
    let mut service = layer.layer(Costly(Probe::default(), Arc::clone(&clones)));
    let requests: Vec<_> = (0..5)
        .map(|_| {
            let mut request = request();
            request.extensions_mut().insert(Deadline(far()));
            service.call(request)
        })
        .collect();
    for response in futures_util::future::join_all(requests).await {
        response.unwrap().into_body().collect().await.unwrap();
    }
    assert_eq!(clones.load(Ordering::SeqCst), 5);
}
