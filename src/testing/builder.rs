//! What can be set on a stand-in.

use super::body::{Delivery, Fault};
use super::server::StandIn;
use super::{ResultPage, Throttle};
use http::StatusCode;
use std::fmt;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::time::Duration;

/// Settings of a [`StandIn`]. All durations are the provider's: the [scale of time](Self::time_scale) shrinks them when the server starts.
/// All bytes are the page's own: a client that takes gzip gets as much of the page in as many steps, compressed.
///
/// ```
/// use search_gate::testing::{Row, StandIn, Throttle};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let provider = StandIn::builder()
///     .throttle(Throttle::new().burst(3).refusal(Duration::from_secs(20)))
///     .ads(2)
///     .latency(Duration::from_millis(300))
///     .time_scale(0.01)
///     .page(|page| match page.query() {
///         "nothing" => page.results(0),
///         _ => page.with_rows([Row::new("The one result", "https://one.example/")]),
///     })
///     .start()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "the stand-in runs once `start` is called"]
pub struct StandInBuilder {
    pub(super) throttle: Throttle,
    pub(super) refusal_status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) results: usize,
    pub(super) ads: usize,
    pub(super) pages: usize,
    pub(super) page: Option<Arc<dyn Fn(ResultPage) -> ResultPage + Send + Sync>>,
    #[cfg(feature = "json")]
    pub(super) instant: Option<Arc<dyn Fn(&str) -> Option<String> + Send + Sync>>,
    pub(super) latency: Duration,
    pub(super) delivery: Delivery,
    pub(super) time_scale: f64,
    pub(super) port: u16,
}

impl StandInBuilder {
    pub(super) fn new() -> Self {
        Self {
            throttle: Throttle::new(),
            refusal_status: 202,
            retry_after: None,
            results: 10,
            ads: 0,
            pages: 3,
            page: None,
            #[cfg(feature = "json")]
            instant: None,
            latency: Duration::ZERO,
            delivery: Delivery::default(),
            time_scale: 1.0,
            port: 0,
        }
    }

    /// When requests are refused; each client address has a throttle of its own. Default: as measured. [`Throttle::never`] for no refusals.
    pub fn throttle(mut self, throttle: Throttle) -> Self {
        self.throttle = throttle;
        self
    }

    /// The status of a refusal, which always carries the challenge page. Default: 202. The provider was also seen to send it with 200 and 403.
    pub fn refusal_status(mut self, status: u16) -> Self {
        self.refusal_status = status;
        self
    }

    /// Adds a `Retry-After` header to refusals, in whole seconds. Not scaled, since the header knows no less than a second. Default: none;
    /// the provider was never seen to send one.
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// How many results a page has. Default: 10.
    pub fn results(mut self, results: usize) -> Self {
        self.results = results;
        self
    }

    /// How many ads a page has. Default: none.
    pub fn ads(mut self, ads: usize) -> Self {
        self.ads = ads;
        self
    }

    /// How many pages a search has: the last one has no form for a next page. Default: 3.
    pub fn pages(mut self, pages: usize) -> Self {
        self.pages = pages;
        self
    }

    /// Changes each page before it is sent: `change` gets the page that would be sent, and returns the one that is.
    ///
    /// If `change` panics the connection is closed without an answer.
    pub fn page(
        mut self,
        change: impl Fn(ResultPage) -> ResultPage + Send + Sync + 'static,
    ) -> Self {
        self.page = Some(Arc::new(change));
        self
    }

    /// The text of the instant answer to a query. Default: none to any; the provider has none to most. Feature `json`.
    #[cfg(feature = "json")]
    pub fn instant(
        mut self,
        text: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.instant = Some(Arc::new(text));
        self
    }

    /// How long an answer takes, refusals too. Default: no time.
    pub fn latency(mut self, latency: Duration) -> Self {
        self.latency = latency;
        self
    }

    /// Sends pages in chunks of this many bytes with a pause between two. Default: at once.
    pub fn chunks(mut self, length: usize, pause: Duration) -> Self {
        self.delivery.chunks = Some((length, pause));
        self
    }

    /// Sends this much of each page, then nothing more, and keeps the connection open.
    pub fn stall_after(mut self, bytes: usize) -> Self {
        self.delivery.fault = Some(Fault::Stall(bytes));
        self
    }

    /// Sends this much of each page, then closes the connection.
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.delivery.fault = Some(Fault::Cut(bytes));
        self
    }

    /// The scale of time, for all durations: with 0.01 a refusal of 46 s lasts 0.46 s. Default: 1.
    pub fn time_scale(mut self, scale: f64) -> Self {
        self.time_scale = scale;
        self
    }

    /// The port to listen on. Default: any that is free.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Starts the server on 127.0.0.1, in the background of the present tokio runtime.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidInput`] for a scale of time that is not above zero, a status that can carry no page, or chunks of no bytes.
    /// Else what the operating system says when the port cannot be had.
    pub async fn start(self) -> Result<StandIn> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidInput, message));
        if !(self.time_scale.is_finite() && self.time_scale > 0.0) {
            return invalid(format!(
                "the scale of time must be above zero, it is {}",
                self.time_scale
            ));
        }
        let status = self.refusal_status;
        if !(200..600).contains(&status) || matches!(status, 204 | 205 | 304) {
            return invalid(format!(
                "a refusal cannot have the status {status}: it carries no page; use 202, 200, 403 or 429"
            ));
        }
        if self.delivery.chunks.is_some_and(|(length, _)| length == 0) {
            return invalid("a chunk must have at least one byte".to_owned());
        }
        StandIn::bind(self).await
    }

    pub(super) fn refusal_status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.refusal_status).unwrap_or(StatusCode::ACCEPTED)
    }
}

impl fmt::Debug for StandInBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StandInBuilder")
            .field("throttle", &self.throttle)
            .field("refusal_status", &self.refusal_status)
            .field("retry_after", &self.retry_after)
            .field("results", &self.results)
            .field("ads", &self.ads)
            .field("pages", &self.pages)
            .field("latency", &self.latency)
            .field("delivery", &self.delivery)
            .field("time_scale", &self.time_scale)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}
