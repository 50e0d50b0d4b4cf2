//! Searches in one call, over sockets and on services of our own.

mod fallback;
mod http_client;
mod instant;
mod results;
mod search;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::Full;
use search_gate::{
    BACKOFF, BoxError, DuckDuckGo, Endpoint, HttpClient, SearchGate,
    testing::{ResultPage, StandIn, Throttle, challenge_page},
};
use tower::service_fn;

const INTERVAL: Duration = Duration::from_millis(20);

fn gate() -> SearchGate {
    SearchGate::new(INTERVAL, BACKOFF)
}

/// The ready client, on the stand-in and a gate of its own.
fn client(provider: &StandIn) -> DuckDuckGo<HttpClient> {
    DuckDuckGo::new().base_url(provider.url()).gate(gate())
}

async fn provider() -> StandIn {
    let provider = StandIn::builder().throttle(Throttle::never());
    provider.start().await.unwrap()
}

fn paths(provider: &StandIn) -> Vec<String> {
    provider.log().into_iter().map(|entry| entry.path).collect()
}

/// Answers the html page with `html` and the lite page with `lite`, and counts the requests.
fn two_pages(
    html: fn() -> Result<Response<Full<Bytes>>, BoxError>,
    lite: fn() -> Result<Response<Full<Bytes>>, BoxError>,
) -> (DuckDuckGo<impl Service, Full<Bytes>>, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let service = service_fn(move |request: Request<Full<Bytes>>| {
        count.fetch_add(1, Ordering::SeqCst);
        let answer = match request.uri().path() {
            "/html/" => html(),
            _ => lite(),
        };
        async { answer }
    });
    let ddg = DuckDuckGo::with_service(service).gate(gate());
    (ddg, sent)
}

trait Service:
    tower::Service<
        Request<Full<Bytes>>,
        Response = Response<Full<Bytes>>,
        Error = BoxError,
        Future: Send,
    > + Clone
{
}

impl<S> Service for S where
    S: tower::Service<
            Request<Full<Bytes>>,
            Response = Response<Full<Bytes>>,
            Error = BoxError,
            Future: Send,
        > + Clone
{
}

fn page(html: impl Into<Bytes>) -> Result<Response<Full<Bytes>>, BoxError> {
    let response = Response::builder().header(CONTENT_TYPE, "text/html");
    Ok(response.body(Full::new(html.into())).unwrap())
}

fn unknown() -> Result<Response<Full<Bytes>>, BoxError> {
    page("<html><body><p>Under new management.</p></body></html>")
}

fn broken() -> Result<Response<Full<Bytes>>, BoxError> {
    Err("the cable was cut".into())
}

fn challenge() -> Result<Response<Full<Bytes>>, BoxError> {
    page(challenge_page(Endpoint::Html, "tea"))
}

fn lite() -> Result<Response<Full<Bytes>>, BoxError> {
    page(ResultPage::new("tea").endpoint(Endpoint::Lite).to_html())
}
