//! The layer between a real client and the stand-in provider, over sockets and in real time.

mod support;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{StreamExt, future::join_all};
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use search_gate::{
    BACKOFF, BoxError, Cause, Endpoint, Gated, MIN_INTERVAL, Page, Query, Refusal, SearchGate,
    SearchGateLayer, Throttled,
    testing::{Outcome, StandIn, StandInBuilder, Throttle, challenge_page},
};
use support::{answer::page, service::Req};
use tokio::{net::TcpListener, time::Instant};
use tower::{Layer, Service, ServiceBuilder, ServiceExt};

/// A burst is over in about a second, and the interval leaves more room over the provider's 2.35 s than sockets take.
const SCALE: f64 = 0.04;

type HyperClient = Client<HttpConnector, Full<Bytes>>;

fn client() -> HyperClient {
    Client::builder(TokioExecutor::new()).build_http()
}

fn layer_for(provider: &StandIn) -> SearchGateLayer {
    let interval = provider.scaled(MIN_INTERVAL);
    SearchGateLayer::new(SearchGate::new(interval, BACKOFF))
}

async fn scaled(builder: StandInBuilder) -> StandIn {
    builder.time_scale(SCALE).start().await.unwrap()
}

/// A provider to whom a few requests are one run however busy this machine is.
async fn slow(builder: StandInBuilder) -> StandIn {
    builder.time_scale(10.0).start().await.unwrap()
}

fn asks(provider: &StandIn, query: &str) -> Req {
    let query = Query::new(query).base_url(provider.url());
    query.into_request().unwrap()
}

#[tokio::test]
async fn a_burst_through_the_gate_is_answered_and_spaced() {
    let provider = scaled(StandIn::builder().ads(1)).await;
    let layer = layer_for(&provider);
    let departures = Arc::<Mutex<Vec<Instant>>>::default();
    let client = ServiceBuilder::new()
        .layer(&layer)
        .map_request(|request| {
            departures.lock().unwrap().push(Instant::now());
            request
        })
        .service(client());
    let answers = join_all((0..12).map(|number| {
        let query = format!("tower {number}");
        let answer = client.clone().oneshot(asks(&provider, &query));
        async move {
            let response = answer.await.unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            let page = response.into_body().page().await.unwrap();
            assert!(page.results[0].title.starts_with(&query));
            (page.results.len(), page.ads_dropped)
        }
    }));
    assert_eq!(answers.await, [(10, 1); 12]);

    assert_eq!(provider.count(Outcome::Answered), 12);
    assert_eq!(provider.count(Outcome::Refused), 0);
    // How long a request is under way differs, so two may arrive closer together than they left. They may not leave so.
    let departures = departures.lock().unwrap();
    let interval = provider.scaled(MIN_INTERVAL);
    for pair in departures.windows(2) {
        assert!(pair[1] - pair[0] >= interval, "{departures:?}");
    }
}

#[tokio::test]
async fn the_same_burst_without_the_gate_is_refused_in_part() {
    let provider = slow(StandIn::builder()).await;
    let client = client();
    let answers = (0..12).map(|_| client.request(asks(&provider, "tower")));
    let answers = join_all(answers).await;
    let refused = |answer: &Result<Response<Incoming>, _>| {
        answer.as_ref().unwrap().status() == StatusCode::ACCEPTED
    };
    assert_eq!(answers.iter().filter(|answer| refused(answer)).count(), 2);
    assert_eq!(provider.count(Outcome::Refused), 2);
}

#[tokio::test]
async fn a_real_refusal_closes_the_gate_and_nothing_more_is_sent() {
    let provider = scaled(StandIn::builder().throttle(Throttle::new().burst(0))).await;
    // The second of them would go only after 2.5 s; the refusal is there long before.
    let layer = SearchGateLayer::new(SearchGate::new(MIN_INTERVAL, BACKOFF));
    let mut gated = layer.layer(client());
    let waiting: Vec<_> = (0..4)
        .map(|_| gated.call(asks(&provider, "tower")))
        .collect();
    let mut answers = join_all(waiting).await.into_iter();

    let response = answers.next().unwrap().unwrap();
    let status = StatusCode::ACCEPTED;
    assert_eq!(response.status(), status);
    let throttled = *response.extensions().get::<Throttled>().unwrap();
    assert_eq!(throttled.cause(), Cause::Status(status));
    let error = response.into_body().page().await.unwrap_err();
    assert_eq!(error.throttled_by(), Some(Cause::Status(status)));
    for refused in answers {
        let refusal = refused.unwrap_err().refusal();
        assert!(matches!(refusal, Some(Refusal::BackingOff(_))));
    }
    let later = gated.call(asks(&provider, "tower")).await.unwrap_err();
    assert!(later.is_refused() && later.retry_after() > Some(Duration::from_secs(30)));
    assert_eq!(provider.log().len(), 1);
    assert_eq!(layer.gate().snapshot().counts.throttled, 1);
}

