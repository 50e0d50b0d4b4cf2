//! The layer in servers, over sockets: what callers get whom the gate refuses.

use ::tonic::{
    Code,
    transport::{Endpoint, Server, server::TcpIncoming},
};
use axum::{Router, routing::any};
use search_gate::{AsResponses, SearchGate, SearchGateLayer};
use tokio::net::TcpListener;

use crate::{
    gate,
    reqwest::client,
    serve,
    tonic::grpc::{SearchClient, SearchServer},
};

fn responding(gate: &SearchGate) -> SearchGateLayer<AsResponses> {
    let builder = SearchGateLayer::builder().gate(gate.clone());
    builder.respond().build().unwrap()
}

#[tokio::test]
async fn axum_answers_429_with_retry_after() {
    let gate = gate();
    let app = Router::new()
        .route("/", any(|| async { "a page" }))
        .layer(responding(&gate));
    let url = format!("http://{}/", serve(app).await);
    let answer = client().get(&url).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "a page");

    gate.throttled();
    let answer = client().get(&url).send().await.unwrap();
    assert_eq!(answer.status(), 429);
    let seconds: u64 = answer.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((50..=60).contains(&seconds), "{seconds}");
    let length = answer.content_length();
    let text = answer.text().await.unwrap();
    assert_eq!(length, Some(text.len() as u64));
    assert!(text.contains("try again in"), "{text}");
}

#[tokio::test]
async fn tonic_answers_resource_exhausted_with_pushback() {
    let gate = gate();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = Server::builder()
        .layer(responding(&gate))
        .add_service(SearchServer::new(9));
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    let channel = Endpoint::from_shared(url).unwrap().connect().await.unwrap();
    let mut client = SearchClient::new(channel);
    assert_eq!(client.search("tea").await.unwrap(), "about tea");

    gate.throttled();
    let unary = client.search("tea").await.unwrap_err();
    let streaming = client.results("tea").await.unwrap_err();
    for status in [unary, streaming] {
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert!(status.message().contains("try again in"), "{status:?}");
        assert!(status.metadata().contains_key("grpc-retry-pushback-ms"));
    }
}
