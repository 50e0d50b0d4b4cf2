//! Turns and back-off: when a request may start, and when none may.
//!
//! DuckDuckGo's keyless pages count the client's address over all their endpoints. Sent back to back (one every 0.85 s), ten
//! searches were answered and all later ones refused; the first answer came 46 s after the burst. Sent 2.35 s and 3.8 s apart,
//! fourteen of fourteen were answered. So a [`SearchGate`] lets requests start in the order in which they asked, at least
//! [`MIN_INTERVAL`] apart, and once the provider has throttled one it refuses all for [`BACKOFF`], at once and without sending.
//!
//! The gate knows no HTTP: it serves any client, and [`SearchGateLayer`](crate::SearchGateLayer) puts it in front of a tower service.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), search_gate::TurnError> {
//! use search_gate::{SearchGate, Verdict, BACKOFF, MIN_INTERVAL, SEARCH_DEADLINE};
//! use tokio::time::Instant;
//!
//! let gate = SearchGate::new(MIN_INTERVAL, BACKOFF);
//! let begun = Instant::now();
//! for _ in 0..3 {
//!     let turn = gate.turn(begun + SEARCH_DEADLINE).await?;
//!     // one request starts here: at 0.0 s, 2.5 s and 5.0 s
//!     turn.settle(Verdict::Answered);
//! }
//! assert_eq!(begun.elapsed(), 2 * MIN_INTERVAL);
//!
//! let turn = gate.turn(begun + SEARCH_DEADLINE).await?;
//! turn.settle(Verdict::Throttled { retry_after: None });
//! let refused = gate.turn(begun + 2 * SEARCH_DEADLINE).await.unwrap_err();
//! assert!(refused.is_backing_off());
//! assert_eq!(refused.retry_after(), BACKOFF);
//! # Ok(())
//! # }
//! ```
//!
//! # How it waits
//!
//! A caller that waits holds a place in a queue, not a time, and there is no background task. One that gives up costs nobody anything, one
//! that wakes late brings no two starts closer together, one that is not polled is passed over, and a back-off refuses everyone in
//! that moment. After a back-off requests go out one at a time until one has been answered. The guide's page on the
//! [algorithm](crate::guide::algorithm) tells why, and what a day of searches looks like.

mod asking;
mod backoff;
mod build_error;
mod builder;
mod changes;
mod clock;
mod guarded;
mod home;
#[cfg(all(test, shuttle))]
mod interleavings;
mod ledger;
mod local;
mod refusal;
mod remembered;
mod settings;
mod share;
mod snapshot;
mod sync;
mod telling;
mod turn;
mod waiter;

