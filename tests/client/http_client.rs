//! The HTTP client of the ready client.

use axum::{Router, response::Html, routing::any};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use search_gate::{DuckDuckGo, HttpClient, testing::ResultPage};
use tokio::net::TcpListener;
use tower::{ServiceBuilder, ServiceExt};
use tower_http::{
    compression::CompressionLayer,
    set_header::{SetRequestHeaderLayer, SetResponseHeaderLayer},
};

use crate::gate;

async fn serve(app: Router) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

#[tokio::test]
async fn pages_come_compressed_in_four_ways() {
    const SENT: HeaderName = HeaderName::from_static("x-sent");
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        let page = ResultPage::new("tea").results(30).to_html();
        let app = Router::new().route("/html/", any(move || async { Html(page) }));
        let only = HeaderValue::from_static(encoding);
        let app = app.layer(
            ServiceBuilder::new()
                // What was truly sent, since the client hides it.
                .layer(SetResponseHeaderLayer::overriding(
                    SENT,
                    |response: &Response<_>| {
                        response.headers().get(header::CONTENT_ENCODING).cloned()
                    },
                ))
                .layer(SetRequestHeaderLayer::overriding(
                    header::ACCEPT_ENCODING,
                    only.clone(),
                ))
                .layer(CompressionLayer::new()),
        );
        let url = serve(app).await;

        let ddg = DuckDuckGo::new().base_url(&url).gate(gate());
        let page = ddg.search("tea").await.unwrap();
        assert_eq!(page.results.len(), 30, "{encoding}");
        let request = Request::post(format!("{url}/html/")).body(String::new());
        let response = HttpClient::new().oneshot(request.unwrap()).await.unwrap();
        assert_eq!(response.headers()[SENT], only);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(body.starts_with(b"<!DOCTYPE"));
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let app = Router::new().route(
        "/",
        any(|| async { (StatusCode::FOUND, [(header::LOCATION, "/elsewhere")]) }),
    );
    let url = serve(app).await;
    let request = Request::get(url).body(String::new()).unwrap();
    let response = HttpClient::default().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::FOUND);
}
