//! Refusals as responses, for servers: whoever stands outside gets an answer, and only the inner service's own errors.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Request, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use http_body::{Body, Frame, SizeHint};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use pin_project_lite::pin_project;
use tower_service::Service;

use super::{
    body::SearchBody,
    error::Error,
    failure::Failure,
    future::RequestFuture,
    grpc::{self, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED},
    service::Gated,
};
use crate::{
    BoxError,
    gate::{Refusal, whole_seconds},
};

/// Of a layer that fails a request which the gate refuses, with an [`Error`]. This is what a layer does unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsErrors;

/// Of a layer that answers a request which the gate refuses; made by [`respond`](super::SearchGateLayerBuilder::respond).
///
/// | what happened | answer | to a gRPC request |
/// |---|---|---|
/// | the gate refused the turn | 429 ([or another](super::SearchGateLayerBuilder::refusal_status)), `Retry-After` in whole seconds, never 0 | 200 with `grpc-status` 8 and `grpc-retry-pushback-ms` |
/// | the time was up before the answer began | 504 | 200 with `grpc-status` 4 |
///
/// The body is a sentence of plain text; a gRPC answer has it as `grpc-message`. The answer to a refusal carries the [`Refusal`] as an extension.
/// An answer that has begun is passed on: if its time is up later, its body fails.
///
/// The service's error is then the inner service's, so that an axum `Router` takes the layer as it is:
///
/// ```
/// use axum::{Router, routing::get};
/// use search_gate::SearchGateLayer;
///
/// let layer = SearchGateLayer::builder().respond().build()?;
/// let app: Router = Router::new().route("/", get(|| async { "searches" })).layer(layer);
/// # Ok::<_, search_gate::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsResponses;

impl<S, B, R> Service<Request<B>> for Gated<S, AsResponses>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    type Response = Response<RespondBody<R>>;
    type Error = S::Error;
    type Future = RespondFuture<S, B, S::Future, R>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let grpc = grpc::is_grpc(request.headers());
        let content_type = request.headers().get(CONTENT_TYPE).filter(|_| grpc);
        RespondFuture {
            grpc: content_type.cloned(),
            status: self.refusal_status(),
            request: self.send(request),
        }
    }
}

pin_project! {
    /// One request through a gate that answers what it refuses.
    ///
    /// Dropping it gives its place up; once the request has started, its turn is spent.
    #[derive(Debug)]
    pub struct RespondFuture<S, B, F, R> {
        #[pin]
        request: RequestFuture<S, B, F, R>,
        status: StatusCode,
        // The content type of a request that is gRPC.
        grpc: Option<HeaderValue>,
    }
}

impl<S, B, F, R> Future for RespondFuture<S, B, F, R>
where
    S: Service<Request<B>, Response = Response<R>, Future = F> + Clone,
    F: Future<Output = Result<Response<R>, S::Error>>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    type Output = Result<Response<RespondBody<R>>, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let failure = match ready!(this.request.poll(cx)) {
            Ok(response) => return Poll::Ready(Ok(response.map(RespondBody::answer))),
            Err(Failure::Service(error)) => return Poll::Ready(Err(error)),
            Err(Failure::Timeout) => Own::timeout(),
            Err(Failure::Refused {
                refusal,
                retry_after,
            }) => Own::refusal(*this.status, refusal, retry_after),
        };
        Poll::Ready(Ok(match this.grpc.take() {
            Some(content_type) => failure.into_grpc(content_type),
            None => failure.into_http(),
        }))
    }
}

/// An answer of the gate's own.
struct Own {
    status: StatusCode,
    grpc_status: &'static str,
    /// With the seconds after which to come again.
    refusal: Option<(Refusal, u64)>,
    message: String,
}

/// What gRPC does not take in a message as it is.
const MESSAGE: &AsciiSet = &CONTROLS.add(b'%');

impl Own {
    fn refusal(status: StatusCode, refusal: Refusal, retry_after: Duration) -> Self {
        Self {
            status,
            grpc_status: RESOURCE_EXHAUSTED,
            refusal: Some((refusal, whole_seconds(retry_after))),
            message: format!("the search gate refused the request: {refusal}"),
        }
    }

    fn timeout() -> Self {
        Self {
            status: StatusCode::GATEWAY_TIMEOUT,
            grpc_status: DEADLINE_EXCEEDED,
            refusal: None,
            message: "the request's time was up before its answer began".to_owned(),
        }
    }

    fn into_http<B>(self) -> Response<RespondBody<B>> {
        let mut response = Response::new(RespondBody::own(self.message));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        if let Some((refusal, seconds)) = self.refusal {
            headers.insert(RETRY_AFTER, seconds.into());
            response.extensions_mut().insert(refusal);
        }
        response
    }

    /// The status in the headers and no messages, as gRPC has an answer that is over before it begins.
    fn into_grpc<B>(self, content_type: HeaderValue) -> Response<RespondBody<B>> {
        let mut response = Response::new(RespondBody::default());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, content_type);
        headers.insert(
            HeaderName::from_static("grpc-status"),
            HeaderValue::from_static(self.grpc_status),
        );
        let message = utf8_percent_encode(&self.message, MESSAGE).to_string();
        if let Ok(message) = HeaderValue::try_from(message) {
            headers.insert(HeaderName::from_static("grpc-message"), message);
        }
        if let Some((refusal, seconds)) = self.refusal {
            let pushback = seconds.saturating_mul(1000).into();
            headers.insert(HeaderName::from_static(grpc::PUSHBACK), pushback);
            response.extensions_mut().insert(refusal);
        }
        response
    }
}

pin_project! {
    /// The body of an answer through a gate that answers what it refuses: the inner service's, or a sentence of the gate's.
    #[derive(Debug)]
    pub struct RespondBody<B> {
        #[pin]
        origin: Origin<B>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = OriginProj]
    enum Origin<B> {
        Service { #[pin] body: SearchBody<B> },
        Gate { text: Bytes },
    }
}

impl<B> RespondBody<B> {
    fn answer(body: SearchBody<B>) -> Self {
        Self {
            origin: Origin::Service { body },
        }
    }

    fn own(text: String) -> Self {
        Self {
            origin: Origin::Gate { text: text.into() },
        }
    }

    /// The body of the inner service's answer, to read as data; `None` if the answer is the gate's.
    #[must_use]
    pub fn into_search_body(self) -> Option<SearchBody<B>> {
        match self.origin {
            Origin::Service { body } => Some(body),
            Origin::Gate { .. } => None,
        }
    }
}

impl<B> Default for RespondBody<B> {
    fn default() -> Self {
        Self::own(String::new())
    }
}

impl<B> Body for RespondBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match self.project().origin.project() {
            OriginProj::Service { body } => body.poll_frame(cx),
            OriginProj::Gate { text } if text.is_empty() => Poll::Ready(None),
            OriginProj::Gate { text } => Poll::Ready(Some(Ok(Frame::data(std::mem::take(text))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.origin {
            Origin::Service { body } => body.is_end_stream(),
            Origin::Gate { text } => text.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.origin {
            Origin::Service { body } => body.size_hint(),
            Origin::Gate { text } => SizeHint::with_exact(text.len() as u64),
        }
    }
}