use std::{
    borrow::Cow,
    fmt,
    future::poll_fn,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::time::Instant;

use crate::telemetry::Cause;

pub use self::{
    backoff::Backoff,
    build_error::BuildError,
    builder::SearchGateBuilder,
    changes::Changes,
    refusal::{Refusal, TurnError},
    settings::WhileBackingOff,
    share::WhileUnreachable,
    snapshot::{Counts, Snapshot},
    turn::{Turn, Verdict},
};
use self::{home::Home, ledger::Finding, settings::Settings, share::Shared};
pub(crate) use self::{refusal::whole_seconds, waiter::Waiter};

/// The least time between two starts, 2.5 s: searches started 2.35 s apart were all answered, and this leaves a little room.
pub const MIN_INTERVAL: Duration = Duration::from_millis(2500);

/// How long a throttled provider is left alone, 60 s: the first answer came 46 s after a burst that had been refused.
pub const BACKOFF: Duration = Duration::from_secs(60);

/// The budget of one search, 60 s: its waits and every request that it makes.
pub const SEARCH_DEADLINE: Duration = Duration::from_secs(60);

/// The longest that a provider's own wish (`Retry-After`) closes a gate, 15 minutes; a gate whose own back-off is longer keeps that.
pub const LONGEST_BACKOFF: Duration = Duration::from_secs(15 * 60);

/// Paces the requests to one provider, and keeps away from it while it throttles.
///
/// A gate is a cheap handle: its clones share one state. The [module docs](self) tell what it promises.
#[derive(Clone)]
pub struct SearchGate {
    home: Arc<Home>,
}

impl SearchGate {
    /// A gate that lets requests start `interval` apart and refuses all turns for `backoff` after a throttle.
    ///
    /// A zero interval spaces nothing. Neither is checked; [`SearchGate::builder`] refuses a back-off of zero, and either of more than a day.
    #[must_use]
    pub fn new(interval: Duration, backoff: Duration) -> Self {
        let settings = Settings {
            interval,
            backoff: backoff.into(),
            ..Settings::default()
        };
        Self::with(settings, None)
    }

    fn with(settings: Settings, shared: Option<Shared>) -> Self {
        Self {
            home: Arc::new(Home::new(settings, shared)),
        }
    }

    /// The one gate of this process for DuckDuckGo: [`MIN_INTERVAL`] and [`Backoff::duckduckgo`].
    ///
    /// Every call gives a handle to the same gate, since the provider counts the address and not the client.
    #[must_use]
    pub fn duckduckgo() -> Self {
        static GATE: OnceLock<SearchGate> = OnceLock::new();
        let gate = GATE.get_or_init(|| Self::with(Settings::default(), None));
        gate.clone()
    }

    /// Sets up a gate setting by setting, with a check at the end.
    pub fn builder() -> SearchGateBuilder {
        SearchGateBuilder::new()
    }

    /// Waits for a turn and takes it: the caller may start one request now.
    ///
    /// Turns are given in the order in which callers first polled this, at least one interval apart.
    ///
    /// # Errors
    ///
    /// Refused at once while the gate backs off, in the moment a back-off begins while the caller waits, and when the turn would start
    /// after `deadline`. Nothing is reserved then.
    ///
    /// # Cancellation
    ///
    /// Dropping the future gives the place up and costs nobody anything: everyone behind moves up.
    ///
    /// # Panics
    ///
    /// When it has to wait outside of a tokio runtime that has its timers enabled, and when it is polled after the runtime in which
    /// it began to wait has shut down.
    pub async fn take_turn(&self, deadline: Instant) -> Result<(), Refusal> {
        let mut waiter = Waiter::new(Cow::Borrowed(self), deadline);
        let granted = poll_fn(|cx| waiter.poll_grant(cx, false)).await?;
        if granted.is_awaited() {
            self.home.settle(&granted, Finding::Unknown);
        }
        Ok(())
    }

    /// Like [`take_turn`](Self::take_turn), and gives a receipt with which the caller tells what became of its request.
    ///
    /// # Errors
    ///
    /// As [`take_turn`](Self::take_turn); so are cancellation and panics. The error also tells when to come again.
    pub async fn turn(&self, deadline: Instant) -> Result<Turn, TurnError> {
        let mut waiter = Waiter::new(Cow::Borrowed(self), deadline);
        poll_fn(|cx| waiter.poll_turn(cx, false)).await
    }

    /// Tells the gate that the provider has throttled a request: it backs off from now on, and everyone who waits is refused.
    ///
    /// For whoever holds no [`Turn`]. While the gate backs off already, this can only make it longer.
    pub fn throttled(&self) {
        self.home.throttled(None, None, Cause::TOLD);
    }

    /// Opens the gate and forgets every back-off. What is still told of requests from before then changes nothing.
    pub fn reset(&self) {
        self.home.reset();
    }

    /// Changes the interval, for those who wait too: what is counted from the last start is counted anew.
    ///
    /// # Errors
    ///
    /// When it is longer than a day; nothing is changed then.
    pub fn set_interval(&self, interval: Duration) -> Result<(), BuildError> {
        BuildError::check_length("interval", interval)?;
        self.home.set_interval(interval);
        Ok(())
    }

    /// Changes what becomes of the next throttle. A back-off that has begun is not touched.
    ///
    /// # Errors
    ///
    /// When it is no sound back-off, as [`SearchGateBuilder::build`] has it; nothing is changed then.
    pub fn set_backoff(&self, backoff: impl Into<Backoff>) -> Result<(), BuildError> {
        let backoff = backoff.into();
        backoff.check()?;
        self.home.set_backoff(backoff);
        Ok(())
    }

    /// What is left of the back-off; `None` when the gate is open.
    #[must_use]
    pub fn backoff_left(&self) -> Option<Duration> {
        self.home.backoff_left()
    }

    /// What the gate looks like now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.home.snapshot()
    }

    /// Tells of what changes from now on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes::new(self.clone())
    }
}

impl fmt::Debug for SearchGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SearchGate").field(&self.snapshot()).finish()
    }
}

/// How long a request may take: `limit`, or what is left until `deadline` if that is less.
#[must_use]
pub fn time_left(deadline: Instant, limit: Duration) -> Duration {
    deadline
        .saturating_duration_since(Instant::now())
        .min(limit)
}
