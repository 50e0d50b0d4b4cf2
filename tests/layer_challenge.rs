//! Challenges: known by their form, in the moment it is read, whatever they come under.

mod support;

use std::time::Duration;

use futures_util::StreamExt;
use http::StatusCode;
use http_body_util::BodyExt;
use search_gate::{
    BACKOFF, Cause, Error, SearchBody, SearchGateLayer, THROTTLE_HINT, testing::Row,
};
use support::answer::{
    FedBody, LENGTHS, all, challenge, chunked, fed, full, html, html_with, layer, page, through,
    times_throttled,
};
use tokio_test::task;

/// Feeds the page byte by byte, lets `poll` look at the body after each, and gives the offset at which the gate was closed.
fn closes_at<R>(
    layer: &SearchGateLayer,
    content: &str,
    read: impl FnOnce(SearchBody<FedBody>) -> R,
    mut poll: impl FnMut(&mut task::Spawn<R>),
) -> usize {
    let (feed, body) = fed();
    let mut response = task::spawn(through(layer, html(body)));
    let std::task::Poll::Ready(response) = response.poll() else {
        panic!("the answer is there");
    };
    let mut reading = task::spawn(read(response.into_body()));
    for (offset, byte) in content.bytes().enumerate() {
        feed.data(vec![byte]);
        poll(&mut reading);
        if let Some(left) = layer.gate().backoff_left() {
            assert_eq!(left, BACKOFF);
            return offset;
        }
    }
    panic!("the gate was not closed");
}

fn form_of(content: &str) -> std::ops::Range<usize> {
    let start = content.find("<form").unwrap();
    start..content[start..].find("</form>").unwrap() + start
}

#[tokio::test(start_paused = true)]
async fn a_challenge_closes_the_gate_in_the_moment_its_form_is_read_when_passed_on() {
    let content = challenge();
    let at = closes_at(
        &layer(),
        &content,
        |body| body,
        |body| {
            while let std::task::Poll::Ready(frame) =
                body.enter(|cx, body| http_body::Body::poll_frame(body, cx))
            {
                frame.unwrap().unwrap();
            }
        },
    );
    assert!(form_of(&content).contains(&at), "at {at}");
}

#[tokio::test(start_paused = true)]
async fn a_challenge_closes_the_gate_in_the_moment_its_form_is_read_as_results() {
    let content = challenge();
    let layer = layer();
    let mut error = None;
    let at = closes_at(&layer, &content, SearchBody::results, |results| {
        if let std::task::Poll::Ready(Some(result)) = results.poll_next() {
            error = Some(result.unwrap_err());
        }
    });
    assert!(form_of(&content).contains(&at), "at {at}");
    is_challenge(&error.expect("the rest is not waited for"));
}

#[tokio::test(start_paused = true)]
async fn a_challenge_closes_the_gate_in_the_moment_its_form_is_read_as_a_page() {
    let content = challenge();
    let mut error = None;
    let at = closes_at(&layer(), &content, SearchBody::page, |page| {
        if let std::task::Poll::Ready(page) = page.poll() {
            error = Some(page.unwrap_err());
        }
    });
    assert!(form_of(&content).contains(&at), "at {at}");
    is_challenge(&error.expect("the rest is not waited for"));
}

fn is_challenge(error: &Error) {
    assert!(error.is_throttled());
    assert_eq!(error.throttled_by(), Some(Cause::Challenge));
    assert_eq!(error.retry_after(), Some(BACKOFF));
    assert!(!error.is_refused() && !error.is_unrecognised() && !error.is_transport());
    let says = format!("{THROTTLE_HINT}: in 60 s the gate is open again");
    assert!(error.to_string().ends_with(&says), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_challenge_read_as_results_ends_in_an_error_and_then_is_over() {
    for length in LENGTHS {
        let layer = layer();
        let response = through(&layer, html(chunked(challenge(), length))).await;
        let mut results = response.into_body().results();
        is_challenge(&results.next().await.unwrap().unwrap_err());
        assert!(results.next().await.is_none());
        assert!(results.next().await.is_none());
        assert_eq!(times_throttled(&layer), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_that_is_passed_on_is_not_changed() {
    for length in LENGTHS {
        let layer = layer();
        let response = through(&layer, html(chunked(challenge(), length))).await;
        let (bytes, _) = all(response.into_body()).await;
        assert!(bytes == challenge());
        assert_eq!(times_throttled(&layer), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_under_an_error_status_is_one_too() {
    for status in [StatusCode::NOT_FOUND, StatusCode::INTERNAL_SERVER_ERROR] {
        let layer = layer();
        let response = through(&layer, html_with(status, full(challenge()))).await;
        is_challenge(&response.into_body().page().await.unwrap_err());
        assert_eq!(times_throttled(&layer), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn words_of_the_challenge_in_queries_and_snippets_are_no_sign() {
    let markup = r#"<form id="challenge-form" action="//duckduckgo.com/anomaly.js?a=1">"#;
    for ads in [0, 2] {
        let content = page(markup).ads(ads).with_rows([
            Row::new(markup, "https://a.example/anomaly.js").snippet(markup),
            Row::new("anomaly-modal__mask", "https://b.example/#challenge-form").snippet("a"),
        ]);
        for length in LENGTHS {
            let layer = layer();
            let body = chunked(content.to_html(), length);
            let page = through(&layer, html(body)).await.into_body().page().await;
            assert_eq!(page.unwrap().results.len(), 2);
            let body = chunked(content.to_html(), length);
            all(through(&layer, html(body)).await.into_body()).await;
            assert_eq!(layer.gate().backoff_left(), None);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_throttled_by_status_and_challenge_counts_once() {
    let ways: [fn(SearchBody<FedBody>) -> futures_util::future::BoxFuture<'static, Option<Error>>;
        3] = [
        |body| Box::pin(async { body.collect().await.err() }),
        |body| Box::pin(async { body.page().await.err() }),
        |body| Box::pin(async { body.results().next().await.unwrap().err() }),
    ];
    for (way, read) in ways.into_iter().enumerate() {
        let layer = layer();
        let body = chunked(challenge(), 100);
        let response = through(&layer, html_with(StatusCode::ACCEPTED, body)).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let error = read(response.into_body()).await;
        assert_eq!(error.is_some(), way > 0);
        if let Some(error) = error {
            let by_status = Cause::Status(StatusCode::ACCEPTED);
            assert_eq!(error.throttled_by(), Some(by_status));
        }
        assert_eq!(times_throttled(&layer), 1);
        let left = BACKOFF - Duration::from_secs(1);
        assert_eq!(layer.gate().backoff_left(), Some(left), "not begun anew");
    }
}
