//! The HTTP client that [`DuckDuckGo::new`](super::DuckDuckGo::new) brings.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use pin_project_lite::pin_project;
use rustls::crypto::ring::default_provider;
use tower_http::{
    decompression::{self, Decompression, DecompressionBody},
    map_response_body::MapResponseBody,
};
use tower_service::Service;

use super::late_error::LateError;
use crate::BoxError;

/// An HTTP client on hyper and rustls, as a service without a gate. Feature `client`.
///
/// It speaks HTTP/2 and HTTP/1.1, over TLS and, for a stand-in on loopback, without; it decompresses gzip, deflate, brotli and zstd; it follows
/// no redirects and heeds no proxy settings. TLS has *ring* as its provider, whatever other crates choose. It trusts the system's
/// certificates, and Mozilla's where the system has none.
///
/// Clones share their connections.
#[derive(Debug, Clone)]
pub struct HttpClient {
    inner: Decompression<Bare>,
}

/// What it is without decompression.
type Bare = MapResponseBody<Client<HttpsConnector<HttpConnector>, String>, fn(Incoming) -> Answer>;

type Answer = LateError<Incoming, hyper::Error>;

impl HttpClient {
    /// A client without connections. It reads the system's certificates.
    #[must_use]
    pub fn new() -> Self {
        let builder = HttpsConnectorBuilder::new();
        let builder = match builder.with_provider_and_native_roots(default_provider()) {
            Ok(builder) => builder,
            Err(_) => HttpsConnectorBuilder::new()
                .with_provider_and_webpki_roots(default_provider())
                .expect("ring has what TLS 1.2 and 1.3 need"),
        };
        let connector = builder.https_or_http().enable_all_versions().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let bare: Bare = MapResponseBody::new(client, LateError::new);
        Self {
            inner: Decompression::new(bare),
        }
    }
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

impl Service<Request<String>> for HttpClient {
    type Response = Response<HttpBody>;
    type Error = BoxError;
    type Future = HttpFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(BoxError::from)
    }

    fn call(&mut self, request: Request<String>) -> HttpFuture {
        HttpFuture {
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// A request of an [`HttpClient`] on its way.
    pub struct HttpFuture {
        #[pin]
        inner: decompression::ResponseFuture<<Bare as Service<Request<String>>>::Future>,
    }
}

impl fmt::Debug for HttpFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFuture").finish_non_exhaustive()
    }
}

impl Future for HttpFuture {
    type Output = Result<Response<HttpBody>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let response = ready!(self.project().inner.poll(cx))?;
        Poll::Ready(Ok(response.map(|inner| HttpBody { inner })))
    }
}

pin_project! {
    /// The body of an answer to an [`HttpClient`], decompressed.
    pub struct HttpBody {
        #[pin]
        inner: DecompressionBody<Answer>,
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBody").finish_non_exhaustive()
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.project().inner.poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
