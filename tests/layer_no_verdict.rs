//! Answers that say nothing of throttling, and leave the gate open.

mod support;

use std::convert::Infallible;

use futures_util::StreamExt;
use http::Response;
use http_body_util::BodyExt;
use search_gate::{PageKind, SearchGateLayer};
use support::{
    answer::{FedBody, challenge, chunked, fed, full, html, layer, page, through, times_throttled},
    service::{Req, request},
};
use tower::{Layer, ServiceExt, service_fn};

fn open(layer: &SearchGateLayer) {
    assert_eq!(times_throttled(layer), 0);
    assert_eq!(layer.gate().backoff_left(), None);
}

#[tokio::test(start_paused = true)]
async fn a_challenge_that_is_never_read_marks_nothing() {
    let layer = layer();
    let response = through(&layer, html(chunked(challenge(), 100))).await;
    drop(response);
    let response = through(&layer, html(chunked(challenge(), 100))).await;
    let mut body = response.into_body();
    body.frame().await.unwrap().unwrap();
    drop(body);
    open(&layer);
}

#[tokio::test(start_paused = true)]
async fn a_page_of_no_known_kind_gives_no_verdict() {
    let layer = layer();
    for content in ["", "<p>Something else.</p>", "plain"] {
        let response = through(&layer, html(full(content))).await;
        let error = response.into_body().page().await.unwrap_err();
        assert!(error.is_unrecognised() && !error.is_throttled(), "{error}");
        let response = through(&layer, html(full(content))).await;
        let mut results = response.into_body().results();
        let error = results.next().await.unwrap().unwrap_err();
        assert!(error.is_unrecognised(), "{error}");
        assert!(results.next().await.is_none());
    }
    open(&layer);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_gives_no_verdict() {
    let layer = layer();
    let before_the_form = challenge().find("<form").unwrap();
    let (feed, body) = fed();
    feed.data(challenge()[..before_the_form].to_owned());
    feed.fail("reset");
    let response = through(&layer, html(body)).await;
    let error = response.into_body().page().await.unwrap_err();
    assert!(error.is_transport() && !error.is_throttled());
    open(&layer);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_gives_no_verdict() {
    let layer = layer();
    let (_feed, body) = fed();
    let response = through(&layer, html(body)).await;
    assert!(response.into_body().page().await.unwrap_err().is_timeout());
    let stuck =
        service_fn(|_: Req| std::future::pending::<Result<Response<FedBody>, Infallible>>());
    let error = layer.layer(stuck).oneshot(request()).await.unwrap_err();
    assert!(error.is_timeout());
    open(&layer);
}

#[tokio::test(start_paused = true)]
async fn an_inner_service_that_fails_gives_no_verdict() {
    let layer = layer();
    let failing = service_fn(|_: Req| async { Err::<Response<FedBody>, _>("no route") });
    let error = layer.layer(failing).oneshot(request()).await.unwrap_err();
    assert!(error.is_transport());
    open(&layer);
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_results_is_an_empty_page_and_not_a_challenge() {
    let layer = layer();
    let nothing = page("tower").results(0).to_html();
    let response = through(&layer, html(full(nothing.clone()))).await;
    let page = response.into_body().page().await.unwrap();
    assert_eq!((page.kind, page.results.len()), (PageKind::NoResults, 0));
    let response = through(&layer, html(full(nothing))).await;
    assert!(response.into_body().results().next().await.is_none());
    open(&layer);
}
