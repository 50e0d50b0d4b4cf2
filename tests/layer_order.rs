//! A decompression layer inside of the gate and, which is wrong, outside: what each gives on a provider that compresses.

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use search_gate::{
    BACKOFF, Cause, DuckDuckGo, Query, SearchGate, SearchGateLayer,
    testing::{StandIn, StandInBuilder, Throttle},
};
use std::time::Duration;
use tower::{ServiceBuilder, ServiceExt};
use tower_http::decompression::DecompressionLayer;

fn client() -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).build_http()
}

fn gate() -> SearchGate {
    SearchGate::new(Duration::ZERO, BACKOFF)
}

async fn started(builder: StandInBuilder) -> StandIn {
    let builder = builder.throttle(Throttle::never()).ads(2);
    builder.start().await.unwrap()
}

fn asks(provider: &StandIn) -> Request<Full<Bytes>> {
    let query = Query::new("tea").base_url(provider.url());
    query.into_request().unwrap()
}

#[tokio::test]
async fn inside_pages_are_read_and_ads_are_cut() {
    let provider = started(StandIn::builder()).await;
    let stack = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate()))
        .layer(DecompressionLayer::new())
        .service(client());
    let response = stack.clone().oneshot(asks(&provider)).await.unwrap();
    let page = response.into_body().page().await.unwrap();
    assert_eq!((page.results.len(), page.ads_dropped), (10, 2));

    let response = stack.oneshot(asks(&provider)).await.unwrap();
    let html = response.into_body().collect().await.unwrap().to_bytes();
    let html = String::from_utf8(html.to_vec()).unwrap();
    assert!(html.contains("web-result") && !html.contains("y.js"));
    let log = provider.log();
    assert!(
        log.iter()
            .all(|entry| entry.headers.contains_key("accept-encoding"))
    );
}

#[tokio::test]
async fn inside_a_challenge_under_200_closes_the_gate() {
    let provider = started(StandIn::builder().refusal_status(200)).await;
    let gate = gate();
    let stack = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate.clone()))
        .layer(DecompressionLayer::new())
        .service(client());
    provider.refuse_next(1);
    let response = stack.clone().oneshot(asks(&provider)).await.unwrap();
    let error = response.into_body().page().await.unwrap_err();
    assert_eq!(error.throttled_by(), Some(Cause::Challenge));
    assert!(gate.backoff_left().is_some());
    let refused = stack.oneshot(asks(&provider)).await.map(drop);
    assert!(refused.unwrap_err().is_refused());
}

#[tokio::test]
async fn outside_a_challenge_under_200_leaves_the_gate_open_and_ads_pass() {
    let provider = started(StandIn::builder().refusal_status(200)).await;
    let gate = gate();
    let stack = ServiceBuilder::new()
        .layer(DecompressionLayer::new())
        .layer(SearchGateLayer::new(gate.clone()))
        .service(client());
    provider.refuse_next(1);
    for wrong in ["challenge-form", "duckduckgo.com/y.js"] {
        let response = stack.clone().oneshot(asks(&provider)).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let html = response.into_body().collect().await.unwrap().to_bytes();
        assert!(String::from_utf8(html.to_vec()).unwrap().contains(wrong));
        assert_eq!(gate.backoff_left(), None);
    }
    // A status is seen wherever the gate stands.
    assert_eq!(gate.snapshot().counts.throttled, 0);
}

#[tokio::test]
async fn reading_what_is_still_compressed_is_an_error_that_says_what_to_do() {
    let provider = started(StandIn::builder()).await;
    let takes_gzip = client().map_request(|mut request: Request<Full<Bytes>>| {
        let gzip = http::HeaderValue::from_static("gzip");
        request.headers_mut().insert("accept-encoding", gzip);
        request
    });
    let ddg = DuckDuckGo::with_service(takes_gzip)
        .gate(gate())
        .base_url(provider.url());
    let error = ddg.search("tea").await.unwrap_err();
    assert!(error.is_unreadable());
    assert!(
        error
            .to_string()
            .contains("put a decompression layer inside the gate's"),
        "{error}"
    );
}
