//! The layer as a tower service: readiness, order, what is held while a request waits, sharing.

mod support;

use std::{sync::Arc, time::Duration};

use search_gate::{BACKOFF, Error, Refusal, SearchGate, SearchGateLayer};
use support::{
    INTERVAL, gate,
    service::{Probe, Req, request},
};
use tokio::{
    sync::Semaphore,
    time::{Instant, advance, sleep},
};
use tokio_test::{assert_pending, assert_ready, assert_ready_ok, task};
use tower::{
    Layer, Service, ServiceBuilder, ServiceExt,
    buffer::Buffer,
    limit::{ConcurrencyLimit, GlobalConcurrencyLimitLayer},
};

#[tokio::test(start_paused = true)]
async fn it_is_always_ready() {
    let gate = gate();
    let probe = Probe::default();
    probe.set_busy(true);
    gate.throttled();
    let mut service = SearchGateLayer::new(gate).layer(probe);
    let mut ready = task::spawn(ServiceExt::<Req>::ready(&mut service));
    assert!(assert_ready!(ready.poll()).is_ok());
}

#[tokio::test(start_paused = true)]
async fn requests_start_one_interval_apart_in_the_order_of_their_first_polls() {
    let probe = Probe::default();
    let mut service = SearchGateLayer::new(gate()).layer(probe.clone());
    let begun = Instant::now();
    let mut first = task::spawn(service.call(request()));
    let mut third = task::spawn(service.call(request()));
    let mut second = task::spawn(service.call(request()));
    assert_ready_ok!(first.poll());
    assert_pending!(second.poll());
    assert_pending!(third.poll());
    advance(INTERVAL).await;
    assert!(second.is_woken() && !third.is_woken());
    assert_ready_ok!(second.poll());
    assert_pending!(third.poll());
    advance(INTERVAL).await;
    assert_ready_ok!(third.poll());
    let starts: Vec<_> = probe.starts().iter().map(|start| *start - begun).collect();
    assert_eq!(starts, [Duration::ZERO, INTERVAL, 2 * INTERVAL]);
}

#[tokio::test(start_paused = true)]
async fn a_future_that_is_never_polled_takes_no_place() {
    let mut service = SearchGateLayer::new(gate()).layer(Probe::default());
    let _unpolled = service.call(request());
    assert_eq!(service.gate().snapshot().queued, 0);
    service.call(request()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_leave_a_concurrency_limit_inside_free() {
    let permits = Arc::new(Semaphore::new(1));
    let mut service = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate()))
        .layer(GlobalConcurrencyLimitLayer::with_semaphore(Arc::clone(
            &permits,
        )))
        .service(Probe::default());
    service.call(request()).await.unwrap();
    let mut waiting: Vec<_> = (0..5)
        .map(|_| task::spawn(service.call(request())))
        .collect();
    for request in &mut waiting {
        assert_pending!(request.poll());
    }
    assert_eq!(permits.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_leave_a_buffer_inside_free_for_others() {
    let buffer = Buffer::new(Probe::default(), 1);
    let mut gated = SearchGateLayer::new(gate()).layer(buffer.clone());
    gated.call(request()).await.unwrap();
    let mut waiting: Vec<_> = (0..3).map(|_| task::spawn(gated.call(request()))).collect();
    for request in &mut waiting {
        assert_pending!(request.poll());
    }
    let begun = Instant::now();
    buffer.oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_buffer_above_survives_a_refusal() {
    let gate = gate();
    let gated = SearchGateLayer::new(gate.clone()).layer(Probe::default());
    let mut buffer = Buffer::new(gated, 4);
    gate.throttled();
    let refused = buffer.ready().await.unwrap().call(request()).await;
    let error = refused.unwrap_err().downcast::<Error>().unwrap();
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
    sleep(BACKOFF).await;
    buffer.ready().await.unwrap().call(request()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn two_services_of_one_layer_and_its_clones_share_a_gate() {
    let layer = SearchGateLayer::new(gate());
    let probe = Probe::default();
    let begun = Instant::now();
    layer.layer(probe.clone()).oneshot(request()).await.unwrap();
    let other = layer.clone().layer(probe.clone());
    other.clone().oneshot(request()).await.unwrap();
    other.oneshot(request()).await.unwrap();
    assert_eq!(begun.elapsed(), 2 * INTERVAL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_many_threads_requests_keep_their_distance() {
    let interval = Duration::from_millis(2);
    let layer = SearchGateLayer::new(SearchGate::new(interval, BACKOFF));
    let probe = Probe::default();
    let gated = layer.layer(ConcurrencyLimit::new(probe.clone(), 1));
    let tasks: Vec<_> = (0..200)
        .map(|_| tokio::spawn(gated.clone().oneshot(request())))
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        if number % 3 == 0 {
            task.abort();
            // It is gone only then.
            let _ = task.await;
        } else {
            task.await.unwrap().unwrap();
        }
    }
    let starts = probe.starts();
    assert!(starts.len() >= 133, "{} were sent", starts.len());
    for pair in starts.windows(2) {
        assert!(pair[1] - pair[0] >= interval);
    }
    let snapshot = layer.gate().snapshot();
    assert_eq!(
        (snapshot.queued, snapshot.counts.granted),
        (0, starts.len() as u64)
    );
}
