use std::{
    marker::PhantomData,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use tower_layer::Layer;
use tower_service::Service;

use super::{
    body::SearchBody,
    builder::SearchGateLayerBuilder,
    config::Config,
    error::Error,
    future::{RequestFuture, ResponseFuture},
    respond::AsErrors,
};
use crate::{BoxError, gate::SearchGate};

/// Puts a [`SearchGate`] in front of an HTTP client. The [module docs](super) show it in a stack.
///
/// Clones of a layer, and the services that it makes, share its gate. `M` says what becomes of refusals: errors, or [responses](super::AsResponses).
#[derive(Debug, Clone)]
#[must_use = "a layer does nothing until it is put in front of a service"]
pub struct SearchGateLayer<M = AsErrors> {
    config: Arc<Config>,
    refusals: PhantomData<M>,
}

impl SearchGateLayer {
    /// A layer whose turns come from `gate`, with the usual budget, limit and signs of throttling.
    pub fn new(gate: SearchGate) -> Self {
        Self::from_config(Config::new(gate))
    }

    /// A layer on the process-wide gate for DuckDuckGo, [`SearchGate::duckduckgo`].
    pub fn duckduckgo() -> Self {
        Self::new(SearchGate::duckduckgo())
    }

    /// Sets up a layer setting by setting, with a check at the end.
    pub fn builder() -> SearchGateLayerBuilder {
        SearchGateLayerBuilder::new()
    }
}

impl<M> SearchGateLayer<M> {
    pub(super) fn from_config(config: Config) -> Self {
        Self {
            config: Arc::new(config),
            refusals: PhantomData,
        }
    }

    /// The gate that gives the turns.
    #[must_use]
    pub fn gate(&self) -> &SearchGate {
        &self.config.gate
    }
}

impl<S, M> Layer<S> for SearchGateLayer<M> {
    type Service = Gated<S, M>;

    fn layer(&self, inner: S) -> Gated<S, M> {
        Gated {
            inner,
            config: Arc::clone(&self.config),
            refusals: PhantomData,
        }
    }
}

/// A client behind a gate; made by [`SearchGateLayer`].
///
/// It is always ready: a request waits in its future, where it has a deadline, and holds nothing of the inner service meanwhile.
#[derive(Debug, Clone)]
pub struct Gated<S, M = AsErrors> {
    inner: S,
    config: Arc<Config>,
    refusals: PhantomData<M>,
}

impl<S, M> Gated<S, M> {
    /// The client behind the gate.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The client behind the gate, to change.
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The client, without its gate.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// The gate that gives the turns.
    #[must_use]
    pub fn gate(&self) -> &SearchGate {
        &self.config.gate
    }

    pub(super) fn refusal_status(&self) -> StatusCode {
        self.config.refusal_status
    }

    pub(super) fn send<B, F, R>(&self, request: Request<B>) -> RequestFuture<S, B, F, R>
    where
        S: Clone,
    {
        RequestFuture::new(self.inner.clone(), request, Arc::clone(&self.config))
    }
}

impl<S, B, R> Service<Request<B>> for Gated<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    type Response = Response<SearchBody<R>>;
    type Error = Error;
    type Future = ResponseFuture<S, B, S::Future, R>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        ResponseFuture::new(self.send(request))
    }
}
