//! Inner services that panic or cost much to clone, and callers that poll too often.

mod support;

use std::{
    convert::Infallible,
    future::{Ready, poll_fn},
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
use search_gate::{BACKOFF, Deadline, SearchGateLayer};
use support::{
    INTERVAL,
    answer::{FedBody, fed, full, html},
    far, gate,
    service::{Probe, Req, Res, WhenReadying, goes_after, request},
};
use tokio::time::sleep;
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};
use tower::{Layer, Service, ServiceExt, service_fn};

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
