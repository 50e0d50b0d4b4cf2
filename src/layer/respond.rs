//! Refusals as responses, for servers: whoever stands outside gets an answer, and only the inner service's own errors.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body::Body;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::{
    failure::Failure, future::RequestFuture, grpc, own_answer::OwnAnswer,
    respond_body::RespondBody, service::Gated,
};
use crate::BoxError;

/// Marks a layer that fails a request which the gate refuses, with an [`Error`](super::Error). Every layer does so unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsErrors;

/// Marks a layer that answers a request which the gate refuses; made by [`respond`](super::SearchGateLayerBuilder::respond).
///
/// | what happened | answer | to a gRPC request |
/// |---|---|---|
/// | the gate refused the turn | 429 ([or another](super::SearchGateLayerBuilder::refusal_status)), `Retry-After` in whole seconds, never 0 | 200 with `grpc-status` 8 and `grpc-retry-pushback-ms` |
/// | the time was up before the answer began | 504 | 200 with `grpc-status` 4 |
/// | the provider throttled this very request | its own, as it came, with [`Throttled`](super::Throttled) as an extension | the same |
///
/// The body is a sentence of plain text; a gRPC answer has it as `grpc-message`. The answer to a refusal carries the [`Refusal`](crate::Refusal) as an extension.
/// An answer that has begun is passed on: if its time is up later, its body fails.
///
/// The service's error is then the inner service's. In a server the layer belongs in front of what sends requests on to the provider, and not in
/// front of the whole router: whatever goes through it takes a turn.
///
/// ```
/// use std::convert::Infallible;
/// use axum::{Router, body::Body, http::{Request, Response}, routing::get};
/// use search_gate::SearchGateLayer;
/// use tower::{ServiceBuilder, service_fn};
///
/// async fn send_on(request: Request<Body>) -> Result<Response<Body>, Infallible> {
///     # drop(request);
///     // to the provider, by a client of yours
///     # Ok(Response::new(Body::empty()))
/// }
///
/// let layer = SearchGateLayer::builder().respond().build()?;
/// let provider = ServiceBuilder::new().layer(layer).service(service_fn(send_on));
/// let app: Router = Router::new()
///     .route("/health", get(|| async { "up" })) // takes no turn
///     .route_service("/html/", provider);
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
            Err(Failure::Timeout) => OwnAnswer::timeout(),
            Err(Failure::Refused(refused)) => OwnAnswer::refused(*this.status, &refused),
        };
        Poll::Ready(Ok(match this.grpc.take() {
            Some(content_type) => failure.into_grpc(content_type),
            None => failure.into_http(),
        }))
    }
}
