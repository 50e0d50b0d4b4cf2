//! Signs of throttling in the head of an answer, and what they and a page come to.

mod support;

use std::{convert::Infallible, fmt::Debug};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use search_gate::{
    BACKOFF, Cause, Page, Refusal, SearchGateLayer, THROTTLE_HINT, Throttled, Verdict,
    is_throttle_status,
};
use support::{
    answer::{
        all, challenge, fed, full, html_with, layer, page, through, times_throttled, trailers,
    },
    gate,
    service::{Req, request},
};
use tokio::sync::oneshot;
use tokio_test::{assert_pending, assert_ready_err, assert_ready_ok, task};
use tower::{Layer, ServiceExt, service_fn};

const USUAL: [StatusCode; 3] = [
    StatusCode::ACCEPTED,
    StatusCode::FORBIDDEN,
    StatusCode::TOO_MANY_REQUESTS,
];

#[tokio::test(start_paused = true)]
async fn a_throttle_status_closes_the_gate_before_the_response_is_handed_out() {
    for status in USUAL {
        let layer = layer();
        let (answer, answered) = oneshot::channel::<Response<Full<Bytes>>>();
        let answered = std::sync::Mutex::new(Some(answered));
        let client = service_fn(|_: Req| {
            let answered = answered.lock().unwrap().take().expect("one is sent");
            async { Ok::<_, Infallible>(answered.await.unwrap()) }
        });
        let mut sent = task::spawn(layer.layer(client).oneshot(request()));
        assert_pending!(sent.poll());
        let mut queued: Vec<_> = (0..3)
            .map(|_| task::spawn(layer.layer(client).oneshot(request())))
            .collect();
        for request in &mut queued {
            assert_pending!(request.poll());
        }

        answer.send(html_with(status, full(challenge()))).unwrap();
        assert_eq!(layer.gate().backoff_left(), None);
        let response = assert_ready_ok!(sent.poll());
        assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
        assert_eq!(layer.gate().snapshot().queued, 0);
        for request in &mut queued {
            assert!(request.is_woken());
            let error = assert_ready_err!(request.poll());
            assert_eq!(error.refusal(), Some(Refusal::BackingOff(BACKOFF)));
        }

        assert_eq!(response.status(), status);
        let throttled = response.extensions().get::<Throttled>().unwrap();
        assert_eq!(throttled.cause(), Cause::Status(status));
        assert_eq!(throttled.backoff(), BACKOFF);
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_throttled_by_its_status_is_passed_on_as_it_came() {
    for content in [challenge(), page("tower").ads(2).to_html()] {
        let (feed, body) = fed();
        for chunk in content.as_bytes().chunks(1000) {
            feed.data(chunk.to_vec());
        }
        feed.trailers(trailers());
        drop(feed);
        let mut answer = html_with(StatusCode::ACCEPTED, body);
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_LENGTH, content.len().into());
        headers.insert(header::ETAG, HeaderValue::from_static("\"a\""));
        headers.insert("content-digest", HeaderValue::from_static("sha-256=:AA=:"));
        headers.append(header::SET_COOKIE, HeaderValue::from_static("a=1"));
        headers.append(header::SET_COOKIE, HeaderValue::from_static("b=2"));
        let headers = headers.clone();

        let response = through(&layer(), answer).await;
        assert_eq!(response.headers(), &headers);
        let (bytes, trailing) = all(response.into_body()).await;
        assert!(bytes == content, "ads and all");
        assert_eq!(trailing, Some(trailers()));
    }
}

#[tokio::test(start_paused = true)]
async fn other_statuses_say_nothing() {
    for status in [200, 204, 301, 404, 418, 500, 503] {
        let layer = layer();
        let status = StatusCode::from_u16(status).unwrap();
        let response = through(&layer, html_with(status, full(""))).await;
        assert!(response.extensions().get::<Throttled>().is_none());
        response.into_body().collect().await.unwrap();
        assert_eq!(layer.gate().backoff_left(), None, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_can_be_added_to_the_usual_ones() {
    let teapot = StatusCode::IM_A_TEAPOT;
    let layer = || {
        SearchGateLayer::builder()
            .gate(gate())
            .throttle_status(teapot)
            .build()
            .unwrap()
    };
    for status in USUAL.into_iter().chain([teapot]) {
        let layer = layer();
        through(&layer, html_with(status, full(""))).await;
        assert_eq!(layer.gate().backoff_left(), Some(BACKOFF), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_usual_statuses_can_be_replaced_and_mean_nothing_then() {
    let teapot = StatusCode::IM_A_TEAPOT;
    let layer = SearchGateLayer::builder()
        .gate(gate())
        .throttle_statuses([teapot])
        .build()
        .unwrap();
    for status in USUAL {
        for content in [page("tower").to_html(), page("tower").results(0).to_html()] {
            let response = through(&layer, html_with(status, full(content))).await;
            response.into_body().page().await.unwrap();
            assert_eq!(layer.gate().backoff_left(), None, "{status}");
        }
    }
    through(&layer, html_with(teapot, full(""))).await;
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn with_no_statuses_a_challenge_is_still_known_by_its_form() {
    let layer = SearchGateLayer::builder()
        .gate(gate())
        .throttle_statuses([])
        .build()
        .unwrap();
    let response = through(&layer, html_with(StatusCode::ACCEPTED, full(challenge()))).await;
    assert_eq!(layer.gate().backoff_left(), None);
    let error = response.into_body().page().await.unwrap_err();
    assert_eq!(error.throttled_by(), Some(Cause::Challenge));
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn a_throttle_status_counts_on_answers_that_carry_no_page() {
    let head = http::Request::head("/").body(Full::default()).unwrap();
    let layer = layer();
    let answer = html_with(StatusCode::FORBIDDEN, full(""));
    support::answer::through_for(&layer, head, answer).await;
    assert_eq!(times_throttled(&layer), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_under_a_throttle_status_is_given_and_closes_the_gate() {
    for count in [0, 3] {
        let layer = layer();
        let content = page("tower").results(count).ads(1).to_html();
        let response = through(&layer, html_with(StatusCode::ACCEPTED, full(content))).await;
        let page = response.into_body().page().await.unwrap();
        assert_eq!((page.results.len(), page.status), (count, Some(202)));
        assert_eq!(times_throttled(&layer), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_a_page_under_a_throttle_status_is_an_error_that_says_throttled() {
    let layer = layer();
    let mut answer = html_with(StatusCode::FORBIDDEN, full("{}"));
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(header::CONTENT_TYPE, json);
    let error = through(&layer, answer).await.into_body().page().await;
    let forbidden = Some(Cause::Status(StatusCode::FORBIDDEN));
    assert_eq!(error.unwrap_err().throttled_by(), forbidden);
}

#[test]
fn the_statuses_are_those_that_the_provider_throttles_with() {
    let throttling: Vec<u16> = (0..1000)
        .filter(|status| is_throttle_status(*status))
        .collect();
    assert_eq!(throttling, USUAL.map(|status| status.as_u16()));
}

#[test]
fn the_hint_completes_a_finding() {
    let sentence = format!("HTTP 202{THROTTLE_HINT}");
    assert!(sentence.starts_with("HTTP 202, its answer to an address"));
    assert!(!sentence.ends_with('.'));
}

#[test]
fn a_page_is_a_verdict() {
    let throttled = Verdict::Throttled { retry_after: None };
    let results = page("tower").to_html();
    let nothing = page("tower").results(0).to_html();
    let cases = [
        (200, results.as_str(), Verdict::Answered),
        (200, &nothing, Verdict::Answered),
        (200, &challenge(), throttled),
        (200, "<p>Something else.</p>", Verdict::Unknown),
        (500, "<p>Something else.</p>", Verdict::Unknown),
        (202, &results, throttled),
        (202, &challenge(), throttled),
        (403, "<p>Something else.</p>", throttled),
        (429, &nothing, throttled),
    ];
    for (status, html, verdict) in cases {
        let page = Page::read(status, "text/html", html.as_bytes());
        assert_eq!(Verdict::from(&page), verdict, "{status} {:?}", page.kind);
    }
    fn shown<T: Debug + Clone + Copy + PartialEq>() {}
    shown::<Throttled>();
    shown::<Cause>();
}
