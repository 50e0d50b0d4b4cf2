//! The search API of the axum example: its server as a process, and its routes on a stand-in of ours.

use std::time::Duration;

use reqwest::{Client, Response};
use search_gate::{
    BACKOFF, DuckDuckGo, SearchGate,
    testing::{StandIn, StandInBuilder},
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpListener,
    time::sleep,
};

#[path = "../../examples/axum/api.rs"]
mod api;

/// The API on this provider, with a gate of its own.
struct Api {
    url: String,
    gate: SearchGate,
    client: Client,
    _provider: StandIn,
}

impl Api {
    async fn on(provider: StandInBuilder, interval: Duration) -> Self {
        let provider = provider.start().await.unwrap();
        let gate = SearchGate::new(interval, BACKOFF);
        let ddg = DuckDuckGo::new()
            .base_url(provider.url())
            .gate(gate.clone());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = api::app(ddg, gate.clone());
        tokio::spawn(async move { ::axum::serve(listener, app).await });
        let client = client();
        Self {
            url,
            gate,
            client,
            _provider: provider,
        }
    }

    async fn get(&self, path: &str) -> Response {
        let request = self.client.get(format!("{}{path}", self.url));
        request.send().await.unwrap()
    }

    async fn until_queued(&self, callers: usize) {
        while self.gate.snapshot().queued != callers {
            sleep(Duration::from_millis(2)).await;
        }
    }
}

fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::new()
}

async fn json(response: Response) -> Value {
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}

#[tokio::test]
async fn with_serve_it_stays_up() {
    let mut server = crate::example("axum");
    server.arg("--serve").stdout(std::process::Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let url = line.strip_prefix("serving on ").unwrap();
    for _ in 0..2 {
        let response = client().get(format!("{url}/search?q=tower&limit=3")).send();
        let response = json(response.await.unwrap()).await;
        assert_eq!(response["results"].as_array().unwrap().len(), 3);
    }
    assert_eq!(server.try_wait().unwrap(), None);
    server.kill().await.unwrap();
}

#[tokio::test]
async fn events_come_while_the_page_is_still_on_its_way() {
    // The page never ends, and its first results are sent nevertheless.
    let api = Api::on(StandIn::builder().stall_after(16_000), Duration::ZERO).await;
    let mut response = api.get("/stream?q=tower").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut events = String::new();
    while events.matches("event: result").count() < 3 {
        let chunk = response.chunk().await.unwrap().unwrap();
        events.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!(
        events.contains(r#""url":"https://site-1.example/"#),
        "{events}"
    );
}

#[tokio::test]
async fn a_page_that_breaks_off_ends_the_events_in_an_error() {
    let api = Api::on(StandIn::builder().cut_after(16_000), Duration::ZERO).await;
    let events = api.get("/stream?q=tower").await.text().await.unwrap();
    assert!(events.contains("event: result"));
    assert!(
        events.contains("event: error\ndata: the answer broke off"),
        "{events}"
    );
}

#[tokio::test]
async fn a_caller_that_goes_away_frees_its_place_and_the_next_moves_up() {
    let api = Api::on(StandIn::builder(), Duration::from_secs(3600)).await;
    let api = std::sync::Arc::new(api);
    assert_eq!(api.get("/search?q=first").await.status(), 200);
    api.gate.set_interval(Duration::from_secs(40)).unwrap();
    for path in ["/search?q=second", "/stream?q=second"] {
        let waiting = tokio::spawn({
            let api = std::sync::Arc::clone(&api);
            async move { api.get(path).await.status() }
        });
        api.until_queued(1).await;
        assert_eq!(json(api.get("/gate").await).await["queued"], 1);
        waiting.abort();
        api.until_queued(0).await;
    }
    assert_eq!(api.gate.snapshot().counts.cancelled, 2);
    assert_eq!(api.gate.snapshot().counts.granted, 1);
}

#[tokio::test]
async fn refusals_are_429_with_when_to_come_again() {
    let api = Api::on(StandIn::builder(), Duration::ZERO).await;
    api.gate.throttled();
    for path in ["/search?q=tower", "/stream?q=tower"] {
        let response = api.get(path).await;
        assert_eq!(response.status(), 429);
        let seconds: u64 = response.headers()["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((50..=60).contains(&seconds), "{seconds}");
        let error = json(response).await["error"].to_string();
        assert!(error.contains("try again in"), "{error}");
    }
    let gate = json(api.get("/gate").await).await;
    assert!(gate["backing_off_for"].as_f64().unwrap() > 30.0);
}

#[tokio::test]
async fn a_query_that_cannot_be_sent_is_400() {
    let api = Api::on(StandIn::builder(), Duration::ZERO).await;
    for path in ["/search", "/search?q=", "/stream?q=%20"] {
        assert_eq!(api.get(path).await.status(), 400, "{path}");
    }
}
