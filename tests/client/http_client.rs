//! The HTTP client of the ready client.

use std::future::ready;

use axum::{Router, response::Html, routing::any};
use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::BodyExt;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use search_gate::{
    BoxError, DuckDuckGo, HttpClient,
    testing::{ResultPage, StandIn, Throttle},
};
use tokio::net::TcpListener;
use tower::{Service, ServiceBuilder, ServiceExt};
use tower_http::{
    compression::CompressionLayer,
    set_header::{SetRequestHeaderLayer, SetResponseHeaderLayer},
};

use crate::{client, gate};

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

/// Many times: how much has been decompressed when the connection breaks is for the sockets to say.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_challenge_that_came_before_the_connection_broke_is_not_lost() {
    for _ in 0..20 {
        let refusing = StandIn::builder()
            .throttle(Throttle::new().burst(0))
            .refusal_status(200)
            .cut_after(3000);
        let provider = refusing.start().await.unwrap();
        let error = client(&provider).search("tea").await.unwrap_err();
        assert!(error.is_throttled(), "{error:#}");
        assert_eq!(provider.log().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_that_came_before_the_connection_broke_are_not_lost() {
    let provider = StandIn::builder().throttle(Throttle::never());
    let provider = provider.results(7).cut_after(18_156).start().await.unwrap();
    let uncompressed = Client::builder(TokioExecutor::new()).build_http::<String>();
    let expected = count(DuckDuckGo::with_service(uncompressed), &provider).await;
    assert!(expected > 1);
    for _ in 0..20 {
        assert_eq!(count(DuckDuckGo::new(), &provider).await, expected);
    }
}

/// How many results come before the error.
async fn count<S, B, R>(ddg: DuckDuckGo<S, B>, provider: &StandIn) -> usize
where
    S: Service<Request<B>, Response = Response<R>, Error: Into<BoxError>> + Clone,
    B: From<String>,
    R: Body<Data = Bytes, Error: Into<BoxError>>,
{
    let ddg = ddg.base_url(provider.url()).gate(gate());
    let results = ddg.lite_fallback(false).results("tea");
    results
        .take_while(|result| ready(result.is_ok()))
        .count()
        .await
}
