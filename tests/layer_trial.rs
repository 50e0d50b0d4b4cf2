//! After a back-off: one request at a time through the layer, until one is answered.

mod support;

use std::{convert::Infallible, future::pending, pin::Pin, time::Duration};

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderValue, Method, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::BodyExt;
use search_gate::{BACKOFF, Backoff, REQUEST_LIMIT, SearchBody, SearchGate, SearchGateLayer};
use support::{
    INTERVAL,
    answer::{
        FedBody, challenge, chunked, fed, full, html, html_with, layer, page, through, through_for,
    },
    service::{Req, request},
};
use tokio::time::{Instant, advance};
use tokio_test::{assert_pending, assert_ready, task};
use tower::{Layer, ServiceExt, service_fn};

/// A layer whose back-off is just over.
async fn on_trial() -> SearchGateLayer {
    let layer = layer();
    layer.gate().throttled();
    advance(BACKOFF).await;
    layer
}

fn is_on_trial(layer: &SearchGateLayer) -> bool {
    layer.gate().snapshot().on_trial
}

type Sending = task::Spawn<Pin<Box<dyn Future<Output = ()>>>>;

/// Another request, whose turn has come but for the one that is out.
async fn kept_waiting(layer: &SearchGateLayer) -> Sending {
    let layer = layer.clone();
    let mut next: Sending = task::spawn(Box::pin(async move {
        drop(through(&layer, html(full(""))).await);
    }));
    assert_pending!(next.poll());
    advance(2 * INTERVAL).await;
    assert_pending!(next.poll(), "only one is out");
    next
}

/// The other request is sent now.
fn goes(mut next: Sending) {
    assert!(next.is_woken());
    assert_ready!(next.poll());
}

fn still_waits(next: &mut Sending) {
    assert_pending!(next.poll());
}

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
    goes(next);

    let layer = on_trial().await;
    let (feed, body) = fed();
    let mut body = through(&layer, html(body)).await.into_body();
    let next = kept_waiting(&layer).await;
    feed.data(came[..second].to_owned());
    body.frame().await.unwrap().unwrap();
    goes(next);
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
    still_waits(&mut next);
    drop(feed);
    let read = assert_ready!(reading.poll()).unwrap();
    assert_eq!(read.results.len(), 0);
    assert!(!is_on_trial(&layer));
    goes(next);
}

/// The probe's answer tells nothing: the gate stays on trial, and the next request is the probe.
fn says_nothing(layer: &SearchGateLayer, next: Sending) {
    goes(next);
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
async fn each_throttled_probe_is_one_step_of_the_back_off_until_one_is_answered() {
    let growing = Backoff::new(BACKOFF).cap(5 * BACKOFF);
    let gate = SearchGate::builder().interval(INTERVAL).backoff(growing);
    let layer = SearchGateLayer::new(gate.build().unwrap());
    let by_status = || html_with(StatusCode::ACCEPTED, full(""));
    let by_body = || html(full(challenge()));
    let answers = [by_status(), by_body(), by_status(), by_body()];
    for (answer, times) in answers.into_iter().zip([1, 2, 4, 5]) {
        let response = through(&layer, answer).await;
        drop(response.into_body().page().await.unwrap_err());
        let left = layer.gate().backoff_left();
        assert_eq!(left, Some(times * BACKOFF));
        advance(times * BACKOFF).await;
    }
    let response = through(&layer, html(full(page("tower").to_html()))).await;
    response.into_body().page().await.unwrap();
    assert!(!is_on_trial(&layer));
    // Not a probe any more: the back-off does not grow for it.
    advance(INTERVAL).await;
    through(&layer, by_status()).await;
    assert_eq!(layer.gate().backoff_left(), Some(5 * BACKOFF));
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
    still_waits(&mut next);
    feed.data("\"\"}");
    drop(feed);
    assert_ready!(reading.poll()).unwrap();
    assert!(!is_on_trial(&layer));
    goes(next);
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

#[tokio::test(start_paused = true)]
async fn late_news_of_an_earlier_round_changes_nothing() {
    let growing = Backoff::new(BACKOFF);
    let gate = SearchGate::builder().interval(INTERVAL).backoff(growing);
    let layer = SearchGateLayer::new(gate.build().unwrap());
    let answers = [
        page("tower").to_html(),
        challenge(),
        "<p>Something else.</p>".into(),
    ];
    let mut early = Vec::new();
    for answer in answers {
        early.push(through(&layer, html(full(answer))).await.into_body());
    }
    advance(INTERVAL).await;
    through(&layer, html_with(StatusCode::ACCEPTED, full(""))).await;

    let [answered, throttled, unknown] = early.try_into().unwrap();
    answered.page().await.unwrap();
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
    assert!(is_on_trial(&layer));
    advance(Duration::from_secs(10)).await;
    unknown.page().await.unwrap_err();
    assert_eq!(
        layer.gate().backoff_left(),
        Some(BACKOFF - Duration::from_secs(10))
    );
    // The provider still throttles, which says nothing of a probe.
    assert!(throttled.page().await.unwrap_err().is_throttled());
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
    assert_eq!(layer.gate().snapshot().streak, 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_of_an_earlier_round_does_not_end_the_trial() {
    let layer = layer();
    let early = through(&layer, html(full(page("tower").to_html()))).await;
    layer.gate().throttled();
    advance(BACKOFF).await;
    let probe = through(&layer, html(full(page("tower").to_html()))).await;
    let mut next = kept_waiting(&layer).await;
    early.into_body().page().await.unwrap();
    still_waits(&mut next);
    probe.into_body().page().await.unwrap();
    goes(next);
}
