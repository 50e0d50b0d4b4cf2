//! A client that is ready to search: a search in one call, on an HTTP client of its own or of yours.
//!
//! [`DuckDuckGo`] puts the gate in front of an HTTP client, asks as the provider's own form asks, and reads what comes back. With the
//! feature `client` it brings the HTTP client too:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), search_gate::Error> {
//! use search_gate::DuckDuckGo;
//! # let provider = search_gate::testing::StandIn::start().await.unwrap();
//!
//! let ddg = DuckDuckGo::new().user_agent("my-agent/2.1 (+https://my-agent.example)");
//! # let ddg = ddg.base_url(provider.url());
//! let page = ddg.search("tower middleware").await?;
//! for result in &page.results {
//!     println!("{} {}", result.title, result.url);
//! }
//! # assert_eq!(page.results.len(), 10);
//! # Ok(())
//! # }
//! ```
//!
//! # A search of several requests
//!
//! A search asks the html page. If that is none that this crate knows, or fails on its way, it asks the lite page. If nothing was found and
//! `instant_fallback` (feature `json`) is on, it asks for an instant answer too. Each request waits for a turn of its own,
//! and all of them keep to one deadline. A throttle ends the search, and so does a timeout, since a provider that blocks an address often
//! lets it wait. (A time limit of the HTTP client's own is a failure on its way.)
//!
//! # Errors
//!
//! | [`Error`] | what happened | what to do |
//! |---|---|---|
//! | `is_query` | the query cannot be sent, the source says why | change it |
//! | `is_refused` | the gate let nothing out | come again after `retry_after` |
//! | `is_throttled` | the provider throttled this very search, with a challenge or a status | come again after `retry_after` |
//! | `is_timeout` | the time was up | set a longer budget, or come again later |
//! | `is_transport` | the HTTP client failed, the source is its error | see the source |
//! | `is_unrecognised` | the page is none that this crate knows | update this crate |
//! | `is_incomplete` | the page was cut off, or has more than is read of one; only a stream of results ends so | search again |
//! | `is_unreadable` | the answer is still compressed, or no html page | put decompression inside, or see where the request went |
//!
//! A page without results is none of these.

#[cfg(feature = "client")]
mod http;
#[cfg(feature = "json")]
mod instant;
#[cfg(feature = "client")]
mod late_error;
mod search;
mod settings;
mod stream;

use std::{fmt, marker::PhantomData, time::Duration};

use ::http::{Request, Response};
use bytes::Bytes;
use http_body::Body;
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

#[cfg(feature = "client")]
pub use self::http::{HttpBody, HttpClient, HttpFuture};
pub use self::stream::ResultStream;
use crate::{
    BoxError,
    gate::SEARCH_DEADLINE,
    layer::{Error, Gated, SearchGateLayer, deadline_in},
    page::Page,
    query::Query,
};

/// Searches DuckDuckGo through the gate. The [module docs](self) show it.
///
/// `DuckDuckGo::new()` needs the feature `client`, `with_reqwest` the feature `reqwest`; `with_service` needs none.
///
/// `S` is the HTTP client, a service from `http::Request<B>` to `http::Response`, and `B` the request body that it takes. Clones share the
/// gate, and whatever the clones of `S` share.
///
/// What a [`Query`] does not set itself is as set here.
#[must_use = "a client does nothing until it searches"]
pub struct DuckDuckGo<S, B = String> {
    service: Gated<S>,
    budget: Duration,
    /// A query with no text.
    defaults: Query,
    lite_fallback: bool,
    #[cfg(feature = "json")]
    instant_fallback: bool,
    body: PhantomData<fn(B)>,
}

#[cfg(feature = "client")]
impl DuckDuckGo<HttpClient> {
    /// On an [`HttpClient`], through the process-wide gate [`SearchGate::duckduckgo`](crate::SearchGate::duckduckgo).
    ///
    /// It reads the system's certificates and has connections to reuse: make one, and clone it. Feature `client`.
    pub fn new() -> Self {
        Self::with_service(HttpClient::new())
    }
}

#[cfg(feature = "client")]
impl Default for DuckDuckGo<HttpClient> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S, B> DuckDuckGo<S, B> {
    /// On an HTTP client of yours, through the process-wide gate [`SearchGate::duckduckgo`](crate::SearchGate::duckduckgo).
    ///
    /// Give the client without a [`SearchGateLayer`]: the gate is put in front of it here. It must give bodies decompressed.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use http_body_util::Full;
    /// use hyper_util::{client::legacy::Client, rt::TokioExecutor};
    /// use search_gate::DuckDuckGo;
    ///
    /// # fn example<C>(connector: C)
    /// # where C: hyper_util::client::legacy::connect::Connect + Clone + Send + Sync + 'static {
    /// let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build(connector);
    /// let ddg = DuckDuckGo::with_service(client);
    /// # }
    /// ```
    ///
    /// A service that takes request bodies of any type needs to be told of one: `DuckDuckGo::<_, String>::with_service(service)`.
    pub fn with_service<R>(service: S) -> Self
    where
        S: Service<Request<B>, Response = Response<R>>,
    {
        Self {
            service: SearchGateLayer::duckduckgo().layer(service),
            budget: SEARCH_DEADLINE,
            defaults: Query::new(""),
            lite_fallback: true,
            #[cfg(feature = "json")]
            instant_fallback: false,
            body: PhantomData,
        }
    }

    /// The HTTP client behind the gate.
    pub fn get_ref(&self) -> &S {
        self.service.get_ref()
    }

    /// When a search that begins now must be over.
    fn deadline(&self) -> Instant {
        deadline_in(self.budget)
    }
}

impl<S, B, R> DuckDuckGo<S, B>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    S::Error: Into<BoxError>,
    B: From<String>,
    R: Body<Data = Bytes>,
    R::Error: Into<BoxError>,
{
    /// Searches, and reads the whole page.
    ///
    /// # Errors
    ///
    /// See the [module docs](self#errors). If the lite page was asked too and failed as well, the error is that of the first request, unless
    /// the second was throttled or refused for a back-off.
    ///
    /// # Cancellation
    ///
    /// Dropping the future gives its place in the queue up, or drops the request.
    ///
    /// The future borrows nothing of the client. To spawn a search for a text that is borrowed, make a [`Query`] of it before.
    ///
    /// # Panics
    ///
    /// When it is polled outside of a tokio runtime that has its timers enabled. Nothing is sent then.
    pub fn search<Q: Into<Query>>(
        &self,
        query: Q,
    ) -> impl Future<Output = Result<Page, Error>> + use<Q, S, B, R> {
        search::search(self.clone(), query.into())
    }

    /// Searches, and gives each result as soon as its markup has arrived. [`pages`](ResultStream::pages) asks for more pages than one. No
    /// instant answer is asked for.
    ///
    /// # Panics
    ///
    /// The stream does, as [`search`](Self::search) has it.
    pub fn results<Q: Into<Query>>(&self, query: Q) -> ResultStream<S, B, S::Future, R> {
        ResultStream::new(self.clone(), query.into().or(&self.defaults))
    }
}

impl<S: Clone, B> Clone for DuckDuckGo<S, B> {
    fn clone(&self) -> Self {
        Self {
            service: self.service.clone(),
            budget: self.budget,
            defaults: self.defaults.clone(),
            lite_fallback: self.lite_fallback,
            #[cfg(feature = "json")]
            instant_fallback: self.instant_fallback,
            body: PhantomData,
        }
    }
}

impl<S: fmt::Debug, B> fmt::Debug for DuckDuckGo<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DuckDuckGo")
            .field("service", &self.service)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
