//! Four ways to send a search.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use http::{Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::Full;
use search_gate::{
    BACKOFF, Deadline, Endpoint, MIN_INTERVAL, REQUEST_LIMIT, SearchGate, SearchGateLayer,
    testing::{Outcome, ResultPage, challenge_page},
    time_left,
};
use tokio::time::{Instant, sleep_until, timeout};
use tower::{Layer, ServiceExt};

use super::{
    provider::{Provider, Search},
    tally::Ending,
};
use crate::{
    peers::{GOVERNOR, OnTokio},
    report::OURS,
};

/// A way to send, with all that its callers share.
#[derive(Clone)]
pub(super) enum Way {
    NoGate,
    Governor(Arc<OnTokio>),
    Reserving(Arc<Reserving>),
    Ours(SearchGateLayer),
}

impl Way {
    /// Ours first.
    pub(super) const NAMES: [&str; 4] = [OURS, "no gate", GOVERNOR, "reserve and sleep"];

    /// The way of that name. It goes by the clock of the runtime in which this is called.
    pub(super) fn new(name: &str) -> Self {
        match name {
            OURS => Self::Ours(SearchGateLayer::new(SearchGate::new(MIN_INTERVAL, BACKOFF))),
            GOVERNOR => Self::Governor(Arc::new(OnTokio::new(MIN_INTERVAL))),
            "reserve and sleep" => Self::Reserving(Arc::default()),
            _ => Self::NoGate,
        }
    }

    /// Sends a search that must be over by `deadline`.
    pub(super) async fn send(
        &self,
        provider: &Provider,
        search: Search,
        deadline: Instant,
    ) -> Ending {
        match self {
            Self::NoGate => ask(provider, search, deadline).await,
            Self::Governor(limiter) => {
                limiter.until_ready().await;
                ask(provider, search, deadline).await
            }
            Self::Reserving(gate) => {
                if !gate.turn(deadline).await {
                    return Ending::RefusedLocally;
                }
                let ending = ask(provider, search, deadline).await;
                if ending == Ending::RefusedByProvider {
                    gate.throttled();
                }
                ending
            }
            Self::Ours(layer) => through_layer(layer, provider, search, deadline).await,
        }
    }
}

/// What a client without our layer does: it sends, and waits no longer than ours would.
async fn ask(provider: &Provider, search: Search, deadline: Instant) -> Ending {
    let limit = time_left(deadline, REQUEST_LIMIT);
    match timeout(limit, provider.search(search)).await {
        Ok(Outcome::Answered) => Ending::Answered,
        Ok(_) => Ending::RefusedByProvider,
        Err(_) => Ending::TimedOut,
    }
}

/// The way of a usual gate: each caller is given the next time and sleeps until then. It backs off, and asks after that once more when
/// it wakes; times that were given are never taken back.
#[derive(Debug, Default)]
pub(super) struct Reserving {
    state: Mutex<Reserved>,
}

#[derive(Debug, Default)]
struct Reserved {
    next: Option<Instant>,
    closed_until: Option<Instant>,
}

impl Reserving {
    async fn turn(&self, deadline: Instant) -> bool {
        let Some(start) = self.reserve(deadline) else {
            return false;
        };
        sleep_until(start).await;
        !self.with(|state| state.is_closed())
    }

    fn reserve(&self, deadline: Instant) -> Option<Instant> {
        self.with(|state| {
            let now = Instant::now();
            let start = state.next.map_or(now, |next| next.max(now));
            if state.is_closed() || start > deadline {
                return None;
            }
            state.next = Some(start + MIN_INTERVAL);
            Some(start)
        })
    }

    fn throttled(&self) {
        self.with(|state| state.closed_until = Some(Instant::now() + BACKOFF));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Reserved) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Reserved {
    fn is_closed(&self) -> bool {
        self.closed_until
            .is_some_and(|until| until > Instant::now())
    }
}

/// The whole of ours: the layer in front of a client, and the page read to its end.
async fn through_layer(
    layer: &SearchGateLayer,
    provider: &Provider,
    search: Search,
    deadline: Instant,
) -> Ending {
    let provider = provider.clone();
    let client = tower::service_fn(move |_: Request<Full<Bytes>>| {
        let provider = provider.clone();
        async move { Ok::<_, Infallible>(answer(provider.search(search).await)) }
    });
    let mut request = Request::new(Full::default());
    request.extensions_mut().insert(Deadline(deadline));
    let read = async {
        let response = layer.layer(client).oneshot(request).await?;
        response.into_body().page().await
    };
    match read.await {
        Ok(_) => Ending::Answered,
        Err(error) if error.is_refused() => Ending::RefusedLocally,
        Err(error) if error.is_throttled() => Ending::RefusedByProvider,
        Err(error) if error.is_timeout() => Ending::TimedOut,
        Err(error) => panic!("this provider sends sound pages: {error:?}"),
    }
}

fn answer(outcome: Outcome) -> Response<Full<Bytes>> {
    let (status, page) = match outcome {
        Outcome::Answered => (
            StatusCode::OK,
            ResultPage::new("day").results(1).ads(0).to_html(),
        ),
        _ => (StatusCode::ACCEPTED, challenge_page(Endpoint::Html, "day")),
    };
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "text/html; charset=UTF-8")
        .body(Full::new(page.into()))
        .expect("a sound head")
}
