use std::{
    borrow::Cow,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use sync_wrapper::SyncWrapper;
use tokio::time::sleep;
use tower_service::Service;

use super::{
    body::SearchBody,
    config::Config,
    error::Error,
    exchange::{Exchange, Received},
    failure::Failure,
    peek::Peek,
    start::Start,
};
use crate::{
    BoxError,
    gate::{Waiter, time_left},
};

pin_project! {
    /// One request through the gate: waits for its turn, sends, and gives the answer's head.
    ///
    /// Dropping it gives its place up; once the request has started, its turn is spent.
    #[derive(Debug)]
    pub struct ResponseFuture<S, B, F, R> {
        #[pin]
        request: RequestFuture<S, B, F, R>,
    }
}

impl<S, B, F, R> ResponseFuture<S, B, F, R> {
    pub(super) fn new(request: RequestFuture<S, B, F, R>) -> Self {
        Self { request }
    }
}

impl<S, B, F, R> Future for ResponseFuture<S, B, F, R>
where
    S: Service<Request<B>, Response = Response<R>, Future = F> + Clone,
    S::Error: Into<BoxError>,
    F: Future<Output = Result<Response<R>, S::Error>>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    type Output = Result<Response<SearchBody<R>>, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().request.poll(cx).map_err(Error::from)
    }
}

pin_project! {
    /// One request through the gate, whatever becomes of its failure.
    #[derive(Debug)]
    pub(super) struct RequestFuture<S, B, F, R> {
        config: Arc<Config>,
        // Shared between threads it shows nothing, so it is `Sync` whatever the client and the bodies are.
        #[pin]
        state: SyncWrapper<State<S, B, F, R>>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = StateProj]
    enum State<S, B, F, R> {
        /// `waiter` is there from the first poll on.
        Waiting { start: Start<S>, request: Option<Request<B>>, waiter: Option<Waiter<'static>> },
        /// A request that the layer does not cover.
        Readying { inner: S, request: Option<Request<B>> },
        Calling { #[pin] future: F, exchange: Option<Exchange> },
        Peeking { peek: Peek<R> },
        /// The answer was given, and nothing of the exchange is held any more.
        Done,
    }
}

impl<S, B, F, R> RequestFuture<S, B, F, R> {
    pub(super) fn new(inner: S, request: Request<B>, config: Arc<Config>) -> Self {
        let (parts, body) = request.into_parts();
        let covered = config.covers(&parts);
        let request = Some(Request::from_parts(parts, body));
        let state = if covered {
            State::Waiting {
                start: Start::new(inner),
                request,
                waiter: None,
            }
        } else {
            State::Readying { inner, request }
        };
        Self {
            config,
            state: SyncWrapper::new(state),
        }
    }
}

impl<S, B, F, R> Future for RequestFuture<S, B, F, R>
where
    S: Service<Request<B>, Response = Response<R>, Future = F> + Clone,
    F: Future<Output = Result<Response<R>, S::Error>>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    type Output = Result<Response<SearchBody<R>>, Failure<S::Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(self.as_mut().poll_answer(cx));
        self.project().state.get_pin_mut().set(State::Done);
        Poll::Ready(answer)
    }
}

impl<S, B, F, R> RequestFuture<S, B, F, R>
where
    S: Service<Request<B>, Response = Response<R>, Future = F> + Clone,
    F: Future<Output = Result<Response<R>, S::Error>>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    fn poll_answer(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Response<SearchBody<R>>, Failure<S::Error>>> {
        let this = self.project();
        let mut state = this.state.get_pin_mut();
        loop {
            let next = match state.as_mut().project() {
                StateProj::Waiting {
                    start,
                    request,
                    waiter,
                } => {
                    let asked = request.as_ref().expect("polled after completion");
                    let waiting = waiter.get_or_insert_with(|| {
                        let deadline = this.config.deadline_of(asked.extensions());
                        Waiter::new(Cow::Owned(this.config.gate.clone()), deadline)
                    });
                    let deadline = waiting.deadline();
                    let started = ready!(start.poll(waiting, cx, this.config.peek));
                    // Whatever became of it, its place is free from here on.
                    *waiter = None;
                    let request = request.take().expect("just looked at");
                    let turn = started?;
                    // Before the call: where there is no timer, nothing is sent.
                    let limit = Box::pin(sleep(time_left(deadline, this.config.request_limit)));
                    let method = request.method().clone();
                    let future = start.inner.call(request);
                    turn.started();
                    State::Calling {
                        future,
                        exchange: Some(Exchange {
                            turn,
                            method,
                            limit,
                        }),
                    }
                }
                StateProj::Readying { inner, request } => {
                    ready!(inner.poll_ready(cx)).map_err(Failure::Service)?;
                    let request = request.take().expect("polled after completion");
                    State::Calling {
                        future: inner.call(request),
                        exchange: None,
                    }
                }
                StateProj::Calling { future, exchange } => {
                    let answered = future.poll(cx);
                    let Poll::Ready(answer) = answered else {
                        let limit = exchange.as_mut().map(|exchange| exchange.limit.as_mut());
                        if limit.is_some_and(|limit| limit.poll(cx).is_ready()) {
                            return Poll::Ready(Err(Failure::Timeout));
                        }
                        return Poll::Pending;
                    };
                    let response = answer.map_err(Failure::Service)?;
                    let Some(exchange) = exchange.take() else {
                        return Poll::Ready(Ok(response.map(SearchBody::untouched)));
                    };
                    match exchange.receive(response, this.config) {
                        Received::Answer(response) => return Poll::Ready(Ok(response)),
                        Received::Unsure(peek) => State::Peeking { peek },
                    }
                }
                StateProj::Peeking { peek } => return peek.poll(cx).map(Ok),
                StateProj::Done => panic!("polled after completion"),
            };
            state.set(next);
        }
    }
}
