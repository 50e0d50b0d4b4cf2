//! The stacks that people build. What is checked is that they compile, and that what they make can be spawned.

use std::{convert::Infallible, time::Duration};

use ::tonic::transport::{Channel, Endpoint};
use axum::{Router, error_handling::HandleErrorLayer, routing::any};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::USER_AGENT};
use http_body::Body;
use http_body_util::Full;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use search_gate::{
    BoxError, DuckDuckGo, Error, HttpClient, SearchBody, SearchGate, SearchGateLayer,
    reqwest::ReqwestService,
    testing::{StandIn, Throttle},
};
use tower::{
    Layer, Service, ServiceBuilder, ServiceExt, buffer::BufferLayer, limit::ConcurrencyLimitLayer,
    service_fn, timeout::TimeoutLayer,
};

use crate::gate;

fn layer() -> SearchGateLayer {
    SearchGateLayer::new(gate())
}

fn hyper() -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).build_http()
}

fn reqwest() -> ReqwestService {
    crate::reqwest::crypto();
    ReqwestService::new(::reqwest::Client::new())
}

/// What `tokio::spawn` and axum's state ask of a service and its future.
fn spawnable<S, B>(service: S) -> S
where
    S: Service<Request<B>, Future: Send, Response: Send, Error: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    service
}

/// What axum, tonic and reqwest ask of a body that they pass on.
fn passed_on<S, B, R>(service: S) -> S
where
    S: Service<Request<B>, Response = Response<R>, Error: Into<BoxError>>,
    R: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    service
}

#[tokio::test]
async fn bare_clients_behind_the_gate() {
    fn gated<S>(service: S) -> search_gate::Gated<S> {
        ServiceBuilder::new().layer(layer()).service(service)
    }
    let tonic = || Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
    let function = || {
        service_fn(|_: Request<String>| async { Ok::<_, Infallible>(Response::new(String::new())) })
    };
    spawnable::<_, Full<Bytes>>(passed_on(gated(hyper())));
    passed_on::<_, String, _>(spawnable::<_, String>(gated(HttpClient::new())));
    passed_on::<_, String, _>(spawnable::<_, String>(gated(reqwest())));
    passed_on::<_, ::reqwest::Body, _>(spawnable::<_, ::reqwest::Body>(gated(reqwest())));
    passed_on::<_, ::tonic::body::Body, _>(spawnable::<_, ::tonic::body::Body>(gated(tonic())));
    passed_on::<_, String, _>(spawnable::<_, String>(gated(function())));

    fn responding<S>(service: S) -> search_gate::Gated<S, search_gate::AsResponses> {
        let layer = SearchGateLayer::builder().gate(gate()).respond();
        layer.build().unwrap().layer(service)
    }
    spawnable::<_, Full<Bytes>>(passed_on(responding(hyper())));
    passed_on::<_, String, _>(spawnable::<_, String>(responding(reqwest())));
    passed_on::<_, ::tonic::body::Body, _>(spawnable::<_, ::tonic::body::Body>(
        responding(tonic()),
    ));
    passed_on::<_, String, _>(spawnable::<_, String>(responding(function())));
}

#[tokio::test]
async fn six_layers_with_both_tower_http_versions_read_a_page() {
    let provider = StandIn::builder().throttle(Throttle::never());
    let provider = provider.start().await.unwrap();
    let agent = HeaderValue::from_static("agent/1");
    // The usual order, tower-http 0.7 but for what is named 06.
    let client = ServiceBuilder::new()
        .layer(tower_http::trace::TraceLayer::new_for_http())
        .layer(
            tower_http_06::set_header::SetRequestHeaderLayer::overriding(USER_AGENT, agent.clone()),
        )
        .layer(layer())
        .layer(tower_http::follow_redirect::FollowRedirectLayer::new())
        .layer(tower_http_06::decompression::DecompressionLayer::new())
        .service(hyper());
    let client = spawnable::<_, Full<Bytes>>(client);
    let query = || search_gate::Query::new("tea").base_url(provider.url());
    let response = client
        .oneshot(query().into_request().unwrap())
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);

    // The other way round.
    let client = ServiceBuilder::new()
        .layer(tower_http::set_header::SetRequestHeaderLayer::overriding(
            USER_AGENT, agent,
        ))
        .layer(layer())
        .layer(tower_http_06::follow_redirect::FollowRedirectLayer::new())
        .layer(tower_http::decompression::DecompressionLayer::new())
        .service(hyper());
    let client = spawnable::<_, Full<Bytes>>(client);
    let asked = client.oneshot(query().into_request().unwrap());
    let page = tokio::spawn(async { asked.await.unwrap().into_body().page().await });
    assert_eq!(page.await.unwrap().unwrap().results.len(), 10);
    let log = provider.log();
    assert!(
        log.iter()
            .all(|entry| entry.headers["user-agent"] == "agent/1")
    );
}

