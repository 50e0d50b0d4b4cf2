use std::time::Duration;

/// What a gate looked like at one moment, from [`SearchGate::snapshot`](crate::SearchGate::snapshot).
///
/// Durations count from the moment of the snapshot. Counters only grow, from the gate's making.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The least time between two starts.
    pub interval: Duration,
    /// How many callers wait for a turn.
    pub queued: usize,
    /// How long a caller that came now would wait for its turn, the back-off included.
    pub next_turn: Duration,
    /// What is left of the back-off; `None` when the gate is open.
    pub backoff_left: Option<Duration>,
    /// Turns granted.
    pub granted: u64,
    /// Turns refused because the gate was backing off.
    pub refused_backing_off: u64,
    /// Turns refused because they would have started after their deadline.
    pub refused_past_deadline: u64,
    /// Callers that gave their place up while they waited.
    pub cancelled: u64,
    /// Times the gate was told that the provider had throttled a request.
    pub throttled: u64,
}

/// The counters of a [`Snapshot`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) granted: u64,
    pub(crate) refused_backing_off: u64,
    pub(crate) refused_past_deadline: u64,
    pub(crate) cancelled: u64,
    pub(crate) throttled: u64,
}
