//! Deadlines, budgets and limits of requests through the layer.

mod support;

use std::{convert::Infallible, future::pending, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use search_gate::{Deadline, REQUEST_LIMIT, Refusal, SEARCH_DEADLINE, SearchGateLayer};
use support::{
    INTERVAL,
    answer::layer,
    gate,
    service::{Probe, Req, request},
};
use tokio::time::{Instant, sleep};
use tower::{Layer, Service, ServiceExt, service_fn};

#[tokio::test(start_paused = true)]
async fn a_request_whose_turn_comes_after_its_deadline_is_refused_at_once() {
    let mut service = layer().layer(Probe::default());
    service.call(request()).await.unwrap();
    let begun = Instant::now();
    let mut late = request();
    late.extensions_mut()
        .insert(Deadline(begun + INTERVAL - Duration::from_millis(1)));
    let error = service.call(late).await.unwrap_err();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(error.refusal(), Some(Refusal::PastDeadline));
    assert!(error.is_refused() && !error.is_timeout());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
}

#[tokio::test(start_paused = true)]
async fn the_budget_counts_from_the_first_poll_and_not_from_the_call() {
    let mut service = SearchGateLayer::builder()
        .gate(gate())
        .budget(INTERVAL)
        .build()
        .unwrap()
        .layer(Probe::default());
    let later = service.call(request());
    sleep(10 * INTERVAL).await;
    service.call(request()).await.unwrap();
    later.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn by_default_a_search_has_sixty_seconds() {
    let mut service = layer().layer(Probe::default());
    let (accepted, refused) = (30, 10);
    let answers = (0..accepted + 1 + refused).map(|_| service.call(request()));
    let answers = futures_util::future::join_all(answers).await;
    let answered = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(answered, accepted + 1, "at 0, 2, … 60 s");
    assert_eq!(SEARCH_DEADLINE, INTERVAL * u32::try_from(accepted).unwrap());
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_does_not_answer_is_given_up_at_the_request_limit() {
    let stuck = service_fn(|_: Req| pending::<Result<Response<Full<Bytes>>, Infallible>>());
    let begun = Instant::now();
    let error = layer().layer(stuck).oneshot(request()).await.unwrap_err();
    assert!(error.is_timeout() && !error.is_refused());
    assert_eq!(begun.elapsed(), REQUEST_LIMIT);
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_has_what_its_deadline_leaves_after_the_wait() {
    let stuck = service_fn(|_: Req| pending::<Result<Response<Full<Bytes>>, Infallible>>());
    let layer = layer();
    layer
        .layer(Probe::default())
        .oneshot(request())
        .await
        .unwrap();
    let begun = Instant::now();
    let mut request = request();
    request
        .extensions_mut()
        .insert(Deadline(begun + 3 * INTERVAL));
    let error = layer.layer(stuck).oneshot(request).await.unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(begun.elapsed(), 3 * INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_ends_in_a_timeout_at_the_request_limit() {
    let stalling = service_fn(|_: Request<Full<Bytes>>| async {
        let first = stream::iter([Ok::<_, Infallible>(Frame::data(Bytes::from("something")))]);
        let body = StreamBody::new(first.chain(stream::pending()));
        Ok::<_, Infallible>(Response::new(body))
    });
    let begun = Instant::now();
    let mut body = layer()
        .layer(stalling)
        .oneshot(request())
        .await
        .unwrap()
        .into_body();
    let first = body.frame().await.unwrap().unwrap();
    assert_eq!(first.into_data().unwrap(), "something");
    let error = body.frame().await.unwrap().unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(begun.elapsed(), REQUEST_LIMIT);
    assert!(body.frame().await.is_none(), "the error is the last thing");
}

#[tokio::test(start_paused = true)]
async fn bytes_that_have_arrived_are_handed_out_however_late_they_are_asked_for() {
    let answer = service_fn(|_: Req| async {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("something"))))
    });
    let body = layer()
        .layer(answer)
        .oneshot(request())
        .await
        .unwrap()
        .into_body();
    sleep(2 * REQUEST_LIMIT).await;
    assert_eq!(body.collect().await.unwrap().to_bytes(), "something");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_the_layer_does_not_cover_has_no_turn_and_no_limit() {
    let layer = SearchGateLayer::builder()
        .gate(gate())
        .only(|request| request.uri.path() == "/html/")
        .build()
        .unwrap();
    layer.gate().throttled();
    let slow = service_fn(|_: Req| async {
        sleep(10 * REQUEST_LIMIT).await;
        let mut response = Response::new(Full::<Bytes>::default());
        *response.status_mut() = http::StatusCode::TOO_MANY_REQUESTS;
        Ok::<_, Infallible>(response)
    });
    let response = layer.layer(slow).oneshot(request()).await.unwrap();
    assert_eq!(response.status(), 429);
    assert!(
        response
            .extensions()
            .get::<search_gate::Throttled>()
            .is_none()
    );
    assert_eq!(
        layer.gate().snapshot().counts.throttled,
        1,
        "only by the test itself"
    );
}

#[tokio::test(start_paused = true)]
async fn budget_and_limit_may_be_as_long_as_they_like() {
    let layer = SearchGateLayer::builder()
        .gate(gate())
        .budget(Duration::MAX)
        .request_limit(Duration::MAX)
        .build()
        .unwrap();
    let mut service = layer.layer(Probe::default());
    service.call(request()).await.unwrap();
    let response = service.call(request()).await.unwrap();
    response.into_body().collect().await.unwrap();
}
