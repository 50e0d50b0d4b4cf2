use tokio::sync::watch;

use super::{SearchGate, Snapshot};

/// Tells of the changes of a gate; made by [`SearchGate::changes`].
///
/// For whoever shows a live state. Only events count as changes, not the passing of time: a display that counts down also needs a clock
/// of its own. Of a shared gate it tells what this process sees: its own callers, and what the store answers to them.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use search_gate::{SearchGate, BACKOFF, MIN_INTERVAL};
///
/// let gate = SearchGate::new(MIN_INTERVAL, BACKOFF);
/// let mut changes = gate.changes();
/// gate.throttled();
/// let now = changes.changed().await;
/// assert!(now.backoff_left.is_some());
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Changes {
    gate: SearchGate,
    receiver: watch::Receiver<()>,
}

impl Changes {
    pub(super) fn new(gate: SearchGate) -> Self {
        let receiver = gate.home.local.watch();
        Self { gate, receiver }
    }

    /// Waits until something has changed since this was made, or since it last told; then tells what the gate looks like.
    ///
    /// # Cancellation
    ///
    /// Dropping the future loses nothing: the next one tells of the same change.
    pub async fn changed(&mut self) -> Snapshot {
        // The gate that is held here keeps the sending side alive.
        let _ = self.receiver.changed().await;
        self.gate.snapshot()
    }
}