#[tokio::test]
async fn towers_own_layers_around_it() {
    let client = ServiceBuilder::new()
        .layer(TimeoutLayer::new(Duration::from_secs(90)))
        .layer(layer())
        .layer(ConcurrencyLimitLayer::new(2))
        .service(hyper());
    spawnable::<_, Full<Bytes>>(client);
    let client = ServiceBuilder::new()
        .layer(BufferLayer::new(4))
        .layer(layer())
        .service(hyper());
    spawnable::<_, Full<Bytes>>(client);
    let boxed = ServiceBuilder::new()
        .boxed_clone()
        .layer(layer())
        .service(hyper());
    let _: tower::util::BoxCloneService<
        Request<Full<Bytes>>,
        Response<SearchBody<hyper::body::Incoming>>,
        Error,
    > = boxed;
}

#[tokio::test]
async fn an_axum_router_takes_errors_through_a_handler_and_responses_as_they_are() {
    let handled = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(|error: Error| async move {
            (StatusCode::SERVICE_UNAVAILABLE, error.to_string())
        }))
        .layer(layer());
    let responding = SearchGateLayer::builder().gate(gate()).respond();
    let _: Router = Router::new()
        .route("/", any(|| async { "a page" }))
        .layer(handled)
        .layer(responding.build().unwrap());
}

#[tokio::test]
async fn a_tonic_client_takes_an_interceptor_over_it() {
    let channel: Channel = Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
    let gated = ServiceBuilder::new().layer(layer()).service(channel);
    let intercepted = ::tonic::service::interceptor::InterceptedService::new(
        gated,
        |request: ::tonic::Request<()>| Ok(request),
    );
    spawnable::<_, ::tonic::body::Body>(intercepted);
}

#[tokio::test]
async fn a_reqwest_response_can_be_made_of_a_gated_one() {
    let provider = StandIn::start().await.unwrap();
    let client = ServiceBuilder::new().layer(layer()).service(reqwest());
    let query = search_gate::Query::new("tea").base_url(provider.url());
    let request = query.into_request::<String>().unwrap();
    let response = client.oneshot(request).await.unwrap();
    let response: ::reqwest::Response = response.map(::reqwest::Body::wrap).into();
    let page = response.text().await.unwrap();
    assert!(page.contains("result__a"));
}

#[tokio::test]
async fn a_search_on_any_of_them_can_be_spawned() {
    fn send<T: Send + 'static>(_: T) {}
    fn all<S, B, R>(ddg: &DuckDuckGo<S, B>)
    where
        S: Service<Request<B>, Response = Response<R>, Future: Send, Error: Into<BoxError>>
            + Clone
            + Send
            + 'static,
        B: From<String> + Send + 'static,
        R: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        send(ddg.search("tea"));
        send(ddg.results("tea"));
        send(ddg.instant_answer("tea"));
    }
    let gate = SearchGate::duckduckgo();
    all(&DuckDuckGo::new().gate(gate));
    all(&DuckDuckGo::with_reqwest(reqwest().into_inner()));
    all(&DuckDuckGo::with_service(hyper()));
    all::<_, String, _>(&DuckDuckGo::with_service(reqwest()));
}
