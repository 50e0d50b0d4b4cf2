//! Refusals as responses: what a client outside is told, and what of the inner service's is left as it was.

mod support;

use std::{convert::Infallible, io, time::Duration};

use axum::{Router, extract::Request, routing::any};
use bytes::Bytes;
use http::{Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use search_gate::{
    AsResponses, BACKOFF, Refusal, SearchGate, SearchGateLayer, layer::RespondBody,
    testing::ResultPage,
};
use support::{answer::html, gate, service::request};
use tokio::time::advance;
use tower::{Layer, ServiceExt, service_fn};

type Answer = Response<RespondBody<Full<Bytes>>>;

fn layer(gate: &SearchGate) -> SearchGateLayer<AsResponses> {
    let builder = SearchGateLayer::builder().gate(gate.clone());
    builder.respond().build().unwrap()
}

/// What a client outside of the layer gets while the inner service must not be asked.
async fn refused_by(layer: &SearchGateLayer<AsResponses>, content_type: &str) -> Answer {
    let client = layer.layer(service_fn(|_| async {
        panic!("a refused request was sent");
        #[expect(unreachable_code, reason = "it names the types")]
        Ok::<_, Infallible>(Response::new(Full::<Bytes>::default()))
    }));
    let mut request = request();
    let value = content_type.parse().unwrap();
    request.headers_mut().insert(header::CONTENT_TYPE, value);
    let Ok(answer) = client.oneshot(request).await;
    answer
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    Some(answer.headers().get(name)?.to_str().unwrap())
}

async fn text(answer: Answer) -> String {
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_a_429_that_says_when_to_come_again() {
    let gate = gate();
    gate.throttled();
    let answer = refused_by(&layer(&gate), "application/json").await;

    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&answer, "retry-after"), Some("60"));
    assert_eq!(
        header(&answer, "content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(
        answer.extensions().get(),
        Some(&Refusal::BackingOff(BACKOFF))
    );
    assert_eq!(
        answer.body().size_hint().exact(),
        Some(text(answer).await.len() as u64)
    );
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_refusal_is_a_sentence_with_the_seconds_of_the_header() {
    let gate = gate();
    gate.throttled();
    let answer = refused_by(&layer(&gate), "text/plain").await;
    assert_eq!(
        text(answer).await,
        "the search gate refused the request: the search provider throttled an earlier request; try again in 60 s"
    );
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_rounded_up_and_never_0() {
    for (gone, said) in [(1, "60"), (59_000, "1"), (59_900, "1"), (58_999, "2")] {
        let gate = gate();
        gate.throttled();
        advance(Duration::from_millis(gone)).await;
        let answer = refused_by(&layer(&gate), "text/plain").await;
        assert_eq!(header(&answer, "retry-after"), Some(said), "{gone} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_past_its_deadline_is_answered_at_once_with_when_to_come_again() {
    let gate = SearchGate::new(Duration::from_secs(90), BACKOFF);
    gate.take_turn(support::far()).await.unwrap();
    let answer = refused_by(&layer(&gate), "text/plain").await;

    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&answer, "retry-after"), Some("30"));
    assert_eq!(answer.extensions().get(), Some(&Refusal::PastDeadline));
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_refusal_can_be_set() {
    let gate = gate();
    gate.throttled();
    let layer = SearchGateLayer::builder()
        .gate(gate)
        .respond()
        .refusal_status(StatusCode::SERVICE_UNAVAILABLE)
        .build()
        .unwrap();
    let answer = refused_by(&layer, "text/plain").await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(header(&answer, "retry-after"), Some("60"));
}

#[test]
fn a_refusal_must_have_the_status_of_an_error() {
    for status in [StatusCode::OK, StatusCode::ACCEPTED, StatusCode::FOUND] {
        let builder = SearchGateLayer::builder().respond().refusal_status(status);
        let error = builder.build().unwrap_err().to_string();
        assert!(error.contains("set 429 or 503"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_grpc_request_is_refused_with_grpcs_own_status_and_pushback() {
    let gate = gate();
    gate.throttled();
    for content_type in ["application/grpc", "application/grpc-web+proto"] {
        let answer = refused_by(&layer(&gate), content_type).await;

        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(header(&answer, "content-type"), Some(content_type));
        assert_eq!(header(&answer, "grpc-status"), Some("8"));
        assert_eq!(header(&answer, "grpc-retry-pushback-ms"), Some("60000"));
        assert!(answer.body().is_end_stream());

        let status = tonic::Status::from_header_map(answer.headers()).unwrap();
        assert_eq!(status.code(), tonic::Code::ResourceExhausted);
        assert!(
            status.message().ends_with("try again in 60 s"),
            "{}",
            status.message()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_begin_in_time_is_a_504_and_in_grpc_a_deadline_exceeded() {
    for (content_type, status, grpc_status) in [
        ("text/plain", StatusCode::GATEWAY_TIMEOUT, None),
        ("application/grpc", StatusCode::OK, Some("4")),
    ] {
        let client = layer(&gate()).layer(service_fn(|_| {
            std::future::pending::<Result<Response<Full<Bytes>>, Infallible>>()
        }));
        let mut request = request();
        let value = content_type.parse().unwrap();
        request.headers_mut().insert(header::CONTENT_TYPE, value);
        let Ok(answer) = client.oneshot(request).await;

        assert_eq!(answer.status(), status);
        assert_eq!(header(&answer, "grpc-status"), grpc_status);
        assert_eq!(header(&answer, "retry-after"), None);
    }
}

#[tokio::test(start_paused = true)]
async fn the_inner_services_error_comes_as_it_is() {
    let client = layer(&gate()).layer(service_fn(|_| async {
        Err::<Response<Full<Bytes>>, _>(io::Error::other("the cable was cut"))
    }));
    let error: io::Error = client.oneshot(request()).await.unwrap_err();
    assert_eq!(error.to_string(), "the cable was cut");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_read_as_data_or_passed_on_as_without_this() {
    let page = ResultPage::new("tea").results(3).ads(1).to_html();
    let client = layer(&gate()).layer(service_fn(move |_| {
        let answer = html(Full::new(Bytes::from(page.clone())));
        async { Ok::<_, Infallible>(answer) }
    }));
    let answer = client.clone().oneshot(request()).await.unwrap();
    let page = answer.into_body().into_search_body().unwrap().page();
    assert_eq!(page.await.unwrap().results.len(), 3);

    let passed_on = text(client.oneshot(request()).await.unwrap()).await;
    assert!(passed_on.contains("result__a") && !passed_on.contains("y.js"));
}

#[tokio::test(start_paused = true)]
async fn an_axum_router_takes_the_layer_as_it_is_and_answers() {
    let gate = gate();
    let app = Router::new()
        .route("/search", any(|_: Request| async { "results" }))
        .layer(layer(&gate));
    let ask = || Request::get("/search").body(axum::body::Body::empty());

    let answer = app.clone().oneshot(ask().unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "results");

    gate.throttled();
    let answer = app.oneshot(ask().unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.headers()["retry-after"], "60");
}

#[test]
fn layer_service_future_and_body_are_send_and_sync_where_the_inner_ones_are() {
    fn check<T: Send + Sync + 'static>(_: &T) {}
    let client = layer(&gate()).layer(support::service::Probe::default());
    check(&client);
    check(&client.oneshot(request()));
    check(&RespondBody::<Full<Bytes>>::default());
}
