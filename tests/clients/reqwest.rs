//! reqwest, 0.13 by the adapter and 0.12 by five lines.

use std::{error::Error as StdError, time::Duration};

use axum::{Router, response::Redirect, routing::any};
use futures_util::TryStreamExt;
use http::Request;
use search_gate::{
    DuckDuckGo, Error, Query, SearchGateLayer,
    reqwest::{FinalUrl, ReqwestService},
    testing::{Outcome, ResultPage, StandIn, Throttle},
};
use tower::{Layer, ServiceExt};

use crate::{gate, serve};

pub(crate) fn client() -> ::reqwest::Client {
    crypto();
    ::reqwest::Client::new()
}

/// reqwest was built without a choice of its own.
pub(crate) fn crypto() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[tokio::test]
async fn a_search_on_a_client_of_the_users() {
    let provider = StandIn::builder().throttle(Throttle::never()).ads(1);
    let provider = provider.start().await.unwrap();
    let ddg = DuckDuckGo::with_reqwest(client())
        .gate(gate())
        .base_url(provider.url());

    let page = ddg.search("tea").await.unwrap();
    assert_eq!((page.results.len(), page.ads_dropped), (10, 1));
    let results: Vec<_> = ddg.results("tea").pages(2).try_collect().await.unwrap();
    assert_eq!(results.len(), 20);
    tokio::spawn(ddg.search("tea")).await.unwrap().unwrap();
    assert_eq!(provider.log()[0].query(), Some("tea"));
}

#[tokio::test]
async fn a_throttle_closes_the_gate() {
    let provider = StandIn::builder().throttle(Throttle::new().burst(1));
    let provider = provider.start().await.unwrap();
    let ddg = DuckDuckGo::with_reqwest(client())
        .gate(gate())
        .base_url(provider.url());
    ddg.search("tea").await.unwrap();
    assert!(ddg.search("tea").await.unwrap_err().is_throttled());
    assert!(ddg.search("tea").await.unwrap_err().is_refused());
    assert_eq!(provider.count(Outcome::Refused), 1);
}

/// A site whose `/` leads to `/html/`, which has a page.
async fn redirecting() -> String {
    let page = ResultPage::new("tea").to_html();
    let app = Router::new()
        .route("/", any(|| async { Redirect::to("/html/") }))
        .route("/html/", any(move || async { axum::response::Html(page) }));
    format!("http://{}", serve(app).await)
}

#[tokio::test]
async fn the_url_of_the_last_response_is_kept_and_redirects_take_no_turns() {
    let url = redirecting().await;
    let gate = gate();
    let client = SearchGateLayer::new(gate.clone()).layer(ReqwestService::new(client()));
    let request = Request::get(&url).body(String::new()).unwrap();
    let response = client.oneshot(request).await.unwrap();

    let final_url = response.extensions().get::<FinalUrl>().unwrap();
    assert_eq!(final_url.as_str(), format!("{url}/html/"));
    assert_eq!(response.into_body().page().await.unwrap().results.len(), 10);
    assert_eq!(gate.snapshot().counts.granted, 1);
}

fn reqwest_error(error: &Error) -> &::reqwest::Error {
    let source = error.source().unwrap();
    source.downcast_ref().unwrap()
}

#[tokio::test]
async fn its_errors_can_be_asked_through_the_source() {
    let slow = Router::new().route("/html/", any(std::future::pending::<()>));
    let slow = format!("http://{}", serve(slow).await);
    crypto();
    let impatient = ::reqwest::Client::builder().timeout(Duration::from_millis(50));
    let ddg = DuckDuckGo::with_reqwest(impatient.build().unwrap())
        .gate(gate())
        .lite_fallback(false);
    let error = ddg.clone().base_url(slow).search("tea").await.unwrap_err();
    assert!(error.is_transport());
    assert!(reqwest_error(&error).is_timeout());

    let error = ddg.base_url("http://127.0.0.1:1").search("tea").await;
    assert!(reqwest_error(&error.unwrap_err()).is_connect());
}

#[tokio::test]
async fn a_url_that_is_not_absolute_is_an_error_of_reqwests() {
    let request = Request::get("/html/").body(String::new()).unwrap();
    let service = ReqwestService::new(client());
    let error = service.oneshot(request).await.unwrap_err();
    assert!(error.is_builder(), "{error:?}");
}

#[tokio::test]
async fn version_0_12_takes_five_lines() {
    let provider = StandIn::start().await.unwrap();
    crypto();
    let client = reqwest_012::Client::new();
    let service = tower::service_fn(move |request: Request<String>| {
        let client = client.clone();
        async move {
            let response = client.execute(request.try_into()?).await?;
            Ok::<_, reqwest_012::Error>(http::Response::<reqwest_012::Body>::from(response))
        }
    });
    let ddg = DuckDuckGo::with_service(service).gate(gate());
    let query = Query::new("tea").base_url(provider.url());
    assert_eq!(ddg.search(query).await.unwrap().results.len(), 10);
}
