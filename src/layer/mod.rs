//! The gate as a tower layer: puts a [`SearchGate`](crate::SearchGate) in front of an HTTP client and reads what comes back.
//!
//! [`SearchGateLayer`] wraps any service from `http::Request` to `http::Response`. Each request waits for its turn in its own
//! future, is sent, and is watched for the signs of throttling: a status of 202, 403 or 429, or a challenge page under any status. Either
//! closes the gate for everyone before another request can start.
//!
//! ```
//! # use http::{Request, Response};
//! # use http_body_util::Full;
//! # use bytes::Bytes;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use search_gate::{SearchGate, SearchGateLayer};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! # let client = tower::service_fn(|_: Request<Full<Bytes>>| async {
//! #     let page = search_gate::testing::ResultPage::new("tower").results(2).to_html();
//! #     Response::builder().header("content-type", "text/html").body(Full::new(Bytes::from(page)))
//! # });
//! let client = ServiceBuilder::new()
//!     .layer(SearchGateLayer::duckduckgo())
//!     // a decompression layer goes here: the gate reads what it gives
//!     .service(client);
//!
//! # let request = Request::new(Full::default());
//! let response = client.oneshot(request).await?;
//! let page = response.into_body().page().await?;
//! for result in &page.results {
//!     println!("{} {}", result.title, result.url);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Time
//!
//! A request carries its deadline as the extension [`Deadline`], so that a search of several requests keeps to one; without it the layer's
//! budget counts from the first poll. A request whose turn would come after its deadline is refused at once. Once it has started, it
//! and its answer's body have what is left until the deadline, and at most the layer's request limit.
//!
//! The time is tokio's: a request that takes a turn panics, and is not sent, when it is polled outside of a tokio runtime with timers.
//!
//! # Order of layers
//!
//! The first layer of a `ServiceBuilder` is the outermost. Decompression belongs inside the gate, which cannot read a compressed page. Outside of it
//! nothing fails at first: but a challenge under status 200 goes unseen, ads stay in what is passed on, and whoever reads the body as data gets an
//! error that [`is_unreadable`](Error::is_unreadable). Inside of it, most decompressors throw away what they have not yet handed out when a connection
//! breaks: some last results, or a challenge under status 200. [`HttpClient`](crate::client) loses nothing so.
//!
//! A retry layer outside takes a turn for each attempt; let it leave alone what [`is_refused`](Error::is_refused), which would be refused again at
//! once. A redirect layer inside makes one turn of a request with all its redirects; outside, each redirect takes a turn. So does a
//! client that follows redirects by itself (reqwest) make one turn of them.
//!
//! # In servers
//!
//! A server whose handlers search needs no layer around them: [`DuckDuckGo`](crate::DuckDuckGo) takes the turns, and its errors say what to answer (the
//! example `axum`). For one that passes requests on, [`respond`](SearchGateLayerBuilder::respond) makes responses of refusals: see
//! [`AsResponses`].
//!
//! Whatever stands inside the layer is taken for the provider. Each request takes a turn, one for a health check too, unless
//! [`only`](SearchGateLayerBuilder::only) leaves it out. A handler that answers 202, 403 or 429 closes the gate, unless
//! [`throttle_statuses`](SearchGateLayerBuilder::throttle_statuses) says otherwise. And a handler that searches through the same gate takes a second turn
//! while the first is out: after a back-off, when one request tries alone, it waits for itself until its time is up.

mod body;
mod body_reading;
mod builder;
mod config;
mod error;
mod exchange;
mod failure;
mod future;
mod grpc;
mod own_answer;
mod peek;
mod plan;
mod respond;
mod respond_body;
mod results;
mod retry_after;
mod service;
mod signs;
mod source;
mod start;
#[cfg(feature = "tonic")]
mod status;
mod timing;
mod watch;

pub(crate) use self::config::deadline_in;
pub use self::{
    body::SearchBody,
    builder::SearchGateLayerBuilder,
    config::REQUEST_LIMIT,
    error::Error,
    future::ResponseFuture,
    respond::{AsErrors, AsResponses, RespondFuture},
    respond_body::RespondBody,
    results::Results,
    service::{Gated, SearchGateLayer},
    signs::{Cause, THROTTLE_HINT, Throttled},
};

/// A request extension: when the search that the request belongs to must be over.
///
/// ```
/// use search_gate::{layer::Deadline, SEARCH_DEADLINE};
/// use tokio::time::Instant;
///
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(Deadline(Instant::now() + SEARCH_DEADLINE));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(pub tokio::time::Instant);