#[tokio::test]
async fn a_challenge_under_200_closes_the_gate_too() {
    let throttle = Throttle::new().burst(0);
    let provider = StandIn::builder().throttle(throttle).refusal_status(200);
    let provider = scaled(provider.chunks(100, Duration::ZERO)).await;
    let layer = layer_for(&provider);
    let response = layer
        .layer(client())
        .oneshot(asks(&provider, "tower"))
        .await;
    let response = response.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(layer.gate().backoff_left(), None);
    let error = response.into_body().page().await.unwrap_err();
    assert_eq!(error.throttled_by(), Some(Cause::Challenge));
    assert!(layer.gate().backoff_left().is_some());
}

#[tokio::test]
async fn a_page_that_the_server_cuts_off_gives_its_results_then_an_error() {
    let whole = page("tower").to_html();
    let third = whole
        .match_indices("<div class=\"result ")
        .nth(3)
        .unwrap()
        .0;
    let builder = StandIn::builder().page(|page| page.next_page(false));
    let provider = scaled(builder.cut_after(third)).await;
    let layer = layer_for(&provider);
    let gated = layer.layer(client());
    let response = gated.clone().oneshot(asks(&provider, "tower")).await;
    let mut results = response.unwrap().into_body().results();
    for row in &page("tower").rows()[..3] {
        assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
    }
    assert!(results.next().await.unwrap().unwrap_err().is_transport());
    assert!(results.next().await.is_none());

    let response = gated.oneshot(asks(&provider, "tower")).await.unwrap();
    let error = response.into_body().collect().await.unwrap_err();
    assert!(error.is_transport());
    assert_eq!(layer.gate().snapshot().counts.throttled, 0);
}

/// Serves what comes through `gated`, as a search proxy does, and gives its address.
async fn proxy(gated: Gated<HyperClient>, to: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (gated, to) = (gated.clone(), to.clone());
            let forward = service_fn(move |request: Request<Incoming>| {
                let (gated, to) = (gated.clone(), to.clone());
                async move {
                    let (mut parts, body) = request.into_parts();
                    parts.uri = format!("{to}{}", parts.uri.path()).parse().unwrap();
                    parts.headers.remove(header::HOST);
                    let body = Full::new(body.collect().await?.to_bytes());
                    let forwarded = gated.oneshot(Request::from_parts(parts, body));
                    Ok::<_, BoxError>(forwarded.await?)
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), forward));
        }
    });
    base
}

#[tokio::test]
async fn a_proxy_passes_pages_on_without_their_ads_and_the_rest_as_it_came() {
    let throttle = Throttle::new().burst(3);
    let provider = slow(StandIn::builder().ads(2).throttle(throttle)).await;
    let gate = SearchGate::new(Duration::ZERO, BACKOFF);
    let gated = SearchGateLayer::new(gate.clone()).layer(client());
    let base = proxy(gated, provider.url()).await;
    let client = client();
    let ask = |base: &str| {
        let query = Query::new("tower").base_url(base);
        let answer = client.request(query.into_request().unwrap());
        async {
            let (parts, body) = answer.await.unwrap().into_parts();
            (parts, body.collect().await.unwrap().to_bytes())
        }
    };

    let (_, direct) = ask(&provider.url()).await;
    for _ in 0..2 {
        let (parts, passed) = ask(&base).await;
        assert_eq!(parts.status, StatusCode::OK);
        assert!(!parts.headers.contains_key(header::CONTENT_LENGTH));
        let direct = Page::read(200, "text/html", &direct);
        let passed = Page::read(200, "text/html", &passed);
        assert_eq!((direct.ads_dropped, passed.ads_dropped), (2, 0));
        assert_eq!((passed.results.len(), passed.truncated), (10, false));
        assert_eq!(passed.results, direct.results);
    }
    let (parts, passed) = ask(&base).await;
    assert_eq!(parts.status, StatusCode::ACCEPTED);
    assert_eq!(
        parts.headers[header::CONTENT_LENGTH],
        passed.len().to_string()
    );
    let challenge = challenge_page(Endpoint::Html, "tower");
    assert!(passed == challenge);
    assert!(gate.backoff_left().is_some());
}

#[tokio::test]
async fn a_client_that_goes_away_midway_leaves_the_gate_in_order() {
    let pause = Duration::from_millis(500);
    let provider = scaled(StandIn::builder().chunks(2000, pause)).await;
    let layer = layer_for(&provider);
    let gated = layer.layer(client());
    let response = gated.clone().oneshot(asks(&provider, "tower")).await;
    let mut body = response.unwrap().into_body();
    body.frame().await.unwrap().unwrap();
    drop(body);
    let response = gated.clone().oneshot(asks(&provider, "tower")).await;
    drop(response.unwrap().into_body().results());
    let response = gated.oneshot(asks(&provider, "tower")).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let snapshot = layer.gate().snapshot();
    assert_eq!((snapshot.queued, snapshot.counts.granted), (0, 3));
    assert_eq!(snapshot.backoff_left, None);
}
