use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use http::{Method, Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};
use tower_service::Service;

use super::{
    body::SearchBody,
    config::Config,
    error::{Error, Phase},
    start::Start,
};
use crate::{
    BoxError,
    gate::{Turn, Waiter, time_left},
};

pin_project! {
    /// One request through the gate: waits for its turn, sends, and gives the answer's head.
    ///
    /// Dropping it gives its place up; once the request has started, its turn is spent.
    #[derive(Debug)]
    pub struct ResponseFuture<S, B, F> {
        config: Arc<Config>,
        #[pin]
        state: State<S, B, F>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = StateProj]
    enum State<S, B, F> {
        /// `waiter` is there from the first poll on.
        Waiting { start: Start<S>, request: Option<Request<B>>, waiter: Option<Waiter> },
        /// A request that the layer does not cover.
        Readying { inner: S, request: Option<Request<B>> },
        Calling { #[pin] future: F, exchange: Option<Exchange> },
        /// The answer was given, and nothing of the exchange is held any more.
        Done,
    }
}

/// What a request that has started carries.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) turn: Turn,
    pub(super) method: Method,
    /// Ends the request, its answer's body included.
    pub(super) limit: Pin<Box<Sleep>>,
}

impl<S, B, F> ResponseFuture<S, B, F> {
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
        Self { config, state }
    }
}

impl<S, B, F, R> Future for ResponseFuture<S, B, F>
where
    S: Service<Request<B>, Response = Response<R>, Future = F> + Clone,
    S::Error: Into<BoxError>,
    F: Future<Output = Result<Response<R>, S::Error>>,
    R: Body,
{
    type Output = Result<Response<SearchBody<R>>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(self.as_mut().poll_answer(cx));
        self.project().state.set(State::Done);
        Poll::Ready(answer)
    }
}

impl<S, B, F, R> ResponseFuture<S, B, F>
where
    S: Service<Request<B>, Response = Response<R>, Future = F> + Clone,
    S::Error: Into<BoxError>,
    F: Future<Output = Result<Response<R>, S::Error>>,
    R: Body,
{
    fn poll_answer(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Response<SearchBody<R>>, Error>> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Waiting {
                    start,
                    request,
                    waiter,
                } => {
                    let asked = request.as_ref().expect("polled after completion");
                    let waiting = waiter.get_or_insert_with(|| {
                        let deadline = this.config.deadline_of(asked.extensions());
                        Waiter::new(this.config.gate.clone(), deadline)
                    });
                    let deadline = waiting.deadline();
                    let started = ready!(start.poll(waiting, cx));
                    // Whatever became of it, its place is free from here on.
                    *waiter = None;
                    let request = request.take().expect("just looked at");
                    let turn = started.map_err(|error| error.explain(this.config, deadline))?;
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
                    ready!(inner.poll_ready(cx)).map_err(Error::service)?;
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
                            return Poll::Ready(Err(Error::timeout(Phase::Head)));
                        }
                        return Poll::Pending;
                    };
                    let response = answer.map_err(Error::service)?;
                    return Poll::Ready(Ok(match exchange.take() {
                        Some(exchange) => SearchBody::receive(response, exchange, this.config),
                        None => response.map(SearchBody::untouched),
                    }));
                }
                StateProj::Done => panic!("polled after completion"),
            };
            this.state.set(next);
        }
    }
}
