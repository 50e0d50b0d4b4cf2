//! A redirect layer inside the gate makes one turn of a request with all its redirects; outside, each redirect takes a turn.

use axum::{Router, http::Uri, response::Redirect, routing::any};
use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use search_gate::{SearchGateLayer, testing::ResultPage};
use tower::{ServiceBuilder, ServiceExt};
use tower_http::follow_redirect::{FollowRedirectLayer, RequestUri};

use crate::{gate, serve};

/// `/1` leads to `/2`, that to `/html/`, which has a page.
async fn site() -> String {
    let page = ResultPage::new("tea").to_html();
    let app = Router::new()
        .route("/1", any(|| async { Redirect::temporary("/2") }))
        .route("/2", any(|| async { Redirect::temporary("/html/") }))
        .route("/html/", any(move || async { axum::response::Html(page) }));
    format!("http://{}", serve(app).await)
}

fn request(site: &str) -> Request<Full<Bytes>> {
    let request = Request::builder().method(Method::POST);
    request
        .uri(format!("{site}/1"))
        .body(Full::default())
        .unwrap()
}

#[tokio::test]
async fn inside_the_gate_they_are_part_of_one_turn() {
    let (site, gate) = (site().await, gate());
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate.clone()))
        .layer(FollowRedirectLayer::new())
        .service(Client::builder(TokioExecutor::new()).build_http());
    let response = client.oneshot(request(&site)).await.unwrap();

    let uri: &Uri = &response.extensions().get::<RequestUri>().unwrap().0;
    assert_eq!(uri.path(), "/html/");
    assert_eq!(response.into_body().page().await.unwrap().results.len(), 10);
    assert_eq!(gate.snapshot().counts.granted, 1);
}

#[tokio::test]
async fn outside_the_gate_each_takes_a_turn() {
    let (site, gate) = (site().await, gate());
    let client = ServiceBuilder::new()
        .layer(FollowRedirectLayer::new())
        .layer(SearchGateLayer::new(gate.clone()))
        .service(Client::builder(TokioExecutor::new()).build_http());
    let response = client.oneshot(request(&site)).await.unwrap();

    assert_eq!(response.into_body().page().await.unwrap().results.len(), 10);
    assert_eq!(gate.snapshot().counts.granted, 3);
}
