//! Heads held back: how long at most, what is not held back at all, and what becomes of a request that ends meanwhile.

mod support;

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use search_gate::{REQUEST_LIMIT, Throttled};
use support::{
    answer::{all, fed, full, html, html_with, peeking, through, times_throttled},
    trial::kept_waiting,
};
use tokio::time::advance;
use tokio_test::{assert_pending, assert_ready, task};

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
        let mut answer = answer.map(|()| body);
        answer
            .headers_mut()
            .insert(header::CONTENT_LENGTH, 2.into());
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
    feed.data("");
    feed.data("<p>Something");
    let mut head = task::spawn(through(&layer, html(body)));
    assert_pending!(head.poll());
    advance(REQUEST_LIMIT + Duration::from_millis(1)).await;
    assert!(head.is_woken());
    let response = assert_ready!(head.poll());
    feed.data("too late");
    let mut body = response.into_body();
    let mut read = BytesMut::new();
    let error = loop {
        match body.frame().await.unwrap() {
            Ok(frame) => read.extend_from_slice(&frame.into_data().unwrap()),
            Err(error) => break error,
        }
    };
    assert_eq!(read, "<p>Something");
    assert!(error.is_timeout());
    assert!(body.frame().await.is_none());
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
    assert!(response.extensions().get::<Throttled>().is_none());
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
