//! The server: it listens, and ends when its handle is dropped.

use super::service::{Shared, answer};
use super::{Entry, Outcome, StandInBuilder};
use crate::gate::{BACKOFF, MIN_INTERVAL, SearchGate};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io::Result;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

/// Connections at one time. Further ones wait in the listener's queue.
const MAX_CONNECTIONS: usize = 1024;

/// Bytes of a request's head, and of what is read ahead.
const MAX_HEAD: usize = 32 * 1024;

/// A stand-in for the provider, on 127.0.0.1.
///
/// It runs in the background of the tokio runtime in which it was started, until this handle is dropped. See the [module](super) for an
/// example.
#[derive(Debug)]
pub struct StandIn {
    addr: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl StandIn {
    /// Starts one that behaves as the provider was measured to.
    ///
    /// # Errors
    ///
    /// What the operating system says when no port can be had.
    pub async fn start() -> Result<Self> {
        Self::builder().start().await
    }

    /// Sets up one that behaves otherwise.
    pub fn builder() -> StandInBuilder {
        StandInBuilder::new()
    }

    pub(super) async fn bind(settings: StandInBuilder) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port)).await?;
        let addr = listener.local_addr()?;
        let shared = Arc::new(Shared::new(settings));
        let server = tokio::spawn(serve(listener, shared.clone()));
        Ok(Self {
            addr,
            shared,
            server,
        })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Its base, for [`Query::base_url`](crate::Query::base_url): `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The URL of the html page.
    #[must_use]
    pub fn html_endpoint(&self) -> String {
        format!("{}/html/", self.url())
    }

    /// The URL of the lite page.
    #[must_use]
    pub fn lite_endpoint(&self) -> String {
        format!("{}/lite/", self.url())
    }

    /// A duration of the provider's in real time: `duration` times the scale of time.
    ///
    /// What a program under test must use for its own durations to fit: `SearchGate::new(provider.scaled(MIN_INTERVAL), …)`.
    #[must_use]
    pub fn scaled(&self, duration: Duration) -> Duration {
        self.shared.scaled(duration)
    }

    /// A gate with DuckDuckGo's numbers on this stand-in's scale of time: what a program under test should use, so that tests share no gate with
    /// each other, nor its pace with the real provider. Each call makes a new one: clone it where several are to share it.
    ///
    /// Deadlines and budgets are the program's and are not scaled.
    #[must_use]
    pub fn gate(&self) -> SearchGate {
        SearchGate::new(self.scaled(MIN_INTERVAL), self.scaled(BACKOFF))
    }

    /// The requests so far, in the order of their arrival; the newest [`LOG_LIMIT`](super::LOG_LIMIT) of them.
    #[must_use]
    pub fn log(&self) -> Vec<Entry> {
        self.shared.state().log.entries()
    }

    /// How many requests had this outcome, since the start.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.shared.state().log.count(outcome)
    }

    /// The smallest gap between the arrivals of two searches, in the provider's time. `None` before the second one.
    ///
    /// Arrivals are what is counted, not departures: of two requests sent 2.5 s apart the first may be late by more than the second.
    #[must_use]
    pub fn smallest_gap(&self) -> Option<Duration> {
        self.shared.state().log.smallest_gap()
    }

    /// How much longer the client at 127.0.0.1 is refused, in the provider's time. `None` if it is not.
    #[must_use]
    pub fn refused_for(&self) -> Option<Duration> {
        self.shared.refused_for(Ipv4Addr::LOCALHOST.into())
    }

    /// Refuses the next `searches`, whichever client sends them, as if the throttle did; those after them are the throttle's again.
    ///
    /// So a test can have a program throttled, and see it recover. The [log](Self::log) has them as [`Refused`](Outcome::Refused). The throttle
    /// does not see them: they count for no run, and they neither begin nor lengthen a refusal of its own, so
    /// [`refused_for`](Self::refused_for) tells nothing of them. A search that it would have refused uses one up all the same.
    ///
    /// A search is judged when it has arrived in full. Those that have, and wait for their [latency](StandInBuilder::latency) or are being
    /// answered, stay as they were judged. What is [`Rejected`](Outcome::Rejected) uses none up.
    ///
    /// A call replaces what is left of the one before: 0 ends it, as [`reset`](Self::reset) does; with [`u32::MAX`] all are refused until then.
    pub fn refuse_next(&self, searches: u32) {
        self.shared.state().refuse_next = searches;
    }

    /// Forgets what every client has done, so that the next request of each begins a run, and what is left of
    /// [`refuse_next`](Self::refuse_next). The log and the settings stay, a throttle that answers nothing too.
    pub fn reset(&self) {
        self.shared.state().reset();
    }

    /// Stops the server, and waits until its port is free and its connections are closed. Dropping it does the same without waiting.
    pub async fn shutdown(mut self) {
        self.server.abort();
        // An error says that it was aborted, which is the purpose.
        let _ = (&mut self.server).await;
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Accepts connections for ever. The connections' tasks end with this future, which owns them.
async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, peer)) => {
                    let shared = shared.clone();
                    let service = service_fn(move |request| answer(shared.clone(), peer.ip(), request));
                    let connection = http1::Builder::new()
                        .timer(TokioTimer::new())
                        .max_buf_size(MAX_HEAD)
                        .serve_connection(TokioIo::new(stream), service);
                    // A connection that breaks is the client's affair.
                    connections.spawn(async move { drop(connection.await) });
                }
                // Out of descriptors, most likely: others must close first.
                Err(_) => sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
