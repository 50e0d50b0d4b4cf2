use std::time::Duration;

use super::{
    clock::to_duration,
    ledger::{Outcome, Refused, View},
};

/// What a gate looked like at one moment, from [`SearchGate::snapshot`](crate::SearchGate::snapshot).
///
/// Durations count from the moment of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The least time between two starts; doubled while the gate is [widened](crate::SearchGateBuilder::widening).
    pub interval: Duration,
    /// How many callers wait for a turn.
    pub queued: usize,
    /// How long a caller that came now would wait for its turn, the back-off included, if no turn that is out keeps it waiting.
    pub next_turn: Duration,
    /// What is left of the back-off; `None` when the gate is open.
    pub backoff_left: Option<Duration>,
    /// Whether no request has been answered since the last back-off: requests go out one at a time until one is.
    pub on_trial: bool,
    /// How many back-offs have followed one another, each for a throttled trial; 0 when the gate has been open for long.
    pub streak: u32,
    /// What has happened in this process since the gate was made.
    pub counts: Counts,
    /// Whether this is a shared gate whose store is out of reach: what is shown is then what this process knows by itself.
    pub out_of_reach: bool,
}

/// What has happened since a gate was made. Counters only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Turns granted.
    pub granted: u64,
    /// Turns refused because the gate was backing off.
    pub refused_backing_off: u64,
    /// Turns refused because they would have started after their deadline.
    pub refused_past_deadline: u64,
    /// Turns refused because too many callers waited.
    pub refused_queue_full: u64,
    /// Callers that gave their place up while they waited.
    pub cancelled: u64,
    /// Times the gate was told that the provider had throttled a request.
    pub throttled: u64,
    /// Times the store of a shared gate was asked or told something.
    pub store_orders: u64,
}

impl Snapshot {
    pub(super) fn new(view: &View, counts: Counts) -> Self {
        let View {
            memory,
            interval,
            queued,
            next_turn,
        } = *view;
        Self {
            interval: to_duration(interval),
            queued,
            next_turn: to_duration(next_turn),
            backoff_left: (memory.closed > 0).then(|| to_duration(memory.closed)),
            on_trial: memory.on_trial,
            streak: memory.streak,
            counts,
            out_of_reach: false,
        }
    }
}

impl Counts {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Go(_) => self.granted += 1,
            Outcome::Refused(Refused::BackingOff { .. }) => self.refused_backing_off += 1,
            Outcome::Refused(Refused::PastDeadline { .. }) => self.refused_past_deadline += 1,
            Outcome::Refused(Refused::QueueFull { .. }) => self.refused_queue_full += 1,
            _ => {}
        }
    }
}
