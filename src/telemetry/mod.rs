//! What is told to `tracing` and to `metrics`, under the features of those names; without them nothing is, and nothing is paid.
//!
//! The query is never told.
#![cfg_attr(
    not(all(feature = "metrics", feature = "tracing")),
    allow(
        dead_code,
        unused_variables,
        clippy::unused_self,
        reason = "what no feature tells"
    )
)]

#[cfg(feature = "metrics")]
mod metered;

#[cfg(feature = "metrics")]
pub use self::metered::describe_metrics;

use std::time::Duration;

/// By what a throttled request was known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    pub(crate) name: &'static str,
    pub(crate) status: Option<u16>,
}

impl Cause {
    /// A caller told the gate.
    pub(crate) const TOLD: Self = Self {
        name: "told",
        status: None,
    };
}

/// A back-off that begins, or is made longer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Episode {
    pub(crate) backoff: Duration,
    pub(crate) streak: u32,
    pub(crate) is_new: bool,
}

/// How one caller's wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Granted,
    BackingOff,
    PastDeadline,
    QueueFull,
    Unreachable,
    Cancelled,
}

/// Measures one caller's wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wait {
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    since: tokio::time::Instant,
}

impl Wait {
    pub(crate) fn begin() -> Self {
        Self {
            #[cfg(any(feature = "metrics", feature = "tracing"))]
            since: tokio::time::Instant::now(),
        }
    }

    pub(crate) fn ended(self, gate: &str, how: Ended) {
        #[cfg(feature = "metrics")]
        metered::turn(gate, how, self.since.elapsed());
        #[cfg(feature = "tracing")]
        tracing::trace!(gate, result = how.name(), wait = ?self.since.elapsed(), "turn asked for");
    }
}

#[cfg(any(feature = "metrics", feature = "tracing"))]
impl Ended {
    fn name(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::BackingOff => "backing_off",
            Self::PastDeadline => "past_deadline",
            Self::QueueFull => "queue_full",
            Self::Unreachable => "unreachable",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The provider throttled a request. People are warned once for each back-off that begins.
pub(crate) fn throttled(gate: &str, cause: Cause, episode: Option<Episode>) {
    #[cfg(feature = "metrics")]
    metered::throttled(gate, cause);
    #[cfg(feature = "tracing")]
    if let Some(Episode {
        backoff,
        streak,
        is_new: true,
    }) = episode
    {
        tracing::warn!(
            gate,
            cause = cause.name,
            http.response.status_code = cause.status,
            ?backoff,
            streak,
            "the search provider throttled a request; backing off"
        );
    }
}

/// The store of a shared gate is out of reach. People are warned once for each time that it is.
pub(crate) fn lost(gate: &str, error: &crate::BoxError) {
    // As an error, with its sources: the server's own words are in there.
    #[cfg(feature = "tracing")]
    tracing::warn!(
        gate,
        error = error.as_ref() as &(dyn std::error::Error + 'static),
        "what the search gate shares with others is out of reach"
    );
}

/// The store of a shared gate is back.
pub(crate) fn found(gate: &str) {
    #[cfg(feature = "tracing")]
    tracing::info!(gate, "what the search gate shares with others is back");
}

/// What stands in the queue, and whether the gate is closed, after a change.
pub(crate) fn changed(gate: &str, queued: usize, closed: bool) {
    #[cfg(feature = "metrics")]
    metered::changed(gate, queued, closed);
}

/// A page has been read to its end.
pub(crate) fn page_read(kind: &'static str, results: usize, ads_dropped: usize) {
    #[cfg(feature = "metrics")]
    metered::page(kind, ads_dropped);
    #[cfg(feature = "tracing")]
    tracing::debug!(kind, results, ads_dropped, "page read");
}

/// A page came that is still compressed, so that nothing can be read. Told once in the life of the process.
pub(crate) fn encoded(encoding: &str) {
    #[cfg(feature = "tracing")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            tracing::warn!(
                encoding,
                "a page is still encoded and cannot be read; put a decompression layer inside the gate's"
            );
        });
    }
}
