//! The errors of requests and bodies: of what kind they are, and what stands behind them.

mod support;

use std::{convert::Infallible, error::Error as StdError, fmt, fmt::Debug, io};

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use search_gate::{BoxError, Query, TurnError, testing::StandIn};
use support::{
    answer::{FedBody, fed, full, html, html_with, layer, through},
    service::{Probe, Req, request},
};
use tower::{Layer, ServiceBuilder, ServiceExt, service_fn};

type HyperClient = Client<HttpConnector, Full<Bytes>>;

fn hyper_client() -> HyperClient {
    Client::builder(TokioExecutor::new()).build_http()
}

fn asks(provider: &StandIn) -> Req {
    let query = Query::new("tower").base_url(provider.url());
    query.into_request().unwrap()
}

#[derive(Debug)]
struct NoRoute;

impl fmt::Display for NoRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no route")
    }
}

impl StdError for NoRoute {}

/// The error of this type in the chain that begins with `error`.
fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let mut error = error;
    while !error.is::<E>() {
        error = error.source()?;
    }
    error.downcast_ref()
}

#[tokio::test(start_paused = true)]
async fn the_inner_services_error_is_the_source() {
    let typed = service_fn(|_: Req| async { Err::<Response<FedBody>, _>(NoRoute) });
    let error = layer().layer(typed).oneshot(request()).await.unwrap_err();
    assert!(error.source().unwrap().is::<NoRoute>());
    assert_eq!(error.to_string(), "the request failed");

    let boxed = service_fn(|_: Req| async { Err::<Response<FedBody>, BoxError>(NoRoute.into()) });
    let error = layer().layer(boxed).oneshot(request()).await.unwrap_err();
    assert!(error.source().unwrap().is::<NoRoute>(), "not boxed twice");

    let twice = ServiceBuilder::new().layer(layer()).layer(layer());
    let error = twice.service(boxed).oneshot(request()).await.unwrap_err();
    assert!(find::<NoRoute>(&error).is_some());
}

#[tokio::test(start_paused = true)]
async fn the_inner_bodys_error_is_the_source() {
    let (feed, body) = fed();
    feed.fail(NoRoute);
    let error = through(&layer(), html(body)).await.into_body().page().await;
    let error = error.unwrap_err();
    assert!(error.is_transport());
    assert!(error.source().unwrap().is::<NoRoute>());
    assert_eq!(error.to_string(), "the answer broke off");
}

#[tokio::test]
async fn a_clients_own_error_can_be_asked() {
    let provider = StandIn::start().await.unwrap();
    let request = asks(&provider);
    provider.shutdown().await;
    let error = layer().layer(hyper_client()).oneshot(request).await;
    let error = error.unwrap_err();
    let hyper = find::<hyper_util::client::legacy::Error>(&error).unwrap();
    assert!(hyper.is_connect());
    assert!(find::<io::Error>(&error).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_the_source_of_its_error() {
    let layer = layer();
    layer.gate().throttled();
    let error = layer.layer(Probe::default()).oneshot(request()).await;
    let error = error.unwrap_err();
    assert_eq!(find::<TurnError>(&error), error.refused_turn());
    assert!(error.refused_turn().is_some());
}

#[tokio::test(start_paused = true)]
async fn each_error_is_of_one_kind() {
    let page = |status, content: &'static str| async move {
        let answer = html_with(StatusCode::from_u16(status).unwrap(), full(content));
        through(&layer(), answer).await.into_body().page().await
    };
    let closed = layer();
    closed.gate().throttled();
    let stuck =
        service_fn(|_: Req| std::future::pending::<Result<Response<FedBody>, Infallible>>());
    let broken = service_fn(|_: Req| async { Err::<Response<FedBody>, _>(NoRoute) });
    let errors = [
        closed
            .layer(Probe::default())
            .oneshot(request())
            .await
            .err(),
        page(429, "").await.err(),
        layer().layer(stuck).oneshot(request()).await.err(),
        page(200, "<p>").await.err(),
        page(204, "").await.err(),
        layer().layer(broken).oneshot(request()).await.err(),
    ];
    for (kind, error) in errors.into_iter().enumerate() {
        let error = error.unwrap();
        let is = [
            error.is_refused(),
            error.is_throttled(),
            error.is_timeout(),
            error.is_unrecognised(),
            error.is_unreadable(),
            error.is_transport(),
        ];
        let expected = std::array::from_fn(|other| other == kind);
        assert_eq!(is, expected, "{error:?}");
        assert_eq!(error.retry_after().is_some(), kind < 2);
        let message = error.to_string();
        assert!(!message.ends_with('.') && !message.is_empty());
        let source = error.source().map(ToString::to_string);
        assert!(source.is_none_or(|source| !message.contains(&source)));
        let whole = format!("{error:#}");
        assert_eq!(whole.matches(&message).count(), 1, "{whole}");
        let has_reason = matches!(kind, 0 | 3 | 5);
        assert_eq!(whole.len() > message.len(), has_reason, "{whole}");
    }
}
