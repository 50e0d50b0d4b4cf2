//! reqwest's client, 0.13, as a service from `http::Request` to `http::Response`. Feature `reqwest`.
//!
//! `reqwest::Client` is a tower service of its own request type; a layer of HTTP wants `http::Request`. [`ReqwestService`] stands between:
//!
//! ```
//! use search_gate::{SearchGateLayer, reqwest::ReqwestService};
//! use tower::ServiceBuilder;
//!
//! # fn example(client: reqwest::Client) {
//! let client = ServiceBuilder::new()
//!     .layer(SearchGateLayer::duckduckgo())
//!     .service(ReqwestService::new(client));
//! # }
//! ```
//!
//! reqwest follows redirects and decompresses by itself, so the gate sees one request and the body as it is to be read. For reqwest 0.12, five
//! lines with `tower::service_fn` do the same; the example `reqwest_012` shows them.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use ::reqwest::{Body, Client, Error, Request};
use http::Response;
use pin_project_lite::pin_project;
use tower_service::Service;
use url::Url;

use crate::client::DuckDuckGo;

/// A `reqwest::Client` as a service from `http::Request` to `http::Response`.
///
/// The response carries the URL that it came from as the extension [`FinalUrl`]. Errors are reqwest's own, so that `is_timeout()` and the like can
/// be asked. Extensions of the request are lost, as reqwest has none.
#[derive(Debug, Clone)]
pub struct ReqwestService {
    client: Client,
}

impl ReqwestService {
    /// Requests are sent by `client`.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client.
    #[must_use]
    pub fn get_ref(&self) -> &Client {
        &self.client
    }

    /// The client, to be used alone.
    #[must_use]
    pub fn into_inner(self) -> Client {
        self.client
    }
}

impl DuckDuckGo<ReqwestService> {
    /// On a `reqwest::Client` of yours, with its proxy, its certificates and its name resolution, through the process-wide gate.
    ///
    /// If it has a `user_agent` set, the query's goes before it. Its own timeouts hold as well: an error of theirs is the source of one
    /// that says `is_transport`.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use search_gate::DuckDuckGo;
    ///
    /// let ddg = DuckDuckGo::with_reqwest(reqwest::Client::new());
    /// let page = ddg.search("tower middleware").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_reqwest(client: Client) -> Self {
        Self::with_service(ReqwestService::new(client))
    }
}

/// A response extension: the URL of the response, after all redirects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FinalUrl(Url);

impl FinalUrl {
    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for FinalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<B: Into<Body>> Service<http::Request<B>> for ReqwestService {
    type Response = Response<Body>;
    type Error = Error;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Service::<Request>::poll_ready(&mut self.client, cx)
    }

    fn call(&mut self, request: http::Request<B>) -> ResponseFuture {
        ResponseFuture {
            state: match Request::try_from(request) {
                Ok(request) => State::Sent {
                    future: self.client.call(request),
                },
                Err(error) => State::Wrong { error: Some(error) },
            },
        }
    }
}

pin_project! {
    /// A request of a [`ReqwestService`] on its way.
    #[derive(Debug)]
    pub struct ResponseFuture {
        #[pin]
        state: State,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = StateProj]
    enum State {
        Sent { #[pin] future: <Client as Service<Request>>::Future },
        // It is no request for reqwest: its URL is not absolute.
        Wrong { error: Option<Error> },
    }
}

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let response = match self.project().state.project() {
            StateProj::Sent { future } => ready!(future.poll(cx))?,
            StateProj::Wrong { error } => {
                return Poll::Ready(Err(error.take().expect("polled after completion")));
            }
        };
        let url = FinalUrl(response.url().clone());
        let mut response = Response::<Body>::from(response);
        response.extensions_mut().insert(url);
        Poll::Ready(Ok(response))
    }
}
