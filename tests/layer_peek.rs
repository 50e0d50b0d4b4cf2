//! Heads held back until the page's first lines have told whether it is a challenge: when they are handed out, and with what.

mod support;

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use search_gate::{BACKOFF, Cause, REQUEST_LIMIT, Refusal, SearchBody, Throttled};
use support::{
    INTERVAL,
    answer::{
        FedBody, LENGTHS, all, challenge, chunked, fed, full, html, html_with, page, peeking,
        through, times_throttled,
    },
    service::{Probe, request},
    trial::kept_waiting,
};
use tokio::time::advance;
use tokio_test::{assert_pending, assert_ready, task};
use tower::{Layer, ServiceExt};

/// The answer with headers that describe its bytes.
fn with_digests<B>(mut answer: Response<B>, length: usize) -> Response<B> {
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    headers.insert(header::ETAG, HeaderValue::from_static("\"a\""));
    headers.insert("content-digest", HeaderValue::from_static("sha-256=:AA=:"));
    headers.insert(header::SET_COOKIE, HeaderValue::from_static("a=1"));
    answer
}

fn throttled_by<B>(response: &Response<B>) -> Option<Cause> {
    let throttled = response.extensions().get::<Throttled>();
    throttled.map(Throttled::cause)
}

#[tokio::test(start_paused = true)]
async fn a_challenge_under_200_is_told_in_the_head() {
    for length in LENGTHS {
        let layer = peeking();
        let content = challenge();
        let answer = html(chunked(content.clone(), length));
        let answer = with_digests(answer, content.len());
        let headers = answer.headers().clone();
        let response = through(&layer, answer).await;
        assert_eq!(throttled_by(&response), Some(Cause::Challenge));
        let throttled = response.extensions().get::<Throttled>().unwrap();
        assert_eq!(throttled.backoff(), BACKOFF);
        assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers(), &headers, "the body stays as it came");
        assert!(all(response.into_body()).await.0 == content);
        assert_eq!(times_throttled(&layer), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_is_told_when_its_form_has_been_read_and_no_later() {
    let content = challenge();
    let end_of_form = content.find("</form>").unwrap() + "</form>".len();
    let layer = peeking();
    let (feed, body) = fed();
    let mut head = task::spawn(through(&layer, html(body)));
    assert_pending!(head.poll());
    feed.data(content[..end_of_form].to_owned());
    assert!(head.is_woken());
    assert!(throttled_by(&assert_ready!(head.poll())).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_challenge_known_only_at_its_end_is_told_in_the_head_too() {
    let form = r#"<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>"#;
    // What follows it is a result, for all that is known, until it has ended; and then nobody would have seen it.
    let link = r#"<a class="result__a" href="https://a.example/"><b hidden>a</b></a>"#;
    let content = format!("<html>{form}<div class=\"result\">{link}");
    for length in LENGTHS {
        let layer = peeking();
        let answer = with_digests(html(chunked(content.clone(), length)), content.len());
        let headers = answer.headers().clone();
        let response = through(&layer, answer).await;
        assert_eq!(throttled_by(&response), Some(Cause::Challenge));
        assert_eq!(response.headers(), &headers);
        assert!(all(response.into_body()).await.0 == content);
        assert_eq!(times_throttled(&layer), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_found_in_the_head_is_an_error_for_who_asks_for_data() {
    let layer = peeking();
    let body = through(&layer, html(chunked(challenge(), 1000))).await;
    let error = body.into_body().page().await.unwrap_err();
    assert_eq!(error.throttled_by(), Some(Cause::Challenge));
    advance(BACKOFF).await;
    let body = through(&layer, html(chunked(challenge(), 1000))).await;
    let error = body.into_body().results().next().await.unwrap();
    assert_eq!(error.unwrap_err().throttled_by(), Some(Cause::Challenge));
}

#[tokio::test(start_paused = true)]
async fn a_page_of_results_has_no_mark_and_loses_the_headers_of_its_bytes() {
    for (results, ads) in [(10, 0), (10, 2), (0, 0), (0, 2)] {
        for length in LENGTHS {
            let layer = peeking();
            let content = page("tower").results(results).ads(ads).to_html();
            let answer = with_digests(html(chunked(content.clone(), length)), content.len());
            let response = through(&layer, answer).await;
            assert_eq!(throttled_by(&response), None);
            let names = [header::CONTENT_TYPE, header::SET_COOKIE];
            assert!(response.headers().keys().eq(&names), "{response:?}");
            let page = response.into_body().page().await.unwrap();
            assert_eq!((page.results.len(), page.ads_dropped), (results, ads));
            assert_eq!(layer.gate().backoff_left(), None);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_comes_with_the_first_result_and_other_turns_with_it() {
    let content = page("tower").to_html();
    let second = content
        .match_indices("<div class=\"result ")
        .nth(1)
        .unwrap()
        .0;
    let layer = peeking();
    let (feed, body) = fed();
    let mut head = task::spawn(through(&layer, html(body)));
    assert_pending!(head.poll());
    let mut next = kept_waiting(&layer).await;
    feed.data(content[..second - 500].to_owned());
    assert_pending!(head.poll());
    next.still_waits();
    feed.data(content[second - 500..second].to_owned());
    let response = assert_ready!(head.poll());
    next.goes();
    feed.data(content[second..].to_owned());
    drop(feed);
    assert_eq!(response.into_body().results().count().await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_page_without_results_is_known_at_its_end_and_other_turns_come_with_it() {
    let layer = peeking();
    let (feed, body) = fed();
    feed.data(page("tower").results(0).to_html());
    let mut head = task::spawn(through(&layer, html(body)));
    assert_pending!(head.poll());
    let mut next = kept_waiting(&layer).await;
    next.still_waits();
    drop(feed);
    let _unread = assert_ready!(head.poll());
    next.goes();
}

#[tokio::test(start_paused = true)]
async fn a_challenge_keeps_everyone_else_from_being_sent() {
    let layer = peeking();
    let (feed, body) = fed();
    let mut head = task::spawn(through(&layer, html(body)));
    assert_pending!(head.poll());
    let probe = Probe::default();
    let mut next = task::spawn(layer.layer(probe.clone()).oneshot(request()));
    assert_pending!(next.poll());
    advance(2 * INTERVAL).await;
    feed.data(challenge());
    assert_ready!(head.poll());
    assert!(next.is_woken());
    let error = assert_ready!(next.poll()).unwrap_err();
    assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
    assert!(probe.starts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_page_of_no_known_kind_is_held_back_for_32_kib_and_no_more() {
    let kib = Bytes::from("<p>Something else</p> ".repeat(100)).slice(..1024);
    for length in [1, 7, 1024] {
        let layer = peeking();
        let (feed, body) = fed();
        let mut head = task::spawn(through(&layer, html(body)));
        let frames = |count: usize| {
            for mut kib in std::iter::repeat_n(kib.clone(), count) {
                while !kib.is_empty() {
                    feed.data(kib.split_to(length.min(kib.len())));
                }
            }
        };
        frames(31);
        settles(&mut head);
        frames(1);
        let response = loop {
            if let std::task::Poll::Ready(response) = head.poll() {
                break response;
            }
            assert!(head.is_woken());
        };
        // Still not known: nobody else is sent until it has been read or dropped.
        let next = kept_waiting(&layer).await;
        frames(32);
        drop(feed);
        assert_eq!(all(response.into_body()).await.0.len(), 64 * 1024);
        next.goes();
        assert_eq!(times_throttled(&layer), 0);
    }
}

/// Polls until it waits for what is yet to come.
fn settles<F: Future<Output: std::fmt::Debug>>(head: &mut task::Spawn<F>) {
    loop {
        assert_pending!(head.poll());
        if !head.is_woken() {
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_no_page_to_read_is_not_held_back() {
    let mut json = Response::new(());
    let value = HeaderValue::from_static("application/json");
    json.headers_mut().insert(header::CONTENT_TYPE, value);
    let mut zipped = html(());
    let gzip = HeaderValue::from_static("gzip");
    zipped.headers_mut().insert(header::CONTENT_ENCODING, gzip);
    let refused = html_with(StatusCode::FORBIDDEN, ());
    for answer in [json, zipped, refused, Response::new(())] {
        let (feed, body) = fed();
        let mut answer = with_digests(answer.map(|()| body), 2);
        answer
            .headers_mut()
            .insert("x-a", HeaderValue::from_static("b"));
        let headers = answer.headers().clone();
        let layer = peeking();
        let mut head = task::spawn(through(&layer, answer));
        let response = assert_ready!(head.poll());
        assert_eq!(response.headers(), &headers);
        feed.data("{}");
        drop(feed);
        assert_eq!(all(response.into_body()).await.0, "{}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_reader_gives_up_on_is_not_held_back_any_longer() {
    for start in [&b"\x1f\x8b\x08\0\0\0"[..], b"\xff\xfe<\0h\0"] {
        let (feed, body) = fed();
        feed.data(start);
        let layer = peeking();
        let mut head = task::spawn(through(&layer, html(body)));
        assert_ready!(head.poll());
        drop(feed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_dropped_while_its_head_is_held_back_keeps_nobody_waiting() {
    let layer = peeking();
    let (feed, body) = fed();
    feed.data("<p>Something");
    let mut head = task::spawn(Box::pin(through(&layer, html(body))));
    assert_pending!(head.poll());
    let next = kept_waiting(&layer).await;
    drop(head);
    assert!(feed.is_abandoned());
    next.goes();
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_while_its_head_is_held_back_gives_the_head_then_its_timeout() {
    let layer = peeking();
    let (feed, body) = fed();
    feed.data("<p>Something");
    let mut head = task::spawn(through(&layer, html(body)));
    assert_pending!(head.poll());
    advance(REQUEST_LIMIT + Duration::from_millis(1)).await;
    assert!(head.is_woken());
    let response = assert_ready!(head.poll());
    feed.data("too late");
    let mut body = response.into_body();
    assert_eq!(data(&mut body).await, "<p>Something");
    assert!(body.frame().await.unwrap().unwrap_err().is_timeout());
    assert!(body.frame().await.is_none());
}

async fn data(body: &mut SearchBody<FedBody>) -> Bytes {
    body.frame().await.unwrap().unwrap().into_data().unwrap()
}

#[tokio::test(start_paused = true)]
async fn empty_frames_without_end_are_neither_kept_nor_waited_for() {
    struct Empty;
    impl Body for Empty {
        type Data = Bytes;
        type Error = std::convert::Infallible;
        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            std::task::Poll::Ready(Some(Ok(Frame::data(Bytes::new()))))
        }
    }
    let response = through(&peeking(), html(Empty)).await;
    assert_eq!(throttled_by(&response), None);
}

#[tokio::test(start_paused = true)]
async fn an_empty_page_is_handed_out_at_once() {
    for answer in [html(full("")), html_with(StatusCode::NOT_FOUND, full(""))] {
        let layer = peeking();
        let response = through(&layer, answer).await;
        let next = kept_waiting(&layer).await;
        assert_eq!(
            all(response.into_body()).await,
            (Bytes::new(), None::<HeaderMap>)
        );
        next.goes();
    }
}
