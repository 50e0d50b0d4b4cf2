//! The body behind the gate: what is passed on, what is cut, and what it gives as data.

mod support;

use std::{convert::Infallible, pin::Pin, task::Poll};

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use search_gate::{BoxError, 
    PageKind, SearchBody, SearchGateLayer,
    testing::{ResultPage, Row},
};
use support::{
    answer::{
        FedBody, all, chunked, fed, full, html, html_with, page, through, through_for, trailers,
    },
    gate,
};
use tokio_test::{assert_pending, assert_ready, task};

const LENGTHS: [usize; 4] = [1, 7, 1000, usize::MAX];

/// Headers that name the body's bytes, each with a value that is let stand or gone but never changed.
const OF_THE_BYTES: [(&str, &str); 7] = [
    ("content-length", "12"),
    ("etag", "\"a\""),
    ("accept-ranges", "bytes"),
    ("digest", "sha-256=AA=="),
    ("content-digest", "sha-256=:AA=:"),
    ("repr-digest", "sha-256=:AA=:"),
    ("content-md5", "AA=="),
];

fn layer() -> SearchGateLayer {
    SearchGateLayer::new(gate())
}

fn with_headers<B>(mut answer: Response<B>) -> Response<B> {
    for (name, value) in OF_THE_BYTES.into_iter().chain([("x-other", "stays")]) {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn rows(count: usize) -> Vec<Row> {
    page("tower").results(count).rows()
}

async fn body_of<B>(answer: Response<B>) -> SearchBody<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    through(&layer(), answer).await.into_body()
}

// ===== passed on =====

/// The page with its ad blocks taken out by hand: what stands from each block's first tag to its last.
fn without_ads(html: &str) -> String {
    let blocks: Vec<_> = html.match_indices("<div class=\"result ").collect();
    let ends = "</div>\n                  </div>\n";
    let mut out = String::new();
    let mut from = 0;
    for (start, _) in blocks {
        let tag = &html[start..start + html[start..].find('>').unwrap()];
        if tag.contains("result--ad") {
            out.push_str(&html[from..start]);
            from = start + html[start..].find(ends).unwrap() + ends.len() - 1;
        }
    }
    out + &html[from..]
}

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

// ===== headers =====

#[tokio::test(start_paused = true)]
async fn headers_that_describe_the_bytes_go_when_the_body_may_change() {
    for content_type in [
        "text/html",
        "Text/HTML; charset=utf-8",
        "application/xhtml+xml",
    ] {
        let mut answer = with_headers(html(full("<p>")));
        let value = HeaderValue::from_static(content_type);
        answer.headers_mut().insert(header::CONTENT_TYPE, value);
        let response = through(&layer(), answer).await;
        for (name, _) in OF_THE_BYTES {
            assert!(!response.headers().contains_key(name), "{name}");
        }
        assert_eq!(response.headers()["x-other"], "stays");
        assert_eq!(response.headers()["content-type"], content_type);
        let hint = response.body().size_hint();
        assert_eq!((hint.lower(), hint.upper()), (0, None));
    }
}

/// Answers whose bodies are none of the layer's business, with the method that was asked with and a word of why.
fn others<B>(body: impl Fn() -> B) -> Vec<(&'static str, Response<B>, &'static str)> {
    let status = |status| html_with(StatusCode::from_u16(status).unwrap(), body());
    let header = |name, value| {
        let mut answer = html(body());
        let value = HeaderValue::from_static(value);
        answer.headers_mut().insert(name, value);
        answer
    };
    let mut nameless = html(body());
    nameless.headers_mut().remove(header::CONTENT_TYPE);
    vec![
        ("HEAD", html(body()), "carries none"),
        ("GET", status(204), "carries none"),
        ("GET", status(205), "carries none"),
        ("GET", status(206), "carries none"),
        ("GET", status(304), "carries none"),
        (
            "GET",
            header(header::CONTENT_TYPE, "application/json"),
            "application/json",
        ),
        (
            "GET",
            header(header::CONTENT_TYPE, "text/plain; charset=utf-8"),
            "text/plain",
        ),
        ("GET", nameless, "does not say"),
        (
            "GET",
            header(header::CONTENT_ENCODING, "gzip"),
            "decompression layer inside",
        ),
    ]
}

fn asked_with(method: &str) -> Request<Full<Bytes>> {
    Request::builder().method(method).body(full("")).unwrap()
}

#[tokio::test(start_paused = true)]
async fn what_is_not_read_passes_untouched() {
    let content = page("tower").ads(2).to_html();
    for (method, answer, why) in others(|| full(content.clone())) {
        let answer = with_headers(answer);
        let headers = answer.headers().clone();
        let response = through_for(&layer(), asked_with(method), answer).await;
        assert_eq!(response.headers(), &headers, "{why}");
        let mut body = response.into_body();
        assert_eq!(body.size_hint().exact(), Some(content.len() as u64));
        assert!(!body.is_end_stream());
        let data = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(data == content);
        assert!(body.is_end_stream());
        assert_eq!(body.size_hint().exact(), Some(0));
        assert!(body.frame().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_read_keeps_its_frames_and_trailers() {
    for (method, answer, why) in others(|| {
        let (feed, body) = fed();
        feed.data("<div class=\"result result--ad\">");
        feed.data("");
        feed.data("</div>");
        feed.trailers(trailers());
        body
    }) {
        let response = through_for(&layer(), asked_with(method), answer).await;
        let mut body = response.into_body();
        let mut frames = Vec::new();
        while let Some(frame) = body.frame().await {
            frames.push(
                frame
                    .unwrap()
                    .into_data()
                    .map_err(|frame| frame.into_trailers().unwrap()),
            );
        }
        assert_eq!(frames.len(), 4, "{why}");
        assert_eq!(frames[1], Ok(Bytes::new()));
        assert_eq!(frames[3], Err(trailers()));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_read_gives_no_data_and_says_why() {
    for (method, answer, why) in others(|| full("<p>")) {
        let response = through_for(&layer(), asked_with(method), answer).await;
        let error = response.into_body().page().await.unwrap_err();
        assert!(error.is_unreadable() && !error.is_unrecognised());
        assert!(error.to_string().contains(why), "{error}");
    }
    for (method, answer, why) in others(|| full("<p>")) {
        let response = through_for(&layer(), asked_with(method), answer).await;
        let mut results = response.into_body().results();
        let error = results.next().await.unwrap().unwrap_err();
        assert!(
            error.is_unreadable() && error.to_string().contains(why),
            "{error}"
        );
        assert!(results.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn any_encoding_that_is_left_is_named() {
    for (value, named) in [("br", "br"), ("gzip, br", "gzip, br"), ("x-GZIP", "x-GZIP")] {
        let mut answer = html(full("?"));
        let value = HeaderValue::from_static(value);
        answer.headers_mut().insert(header::CONTENT_ENCODING, value);
        let error = body_of(answer).await.page().await.unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
    let mut answer = html(full(page("tower").to_html()));
    let identity = HeaderValue::from_static("Identity");
    answer
        .headers_mut()
        .insert(header::CONTENT_ENCODING, identity);
    body_of(answer).await.page().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_page_still_compressed_without_saying_so_is_an_error_that_says_it() {
    let error = body_of(html(full(&b"\x1f\x8b\x08\0\0\0\0\0"[..])))
        .await
        .page()
        .await
        .unwrap_err();
    assert!(error.is_unrecognised());
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("compressed"), "{source}");
}

#[tokio::test(start_paused = true)]
async fn an_error_page_is_passed_on_with_its_headers_and_size() {
    let answer = with_headers(html_with(StatusCode::NOT_FOUND, full("<p>gone")));
    let headers = answer.headers().clone();
    let response = through(&layer(), answer).await;
    assert_eq!(response.headers(), &headers);
    assert_eq!(response.body().size_hint().exact(), Some(7));
    assert_eq!(all(response.into_body()).await.0, "<p>gone");
}

// ===== how it ends =====

#[tokio::test(start_paused = true)]
async fn trailers_come_last_after_what_was_held_back() {
    // The last block is still open at the end, and so is held back until then.
    let came = "<p>a</p><div class=\"result\"><h2 class=\"result__title\">";
    for length in LENGTHS {
        let (feed, body) = fed();
        for chunk in came.as_bytes().chunks(length.min(came.len())) {
            feed.data(chunk.to_vec());
        }
        feed.trailers(trailers());
        drop(feed);
        let mut body = body_of(html(body)).await;
        let mut passed = Vec::new();
        let last = loop {
            match body.frame().await.unwrap().unwrap().into_data() {
                Ok(data) => passed.extend_from_slice(&data),
                Err(last) => break last,
            }
        };
        assert_eq!(passed, came.as_bytes());
        assert_eq!(last.into_trailers().unwrap(), trailers());
        assert!(body.frame().await.is_none());
        assert!(body.is_end_stream());
    }
}

#[tokio::test(start_paused = true)]
async fn trailers_that_describe_the_bytes_go_when_the_body_may_change() {
    let digests = || {
        let mut digests = trailers();
        let digest = HeaderValue::from_static("sha-256=:AA=:");
        digests.insert("content-digest", digest.clone());
        digests.insert("repr-digest", digest);
        digests
    };
    for (status, expected) in [
        (StatusCode::OK, trailers()),
        (StatusCode::NOT_FOUND, digests()),
        (StatusCode::ACCEPTED, digests()),
    ] {
        let (feed, body) = fed();
        feed.data("<p>a</p>");
        feed.trailers(digests());
        drop(feed);
        let (_, trailing) = all(body_of(html_with(status, body)).await).await;
        assert_eq!(trailing, Some(expected), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_that_is_up_gives_what_was_held_back_then_the_error() {
    let came = "<p>a</p><div class=\"result\"><h2 class=\"result__title\">";
    let (feed, body) = fed();
    feed.data(came);
    let mut body = body_of(html(body)).await;
    let mut passed = Vec::new();
    let error = loop {
        match body.frame().await.unwrap() {
            Ok(frame) => passed.extend_from_slice(&frame.into_data().unwrap()),
            Err(error) => break error,
        }
    };
    assert_eq!(passed, came.as_bytes());
    assert!(error.is_timeout());
    assert!(body.is_end_stream());
    assert!(body.frame().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_gives_what_came_then_the_error_then_nothing() {
    let came = page("tower").ads(1).to_html();
    let came = &came[..came.len() / 2];
    for length in LENGTHS {
        let (feed, body) = fed();
        for chunk in came.as_bytes().chunks(length.min(came.len())) {
            feed.data(chunk.to_vec());
        }
        feed.fail("reset");
        drop(feed);
        let mut body = body_of(html(body)).await;
        let mut passed = Vec::new();
        let error = loop {
            match body.frame().await.unwrap() {
                Ok(frame) => passed.extend_from_slice(&frame.into_data().unwrap()),
                Err(error) => break error,
            }
            assert!(!body.is_end_stream(), "the error is still to come");
        };
        assert_eq!(String::from_utf8(passed).unwrap(), without_ads(came));
        assert!(error.is_transport());
        assert_eq!(
            std::error::Error::source(&error).unwrap().to_string(),
            "reset"
        );
        for _ in 0..3 {
            assert!(body.is_end_stream());
            assert!(body.frame().await.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_html_body_is_told_once_all_has_been_handed_out() {
    let mut body = body_of(html(chunked("<p>a</p>", 4))).await;
    assert!(!body.is_end_stream());
    while let Some(frame) = body.frame().await {
        frame.unwrap();
    }
    assert!(body.is_end_stream());
    assert!(body.frame().await.is_none());
}

// ===== results =====

#[tokio::test(start_paused = true)]
async fn a_result_is_given_as_soon_as_its_markup_has_arrived() {
    let came = page("tower").ads(1).to_html();
    let third = came.match_indices("<div class=\"result ").nth(4).unwrap().0;
    for length in LENGTHS {
        let (feed, body) = fed();
        // Up to the fourth result's block; the first of all is the ad.
        for chunk in came.as_bytes()[..third].chunks(length.min(third)) {
            feed.data(chunk.to_vec());
        }
        let mut results = task::spawn(body_of(html(body)).await.results());
        for row in rows(3) {
            let result = assert_ready!(results.poll_next()).unwrap().unwrap();
            assert_eq!((result.title, result.url), (row.title, row.url));
        }
        assert_pending!(results.poll_next());
        feed.data(came.as_bytes()[third..].to_vec());
        drop(feed);
        assert!(results.is_woken());
        for row in &rows(10)[3..] {
            let result = assert_ready!(results.poll_next()).unwrap().unwrap();
            assert_eq!(result.url, row.url);
        }
        assert!(assert_ready!(results.poll_next()).is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn results_that_have_arrived_come_before_the_error() {
    let came = page("tower").to_html();
    let third = came.match_indices("<div class=\"result ").nth(3).unwrap().0;
    for length in LENGTHS {
        let (feed, body) = fed();
        for chunk in came.as_bytes()[..third].chunks(length.min(third)) {
            feed.data(chunk.to_vec());
        }
        feed.fail("reset");
        let mut results = body_of(html(body)).await.results();
        for row in rows(3) {
            assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
        }
        assert!(results.next().await.unwrap().unwrap_err().is_transport());
        assert!(results.next().await.is_none());
        assert!(results.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn results_that_have_arrived_come_before_the_timeout() {
    let came = page("tower").to_html();
    let (feed, body) = fed();
    feed.data(came[..came.find("<div class=\"feedback").unwrap()].to_owned());
    let mut results = body_of(html(body)).await.results();
    for row in rows(10) {
        assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
    }
    assert!(results.next().await.unwrap().unwrap_err().is_timeout());
    assert!(results.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn results_are_those_of_the_page_whatever_the_chunks() {
    let came = page("tower").ads(2).to_html();
    for length in LENGTHS {
        let body = body_of(html(chunked(came.clone(), length))).await;
        let whole = body.page().await.unwrap();
        assert_eq!((whole.kind, whole.status), (PageKind::Results, Some(200)));
        assert_eq!((whole.ads_dropped, whole.truncated), (2, false));
        let body = body_of(html(chunked(came.clone(), length))).await;
        let results: Vec<_> = body.results().map(Result::unwrap).collect().await;
        assert_eq!(results, whole.results);
        assert_eq!(results.len(), 10);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_gives_all_that_stands_on_it() {
    let came = ResultPage::new("tower")
        .zero_click("A tower is a tall building.")
        .spelling("towers")
        .to_html();
    let page = body_of(html(full(came))).await.page().await.unwrap();
    assert_eq!(page.zero_click.unwrap().text, "A tower is a tall building.");
    assert!(page.spelling.is_some() && page.next.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_page_with_trailers_is_read_as_data_too() {
    let (feed, body) = fed();
    feed.data(page("tower").to_html());
    feed.trailers(trailers());
    drop(feed);
    let page = body_of(html(body)).await.page().await.unwrap();
    assert_eq!(page.results.len(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_body_partly_passed_on_gives_no_data() {
    let came = page("tower").to_html();
    for status in [StatusCode::OK, StatusCode::NOT_FOUND, StatusCode::ACCEPTED] {
        let mut body = body_of(html_with(status, chunked(came.clone(), 1000))).await;
        body.frame().await.unwrap().unwrap();
        let error = body.page().await.unwrap_err();
        assert!(error.is_unreadable(), "{error}");
        assert!(error.to_string().contains("passed on"), "{error}");
    }
    let mut body = body_of(html(chunked(came, 1000))).await;
    while body.frame().await.is_some() {}
    let error = body.results().next().await.unwrap().unwrap_err();
    assert!(error.is_unreadable(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn results_that_are_dropped_midway_drop_the_body() {
    let (feed, body) = fed();
    feed.data(page("tower").to_html());
    let mut results = body_of(html(body)).await.results();
    results.next().await.unwrap().unwrap();
    assert!(!feed.is_abandoned());
    drop(results);
    assert!(feed.is_abandoned());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_read_no_further_than_the_reader_goes() {
    /// Always ready, and endless.
    struct Endless(Bytes);
    impl Body for Endless {
        type Data = Bytes;
        type Error = Infallible;
        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(Some(Ok(Frame::data(self.0.clone()))))
        }
    }
    let endless = |frame: &str| html(Endless(Bytes::from(frame.repeat(16 * 1024))));
    for frame in ["<div>", "<a ", "text"] {
        let page = body_of(endless(frame)).await.page().await;
        assert!(page.unwrap_err().is_unrecognised());
    }
    let mut results = body_of(endless("<div>")).await.results();
    let error = results.next().await.unwrap().unwrap_err();
    assert!(error.is_unrecognised());
    assert!(results.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_hundred_megabytes_of_one_tag_pass_whole_and_pile_up_nowhere() {
    let start = Bytes::from("<p>a</p><div class=\"result\"><a href=\"");
    let chunk = Bytes::from(vec![b'x'; 64 * 1024]);
    let chunks = 100 * 1024 * 1024 / chunk.len();
    let (feed, body) = fed();
    let mut body = task::spawn(body_of(html(body)).await);
    let (mut came, mut passed) = (0, 0);
    let mut held = 0;
    for frame in std::iter::once(&start).chain(std::iter::repeat_n(&chunk, chunks)) {
        feed.data(frame.clone());
        came += frame.len();
        while let Poll::Ready(frame) = body.enter(|cx, body| body.poll_frame(cx)) {
            passed += frame.unwrap().unwrap().into_data().unwrap().len();
        }
        held = held.max(came - passed);
    }
    drop(feed);
    while let Poll::Ready(Some(frame)) = body.enter(|cx, body| body.poll_frame(cx)) {
        passed += frame.unwrap().into_data().unwrap().len();
    }
    assert_eq!(passed, came);
    assert!(held <= 256 * 1024, "{held} bytes were held back");
}

// ===== kinds of bodies =====

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
