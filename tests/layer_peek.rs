//! Heads held back until the page's first lines have told whether it is a challenge: when they are handed out, and with what.

mod support;

use futures_util::StreamExt;
use http::{HeaderValue, Response, StatusCode, header};
use search_gate::{BACKOFF, Cause, Refusal, Throttled};
use support::{
    INTERVAL,
    answer::{
        LENGTHS, all, challenge, chunked, fed, html, page, peeking, through, times_throttled,
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
