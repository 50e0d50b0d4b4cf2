//! gRPC answers: RESOURCE_EXHAUSTED in headers and trailers, what else closes or opens the gate, and streams that pass untouched.

mod support;

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use http_body::Body;
use http_body_util::BodyExt;
use search_gate::{BACKOFF, Cause, LONGEST_BACKOFF, SearchGateLayer, Throttled};
use support::{
    answer::{FedBody, fed, full, layer, through, times_throttled},
    gate,
    trial::{is_on_trial, on_trial},
};

const TYPES: [&str; 4] = [
    "application/grpc",
    "application/grpc+proto",
    "application/grpc;charset=utf-8",
    "application/grpc-web+proto",
];

fn map<const N: usize>(entries: [(&'static str, &str); N]) -> HeaderMap {
    let entries = entries.map(|(name, value)| {
        let value = HeaderValue::from_str(value).unwrap();
        (http::HeaderName::from_static(name), value)
    });
    entries.into_iter().collect()
}

/// An answer of this content type, with these headers besides.
fn answer<B>(content_type: &'static str, headers: HeaderMap, body: B) -> Response<B> {
    let mut answer = Response::new(body);
    *answer.headers_mut() = headers;
    let content_type = HeaderValue::from_static(content_type);
    answer.headers_mut().insert(CONTENT_TYPE, content_type);
    answer
}

/// A stream of messages that ends in these trailers.
fn stream(trailers: HeaderMap) -> Response<FedBody> {
    let (feed, body) = fed();
    for message in messages() {
        feed.data(message);
    }
    feed.trailers(trailers);
    drop(feed);
    answer(TYPES[0], HeaderMap::new(), body)
}

fn messages() -> [Bytes; 4] {
    // A length-prefixed message, an empty one, and one in two frames.
    [&b"\0\0\0\0\x03abc"[..], b"", b"\0\0\0\0\x06<html", b">"].map(Bytes::from_static)
}

#[tokio::test(start_paused = true)]
async fn exhaustion_in_the_headers_closes_the_gate_and_marks_the_response() {
    for content_type in TYPES {
        let layer = layer();
        let headers = map([("grpc-status", "8"), ("grpc-message", "slow down")]);
        let answer = answer(content_type, headers, full(""));
        let came = answer.headers().clone();
        let response = through(&layer, answer).await;
        assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
        let throttled = response.extensions().get::<Throttled>().unwrap();
        assert_eq!(throttled.cause(), Cause::GrpcStatus);
        assert_eq!(throttled.backoff(), BACKOFF);
        assert_eq!(
            (response.status(), response.headers()),
            (StatusCode::OK, &came)
        );
        assert!(response.body().is_end_stream());
    }
}

#[tokio::test(start_paused = true)]
async fn exhaustion_in_the_trailers_closes_the_gate_when_they_are_read() {
    let layer = layer();
    let trailers = map([("grpc-status", "8"), ("grpc-message", "slow down")]);
    let response = through(&layer, stream(trailers.clone())).await;
    assert!(response.extensions().get::<Throttled>().is_none());
    let mut body = response.into_body();
    for message in messages() {
        let frame = body.frame().await.unwrap().unwrap();
        let data = frame.into_data().unwrap();
        assert_eq!(
            (data.as_ptr(), data.len()),
            (message.as_ptr(), message.len())
        );
        assert_eq!(layer.gate().backoff_left(), None);
    }
    let last = body.frame().await.unwrap().unwrap();
    assert_eq!(last.into_trailers().unwrap(), trailers);
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
    assert!(body.frame().await.is_none());
    assert_eq!(times_throttled(&layer), 1);
}

#[tokio::test(start_paused = true)]
async fn a_pushback_lengthens_the_back_off_and_never_shortens_it() {
    let ten_years = "315360000000";
    for (pushback, backoff) in [
        ("90500", Duration::from_millis(90_500)),
        (" 90500 ", Duration::from_millis(90_500)),
        ("500", BACKOFF),
        ("60000", BACKOFF),
        ("0", BACKOFF),
        ("-1", BACKOFF),
        ("-90500", BACKOFF),
        ("", BACKOFF),
        ("soon", BACKOFF),
        ("90500ms", BACKOFF),
        ("90500.5", BACKOFF),
        (ten_years, LONGEST_BACKOFF),
        ("18446744073709551615", LONGEST_BACKOFF),
    ] {
        let headers = || map([("grpc-status", "8"), ("grpc-retry-pushback-ms", pushback)]);
        let at_once = layer();
        through(&at_once, answer(TYPES[0], headers(), full(""))).await;
        assert_eq!(at_once.gate().backoff_left(), Some(backoff), "{pushback:?}");
        let in_the_end = layer();
        let response = through(&in_the_end, stream(headers())).await;
        response.into_body().collect().await.unwrap();
        assert_eq!(
            in_the_end.gate().backoff_left(),
            Some(backoff),
            "{pushback:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_pushback_without_exhaustion_says_nothing() {
    let layer = layer();
    let headers = map([("grpc-status", "14"), ("grpc-retry-pushback-ms", "90000")]);
    through(&layer, answer(TYPES[0], headers.clone(), full(""))).await;
    let response = through(&layer, stream(headers)).await;
    response.into_body().collect().await.unwrap();
    assert_eq!(times_throttled(&layer), 0);
}

#[tokio::test(start_paused = true)]
async fn other_statuses_neither_close_the_gate_nor_open_it() {
    for status in (1..=17).filter(|status| *status != 8) {
        let status = status.to_string();
        let headers = || map([("grpc-status", &status)]);
        let layer = on_trial().await;
        through(&layer, answer(TYPES[0], headers(), full(""))).await;
        let response = through(&layer, stream(headers())).await;
        response.into_body().collect().await.unwrap();
        assert!(is_on_trial(&layer), "{status}");
        assert_eq!(times_throttled(&layer), 1, "only by the test itself");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_grpc_has_no_grpc_status() {
    let layer = layer();
    for content_type in ["application/json", "text/html", "text/plain"] {
        let headers = map([("grpc-status", "8")]);
        let (feed, body) = fed();
        feed.trailers(headers.clone());
        drop(feed);
        let response = through(&layer, answer(content_type, headers, body)).await;
        assert!(response.extensions().get::<Throttled>().is_none());
        response.into_body().collect().await.unwrap();
    }
    assert_eq!(times_throttled(&layer), 0);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_status_under_grpc_counts_as_one() {
    let layer = layer();
    let mut answer = answer(TYPES[0], map([("grpc-status", "8")]), full(""));
    *answer.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    let response = through(&layer, answer).await;
    let throttled = response.extensions().get::<Throttled>().unwrap();
    assert_eq!(throttled.cause(), Cause::Status(response.status()));
    assert_eq!(times_throttled(&layer), 1);
}

#[tokio::test(start_paused = true)]
async fn status_ok_opens_the_gate_in_the_headers_at_once_and_in_the_trailers_when_they_are_read() {
    let ok = || map([("grpc-status", "0")]);
    let layer = on_trial().await;
    through(&layer, answer(TYPES[0], ok(), full(""))).await;
    assert!(!is_on_trial(&layer));

    let layer = on_trial().await;
    let mut body = through(&layer, stream(ok())).await.into_body();
    while let Some(frame) = body.frame().await {
        let over = frame.unwrap().is_trailers();
        if !over {
            assert!(is_on_trial(&layer));
        }
    }
    assert!(!is_on_trial(&layer));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_dropped_breaks_off_or_ends_without_a_status_is_unknown() {
    let layer = on_trial().await;
    let mut body = through(&layer, stream(map([("grpc-status", "0")])))
        .await
        .into_body();
    body.frame().await.unwrap().unwrap();
    drop(body);
    assert!(is_on_trial(&layer));

    let (feed, body) = fed();
    feed.data(&b"\0\0\0\0\x03abc"[..]);
    feed.fail("reset");
    let response = through(&layer, answer(TYPES[0], HeaderMap::new(), body)).await;
    assert!(
        response
            .into_body()
            .collect()
            .await
            .unwrap_err()
            .is_transport()
    );
    assert!(is_on_trial(&layer));

    for trailers in [
        HeaderMap::new(),
        map([("grpc-status", "")]),
        map([("grpc-status", "00")]),
    ] {
        let response = through(&layer, stream(trailers)).await;
        response.into_body().collect().await.unwrap();
        assert!(is_on_trial(&layer));
    }
    // None of them is still out: the next goes, and its answer is heard.
    let response = through(&layer, stream(map([("grpc-status", "0")]))).await;
    response.into_body().collect().await.unwrap();
    assert!(!is_on_trial(&layer));
    assert_eq!(times_throttled(&layer), 1, "only by the test itself");
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_not_held_back_where_heads_of_pages_are() {
    let peeking = SearchGateLayer::builder().gate(gate()).peek(true).build();
    let (feed, body) = fed();
    let answer = answer(TYPES[0], HeaderMap::new(), body);
    let response = tokio_test::task::spawn(through(&peeking.unwrap(), answer)).poll();
    assert!(response.is_ready());
    drop(feed);
}
