//! Results over several pages, as they arrive.

use std::{
    collections::HashSet,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;
use http::{Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use tokio::time::Instant;
use tower_service::Service;

use super::{DuckDuckGo, search::worse};
use crate::{
    BoxError,
    layer::{Error, ResponseFuture, Results},
    page::{Page, SearchResult},
    query::{Endpoint, Query},
};

pin_project! {
    /// The results of a search as they arrive, over as many pages as were asked for; made by [`DuckDuckGo::results`].
    ///
    /// Each page is a search of its own: it waits for a turn, it has the client's whole budget, counted from when it is asked for, and it is
    /// asked for once the stream is polled after the last result of the page before. So who takes no more results sends no more
    /// requests: `results("tea").pages(10).take(25)` asks for three pages of ten.
    ///
    /// The provider repeats results on later pages. One whose URL an earlier page had is left out, and a page that brings nothing new is the
    /// last.
    ///
    /// The stream ends after the last page, or with the first error. What it gave before is good. Dropping it drops the request that is on
    /// its way.
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless polled"]
    pub struct ResultStream<S, B, F, R> {
        client: DuckDuckGo<S, B>,
        first: Query,
        asked: Asked,
        pages_left: usize,
        earlier: HashSet<String>,
        page: Option<Page>,
        #[pin]
        state: State<S, B, F, R>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = StateProj]
    enum State<S, B, F, R> {
        Asking,
        Sending { #[pin] future: ResponseFuture<S, B, F, R> },
        Reading { #[pin] results: Results<R> },
        Done,
    }
}

/// The page that is asked for.
#[derive(Debug)]
struct Asked {
    query: Query,
    deadline: Instant,
    /// The URLs that it has given.
    urls: Vec<String>,
    /// Why it is the lite page that is asked.
    instead_of: Option<Error>,
}

impl Asked {
    fn new(query: Query, deadline: Instant) -> Self {
        Self {
            query,
            deadline,
            urls: Vec::new(),
            instead_of: None,
        }
    }
}

impl<S, B, F, R> ResultStream<S, B, F, R> {
    pub(super) fn new(client: DuckDuckGo<S, B>, query: Query) -> Self {
        Self {
            first: query.clone(),
            asked: Asked::new(query, client.deadline()),
            client,
            pages_left: 1,
            earlier: HashSet::new(),
            page: None,
            state: State::Asking,
        }
    }

    /// How many pages are asked for at most. Default: one.
    pub fn pages(mut self, pages: usize) -> Self {
        self.pages_left = pages;
        self
    }

    /// What stands around the results of the page that was read last, such as its spelling. `None` before the first has been read to its end.
    /// Its `results` are empty: the stream has given them.
    #[must_use]
    pub fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }
}

impl<S, B, R> Stream for ResultStream<S, B, S::Future, R>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    B: From<String>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    type Item = Result<SearchResult, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            let asked = &mut *this.asked;
            let error = match this.state.as_mut().project() {
                StateProj::Done => return Poll::Ready(None),
                StateProj::Asking if *this.pages_left == 0 => {
                    this.state.set(State::Done);
                    continue;
                }
                StateProj::Asking => {
                    *this.pages_left -= 1;
                    asked.deadline = this.client.deadline();
                    match this.client.send(asked.query.clone(), asked.deadline) {
                        Ok(future) => {
                            this.state.set(State::Sending { future });
                            continue;
                        }
                        Err(error) => error,
                    }
                }
                StateProj::Sending { future } => match ready!(future.poll(cx)) {
                    Ok(response) => {
                        let results = response.into_body().results();
                        this.state.set(State::Reading { results });
                        continue;
                    }
                    Err(error) => error,
                },
                StateProj::Reading { mut results } => {
                    match ready!(results.as_mut().poll_next(cx)) {
                        Some(Ok(result)) if this.earlier.contains(&result.url) => continue,
                        Some(Ok(result)) => {
                            asked.urls.push(result.url.clone());
                            return Poll::Ready(Some(Ok(result)));
                        }
                        Some(Err(error)) => error,
                        None => {
                            let brought_some = !asked.urls.is_empty();
                            this.earlier.extend(asked.urls.drain(..));
                            *this.page = results.page().cloned();
                            let next = this.page.as_ref().and_then(|page| page.next.clone());
                            this.state.set(match next.filter(|_| brought_some) {
                                Some(next) => {
                                    let query = next.asked_as(this.first);
                                    *asked = Asked::new(query, asked.deadline);
                                    State::Asking
                                }
                                None => State::Done,
                            });
                            continue;
                        }
                    }
                }
            };
            match this.client.instead(asked, error) {
                Ok(future) => this.state.set(State::Sending { future }),
                Err(error) => {
                    this.state.set(State::Done);
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

impl<S, B> DuckDuckGo<S, B> {
    /// Asks the lite page for what has failed, or gives the error to tell.
    fn instead<R>(
        &self,
        asked: &mut Asked,
        error: Error,
    ) -> Result<ResponseFuture<S, B, S::Future, R>, Error>
    where
        S: Service<Request<B>, Response = Response<R>> + Clone,
        S::Error: Into<BoxError>,
        B: From<String>,
        R: Body<Data = Bytes>,
        R::Error: Into<BoxError>,
    {
        if let Some(first) = asked.instead_of.take() {
            return Err(worse(first, error));
        }
        if !asked.urls.is_empty() || !self.may_ask_lite(&asked.query, &error) {
            return Err(error);
        }
        asked.query = asked.query.clone().endpoint(Endpoint::Lite);
        asked.instead_of = Some(error);
        self.send(asked.query.clone(), asked.deadline)
    }
}
