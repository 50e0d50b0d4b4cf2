//! After a back-off: one request at a time through the layer, until one is answered.

mod support;

use std::{convert::Infallible, future::pending, pin::Pin};

use futures_util::StreamExt;
use http::{HeaderValue, Method, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::BodyExt;
use search_gate::{REQUEST_LIMIT, SearchBody, SearchGateLayer};
use support::{
    INTERVAL,
    answer::{FedBody, chunked, fed, full, html, html_with, page, through, through_for},
    service::{Req, request},
    trial::{Next, is_on_trial, kept_waiting, on_trial},
};
use tokio::time::{Instant, advance};
use tokio_test::{assert_pending, assert_ready, task};
use tower::{Layer, ServiceExt, service_fn};

fn json<B>(body: B) -> Response<B> {
    let mut answer = Response::new(body);
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, json);
    answer
}

#[tokio::test(start_paused = true)]
async fn the_first_result_opens_the_gate_while_the_page_is_still_coming() {
    let came = page("tower").ads(1).to_html();
    let second = came.match_indices("<div class=\"result ").nth(2).unwrap().0;

    let layer = on_trial().await;
    let (feed, body) = fed();
    let mut results = through(&layer, html(body)).await.into_body().results();
    let next = kept_waiting(&layer).await;
    feed.data(came[..second].to_owned());
    results.next().await.unwrap().unwrap();
    assert!(!is_on_trial(&layer));
    next.goes();

    let layer = on_trial().await;
    let (feed, body) = fed();
    let mut body = through(&layer, html(body)).await.into_body();
    let next = kept_waiting(&layer).await;
    feed.data(came[..second].to_owned());
    body.frame().await.unwrap().unwrap();
    next.goes();
}

#[tokio::test(start_paused = true)]
async fn a_page_without_results_opens_it_at_its_end() {
    let came = page("tower").results(0).ads(1).to_html();
    let layer = on_trial().await;
    let (feed, body) = fed();
    feed.data(came);
    let body = through(&layer, html(body)).await.into_body();
    let mut next = kept_waiting(&layer).await;
    let mut reading = task::spawn(body.page());
    assert_pending!(reading.poll());
    next.still_waits();
    drop(feed);
    let read = assert_ready!(reading.poll()).unwrap();
    assert_eq!(read.results.len(), 0);
    assert!(!is_on_trial(&layer));
    next.goes();
}

/// The probe's answer tells nothing: the gate stays on trial, and the next request is the probe.
fn says_nothing(layer: &SearchGateLayer, next: Next) {
    next.goes();
    let seen = layer.gate().snapshot();
    assert!(seen.on_trial && seen.backoff_left.is_none());
    assert_eq!((seen.streak, seen.counts.throttled), (1, 1));
}

type Read = fn(SearchBody<FedBody>) -> Pin<Box<dyn Future<Output = ()>>>;

const READ_AS_A_PAGE: Read = |body| Box::pin(async { drop(body.page().await.unwrap_err()) });
const PASS_ON: Read = |body| Box::pin(async { drop(body.collect().await) });
const DROP: Read = |body| Box::pin(async { drop(body) });
const DROP_BEGUN: Read = |mut body| {
    Box::pin(async move {
        body.frame().await.unwrap().unwrap();
    })
};

