//! Which answers are read and which pass untouched, and what becomes of their headers.

mod support;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use support::answer::{
    all, body_of, fed, full, html, html_with, layer, page, through, through_for, trailers,
};

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

fn with_headers<B>(mut answer: Response<B>) -> Response<B> {
    for (name, value) in OF_THE_BYTES.into_iter().chain([("x-other", "stays")]) {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}

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
