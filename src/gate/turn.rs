use std::time::Duration;

use super::{SearchGate, home::Granted, ledger::Finding};
use crate::telemetry::Cause;

/// The receipt for one turn: permission to start one request, now.
///
/// Settle it once the answer has been read, so that the gate learns what became of the request. A turn that is dropped
/// unsettled counts as [`Verdict::Unknown`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), search_gate::TurnError> {
/// use search_gate::{SearchGate, Verdict, BACKOFF, MIN_INTERVAL, SEARCH_DEADLINE};
/// use tokio::time::Instant;
///
/// let gate = SearchGate::new(MIN_INTERVAL, BACKOFF);
/// let turn = gate.turn(Instant::now() + SEARCH_DEADLINE).await?;
/// // … one request is sent; its answer says 202 …
/// turn.settle(Verdict::Throttled { retry_after: None });
/// assert!(gate.backoff_left().is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a turn lets one request start; settle it with what became of that request"]
pub struct Turn {
    gate: SearchGate,
    /// `None` once settled.
    granted: Option<Granted>,
}

impl Turn {
    pub(super) fn new(gate: SearchGate, granted: Granted) -> Self {
        Self {
            gate,
            granted: Some(granted),
        }
    }

    /// Tells the gate what became of the request.
    pub fn settle(mut self, verdict: impl Into<Verdict>) {
        let is_awaited = self.granted.as_ref().is_some_and(Granted::is_awaited);
        match verdict.into() {
            // One that nobody waits for was granted by an open gate, and has nothing to open since: a back-off would have begun
            // another round.
            Verdict::Answered if is_awaited => {
                if let Some(granted) = self.granted.take() {
                    self.gate.home.settle(&granted, Finding::Answered);
                }
            }
            Verdict::Throttled { retry_after } => {
                self.throttled(retry_after, Cause::TOLD);
            }
            // Told by the drop.
            Verdict::Answered | Verdict::Unknown => {}
        }
    }

    /// Tells the gate that the request was throttled, and by what that is known. What is left of the back-off then.
    pub(crate) fn throttled(
        mut self,
        retry_after: Option<Duration>,
        cause: Cause,
    ) -> Option<Duration> {
        let granted = self.granted.take();
        let home = &self.gate.home;
        home.throttled(granted.as_ref(), retry_after, cause)
    }

    /// The gate that gave the turn.
    #[must_use]
    pub fn gate(&self) -> &SearchGate {
        &self.gate
    }

    /// Tells the gate that the request has been answered as it should be, while its answer is still being read.
    pub(crate) fn answered(&self) {
        if let Some(granted) = self.granted.as_ref().filter(|granted| granted.is_awaited()) {
            self.gate.home.answered(granted);
        }
    }

    /// Counts the interval from now on. For the poll that has just sent the request: the thread may have been stopped between the
    /// grant and the send.
    pub(crate) fn started(&self) {
        if let Some(granted) = &self.granted {
            self.gate.home.started(granted);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(granted) = self.granted.take().filter(Granted::is_awaited) {
            self.gate.home.settle(&granted, Finding::Unknown);
        }
    }
}

/// What became of a request, in the gate's own terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The provider answered as it should.
    Answered,
    /// The provider throttled the request: the gate backs off, for `retry_after` if that is longer than the gate's own back-off
    /// (and at most [`LONGEST_BACKOFF`](crate::LONGEST_BACKOFF)).
    Throttled {
        /// How long the provider asked to be left alone, if it said so.
        retry_after: Option<Duration>,
    },
    /// Nothing can be said: the request failed on its way, or its answer was not read.
    Unknown,
}
