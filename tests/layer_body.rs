//! The body passed on: what goes as it came, what is cut, and which bodies will do.

mod support;

use std::{convert::Infallible, pin::Pin, task::Poll};

use bytes::Bytes;
use futures_util::StreamExt;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use search_gate::SearchBody;
use support::answer::{
    FedBody, LENGTHS, all, body_of, chunked, fed, full, html, page, without_ads,
};
use tokio_test::task;

#[tokio::test(start_paused = true)]
async fn a_page_is_passed_on_without_its_ads_and_else_byte_for_byte() {
    for (ads, results) in [(1, 10), (2, 3), (2, 0)] {
        let came = page("tower").results(results).ads(ads).to_html();
        let expected = without_ads(&came);
        assert_eq!(came.matches("/y.js").count() > 0, ads > 0);
        assert!(!expected.contains("/y.js") && !expected.contains("Advertisement"));
        for length in LENGTHS {
            let (bytes, _) = all(body_of(html(chunked(came.clone(), length))).await).await;
            assert!(bytes == expected, "{ads} ads in chunks of {length}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_without_ads_is_passed_on_byte_for_byte() {
    for results in [0, 10] {
        let came = page("tower").results(results).to_html();
        for length in LENGTHS {
            let (bytes, _) = all(body_of(html(chunked(came.clone(), length))).await).await;
            assert!(bytes == came, "chunks of {length}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_calls_itself_html_and_is_not_is_passed_on_byte_for_byte() {
    let bodies: [&[u8]; 5] = [
        b"",
        b"plain",
        b"\xff\xfe<\0a\0>\0",
        b"\x1f\x8b\x08\0\0",
        b"<a <b <!-- \0\xff",
    ];
    for came in bodies {
        for length in LENGTHS {
            let (bytes, _) = all(body_of(html(chunked(came.to_vec(), length))).await).await;
            assert!(bytes == came, "{came:?} in chunks of {length}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_is_passed_on_as_it_arrives() {
    let came = page("tower").ads(1).to_html();
    let (feed, body) = fed();
    let mut body = task::spawn(body_of(html(body)).await);
    let mut passed = 0;
    for chunk in came.as_bytes().chunks(1000) {
        feed.data(chunk.to_vec());
        while let Poll::Ready(frame) = body.enter(|cx, body| body.poll_frame(cx)) {
            passed += frame.unwrap().unwrap().into_data().unwrap().len();
        }
    }
    // The page has not ended yet, and nothing of it is held back.
    assert_eq!(passed, without_ads(&came).len());
}

#[tokio::test(start_paused = true)]
async fn passed_on_slices_are_the_bytes_that_came_and_no_copies() {
    let came = Bytes::from(page("tower").ads(1).to_html());
    let inside = came.as_ptr_range();
    let mut body = body_of(html(chunked(came.clone(), 1000))).await;
    while let Some(frame) = body.frame().await {
        let data = frame.unwrap().into_data().unwrap();
        assert!(inside.contains(&data.as_ptr()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_cannot_be_shared_between_threads_will_do() {
    fn crosses<T: Send>(_: &T) {}
    let boxed = || UnsyncBoxBody::new(full(page("tower").ads(1).to_html()));
    let body = body_of(html(boxed())).await;
    crosses(&body);
    let page = tokio::spawn(body.page()).await.unwrap().unwrap();
    assert_eq!(page.results.len(), 10);
    let results = body_of(html(boxed())).await.results();
    crosses(&results);
    assert_eq!(results.count().await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_must_stay_where_it_is_will_do() {
    struct Pinned(Full<Bytes>, std::marker::PhantomPinned);
    impl Body for Pinned {
        type Data = Bytes;
        type Error = Infallible;
        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(None)
        }
        fn size_hint(&self) -> SizeHint {
            self.0.size_hint()
        }
    }
    let body = body_of(html(Pinned(full(""), std::marker::PhantomPinned))).await;
    assert!(body.page().await.unwrap_err().is_unrecognised());
    let body = body_of(html(Pinned(full(""), std::marker::PhantomPinned))).await;
    let mut results = Box::pin(body.results());
    assert!(results.next().await.unwrap().is_err());
}

#[tokio::test]
async fn a_default_body_is_the_inner_default_and_gives_no_data() {
    let body = SearchBody::<Full<Bytes>>::default();
    assert!(body.is_end_stream());
    assert_eq!(body.size_hint().exact(), Some(0));
    assert_eq!(all(body).await, (Bytes::new(), None::<HeaderMap>));
    let error = SearchBody::<Full<Bytes>>::default()
        .page()
        .await
        .unwrap_err();
    assert!(error.is_unreadable());
}

#[tokio::test(start_paused = true)]
async fn the_inner_body_can_be_had() {
    let body: SearchBody<FedBody> = body_of(html(chunked("<p>a</p>", 3))).await;
    let _: &FedBody = body.get_ref();
    assert_eq!(all(body).await.0, "<p>a</p>");
}
