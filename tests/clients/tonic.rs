//! tonic's channel behind the gate, and what its client makes of the gate's errors.

use std::{net::SocketAddr, time::Duration};

use ::tonic::{
    Code, Status,
    transport::{Channel, Endpoint, Server, server::TcpIncoming},
};
use futures_util::TryStreamExt;
use search_gate::{BACKOFF, SearchGate, SearchGateLayer};
use tokio::{net::TcpListener, time::Instant};
use tower::ServiceBuilder;

use self::grpc::{SearchClient, SearchServer};
use crate::gate;

#[path = "../../examples/tonic/grpc.rs"]
pub(crate) mod grpc;

async fn channel(requests: usize) -> (Channel, SocketAddr) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let addr = listener.local_addr().unwrap();
    let server = Server::builder().add_service(SearchServer::new(requests));
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    let endpoint = Endpoint::from_shared(format!("http://{addr}")).unwrap();
    (endpoint.connect().await.unwrap(), addr)
}

/// The whole seconds after which to come again.
fn pushback(status: &Status) -> u64 {
    let value = status.metadata().get("grpc-retry-pushback-ms").unwrap();
    let millis: u64 = value.to_str().unwrap().parse().unwrap();
    assert_eq!(millis % 1000, 0);
    millis / 1000
}

#[tokio::test]
async fn unary_and_streaming_calls_take_turns() {
    let (channel, _) = channel(9).await;
    let gate = gate();
    let layer = SearchGateLayer::new(gate.clone());
    let mut client = SearchClient::new(ServiceBuilder::new().layer(layer).service(channel));

    assert_eq!(client.search("tea").await.unwrap(), "about tea");
    let results = client.results("tea").await.unwrap();
    let results: Vec<_> = results.try_collect().await.unwrap();
    assert_eq!(results.last().unwrap(), "result 3 about tea");
    assert_eq!(gate.snapshot().counts.granted, 2);
    assert_eq!(gate.backoff_left(), None);
}

#[tokio::test]
async fn exhausted_in_the_headers_or_in_the_trailers_backs_the_gate_off() {
    for streaming in [false, true] {
        let (channel, _) = channel(0).await;
        let gate = gate();
        let layer = SearchGateLayer::new(gate.clone());
        let mut client = SearchClient::new(ServiceBuilder::new().layer(layer).service(channel));
        let status = if streaming {
            let mut results = client.results("tea").await.unwrap();
            for _ in 0..3 {
                results.message().await.unwrap().unwrap();
                assert_eq!(gate.backoff_left(), None);
            }
            results.message().await.unwrap_err()
        } else {
            client.search("tea").await.unwrap_err()
        };
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert_eq!(status.message(), "too many searches");
        assert!(gate.backoff_left().is_some());
        assert_eq!(gate.snapshot().counts.throttled, 1);
    }
}

#[tokio::test]
async fn a_refusal_is_resource_exhausted_as_an_error_and_as_a_response() {
    let (channel, _) = channel(9).await;
    let gate = gate();
    gate.throttled();
    let as_error = SearchGateLayer::new(gate.clone());
    let as_response = SearchGateLayer::builder().gate(gate).respond().build();
    let client = ServiceBuilder::new()
        .layer(as_error)
        .service(channel.clone());
    let error = SearchClient::new(client).search("tea").await.unwrap_err();
    let client = ServiceBuilder::new().layer(as_response.unwrap());
    let mut client = SearchClient::new(client.service(channel));
    let answer = client.search("tea").await.unwrap_err();
    let streaming = client.results("tea").await.unwrap_err();

    for status in [error, answer, streaming] {
        assert_eq!(status.code(), Code::ResourceExhausted);
        let seconds = pushback(&status);
        assert!((50..=60).contains(&seconds), "{seconds}");
        let message = status.message();
        assert!(message.starts_with("the search gate refused the request: "));
        assert!(message.contains("try again in "), "{message}");
    }
}

#[tokio::test]
async fn a_turn_past_the_deadline_is_resource_exhausted_and_a_timeout_deadline_exceeded() {
    let (channel, _) = channel(9).await;
    let gate = SearchGate::new(Duration::from_secs(90), BACKOFF);
    let deadline = Instant::now() + Duration::from_secs(60);
    gate.take_turn(deadline).await.unwrap();
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate))
        .service(channel);
    let status = SearchClient::new(client).search("tea").await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!((20..=30).contains(&pushback(&status)));

    // A server that never answers.
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let layer = SearchGateLayer::builder()
        .gate(self::gate())
        .request_limit(Duration::from_millis(50))
        .build()
        .unwrap();
    let channel = Endpoint::from_shared(url).unwrap().connect_lazy();
    let client = ServiceBuilder::new().layer(layer).service(channel);
    let status = SearchClient::new(client).search("tea").await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_channel_that_is_down_stays_unavailable() {
    let channel = Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate()))
        .service(channel);
    let status = SearchClient::new(client).search("tea").await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}