#[tokio::test(start_paused = true)]
async fn what_tells_nothing_makes_the_next_request_the_probe() {
    let results = page("tower").to_html();
    let before = results[..results.find("<div class=\"result ").unwrap()].to_owned();
    let unrecognised = || html(chunked("<p>Something else.</p>", 7));
    let not_found = || html_with(StatusCode::NOT_FOUND, chunked("<p>Not here.</p>", 7));
    let unread = || html(chunked(results.clone(), before.len()));
    let broken = || {
        let (feed, body) = fed();
        feed.data(before.clone());
        feed.fail("reset");
        html(body)
    };
    let cases: [(Response<FedBody>, Read); 8] = [
        (unrecognised(), PASS_ON),
        (unrecognised(), READ_AS_A_PAGE),
        (not_found(), PASS_ON),
        (not_found(), READ_AS_A_PAGE),
        (unread(), DROP),
        (unread(), DROP_BEGUN),
        (broken(), PASS_ON),
        (broken(), READ_AS_A_PAGE),
    ];
    for (answer, read) in cases {
        reads_as_nothing(answer, read).await;
    }
    for read in [PASS_ON, READ_AS_A_PAGE] {
        // The other end stalls, and the request's limit ends it.
        let (_feed, body) = fed();
        reads_as_nothing(html(body), read).await;
    }
}

async fn reads_as_nothing(answer: Response<FedBody>, read: Read) {
    let layer = on_trial().await;
    let body = through(&layer, answer).await.into_body();
    let next = kept_waiting(&layer).await;
    read(body).await;
    says_nothing(&layer, next);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_or_times_out_before_its_answer_makes_the_next_request_the_probe() {
    let layer = on_trial().await;
    let failing = service_fn(|_: Req| async { Err::<Response<FedBody>, _>("no route") });
    let error = layer.layer(failing).oneshot(request()).await.unwrap_err();
    assert!(error.is_transport());
    advance(INTERVAL).await;
    through(&layer, html(full(""))).await;
    assert!(is_on_trial(&layer));

    let layer = on_trial().await;
    let stuck = service_fn(|_: Req| pending::<Result<Response<FedBody>, Infallible>>());
    let mut probe = task::spawn(layer.layer(stuck).oneshot(request()));
    assert_pending!(probe.poll());
    let next = kept_waiting(&layer).await;
    advance(REQUEST_LIMIT - 2 * INTERVAL).await;
    assert!(assert_ready!(probe.poll()).unwrap_err().is_timeout());
    says_nothing(&layer, next);
}

#[tokio::test(start_paused = true)]
async fn a_request_dropped_while_it_waits_for_its_answer_makes_the_next_the_probe() {
    let layer = on_trial().await;
    let stuck = service_fn(|_: Req| pending::<Result<Response<FedBody>, Infallible>>());
    let mut probe = task::spawn(layer.layer(stuck).oneshot(request()));
    assert_pending!(probe.poll());
    let next = kept_waiting(&layer).await;
    drop(probe);
    says_nothing(&layer, next);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_nobody_polls_is_released_by_its_lease() {
    let layer = on_trial().await;
    let begun = Instant::now();
    let held = through(&layer, html(full(page("tower").to_html()))).await;
    through(&layer, html(full(""))).await;
    assert_eq!(begun.elapsed(), REQUEST_LIMIT, "the default lease");
    assert!(is_on_trial(&layer));
    // It may be read after all.
    held.into_body().page().await.unwrap();
    assert!(!is_on_trial(&layer));
}

#[tokio::test(start_paused = true)]
async fn what_is_no_page_opens_the_gate_at_its_end() {
    let layer = on_trial().await;
    let (feed, body) = fed();
    feed.data("{\"Abstract\":");
    let body = through(&layer, json(body)).await.into_body();
    let mut next = kept_waiting(&layer).await;
    let mut reading = task::spawn(body.collect());
    assert_pending!(reading.poll());
    next.still_waits();
    feed.data("\"\"}");
    drop(feed);
    assert_ready!(reading.poll()).unwrap();
    assert!(!is_on_trial(&layer));
    next.goes();
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_a_body_opens_the_gate_with_its_head() {
    for (method, status) in [(Method::HEAD, 200), (Method::GET, 204)] {
        let layer = on_trial().await;
        let mut asked = request();
        *asked.method_mut() = method;
        let status = StatusCode::from_u16(status).unwrap();
        let response = through_for(&layer, asked, html_with(status, full(""))).await;
        assert!(!is_on_trial(&layer), "{status}");
        drop(response);
    }
}
