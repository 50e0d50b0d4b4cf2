//! A client, and what the tests ask by it.

use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use search_gate::testing::StandIn;
use std::io::Read;

pub(crate) type HttpClient = Client<HttpConnector, Full<Bytes>>;

pub(crate) fn client() -> HttpClient {
    Client::builder(TokioExecutor::new()).build_http()
}

pub(crate) async fn send(
    client: &HttpClient,
    method: Method,
    url: &str,
    form: &str,
) -> Response<Incoming> {
    let request = Request::builder()
        .method(method)
        .uri(url)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::USER_AGENT, "agent-under-test/1.0")
        .body(Full::from(form.to_owned()))
        .unwrap();
    client.request(request).await.unwrap()
}

pub(crate) async fn post(
    client: &HttpClient,
    provider: &StandIn,
    form: &str,
) -> (StatusCode, String) {
    let response = send(client, Method::POST, &provider.html_endpoint(), form).await;
    (response.status(), text(response).await)
}

pub(crate) async fn text(response: Response<Incoming>) -> String {
    String::from_utf8(
        response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .to_vec(),
    )
    .unwrap()
}

pub(crate) fn number_of(needle: &str, page: &str) -> usize {
    page.matches(needle).count()
}

/// What was packed, whose end must be there.
pub(crate) fn gunzip(packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut plain).unwrap();
    plain
}

/// What can be told of it when this much has come.
pub(crate) fn gunzip_so_far(packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    // An error says that the end is missing, which is known.
    let _ = GzDecoder::new(packed).read_to_end(&mut plain);
    plain
}
