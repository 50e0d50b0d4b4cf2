//! A gate on trial after a back-off, and who waits for the verdict.

use std::pin::Pin;

use search_gate::{BACKOFF, SearchGateLayer};
use tokio::time::advance;
use tokio_test::{
    assert_pending, assert_ready,
    task::{Spawn, spawn},
};

use super::{
    INTERVAL,
    answer::{full, html, layer, through},
};

/// A layer whose back-off is just over.
pub async fn on_trial() -> SearchGateLayer {
    let layer = layer();
    layer.gate().throttled();
    advance(BACKOFF).await;
    assert!(is_on_trial(&layer));
    layer
}

pub fn is_on_trial(layer: &SearchGateLayer) -> bool {
    layer.gate().snapshot().on_trial
}

/// A request that waits for the verdict on another.
#[allow(missing_debug_implementations)]
pub struct Next(Spawn<Pin<Box<dyn Future<Output = ()>>>>);

/// Another request, whose turn has come but for the one that is out.
pub async fn kept_waiting(layer: &SearchGateLayer) -> Next {
    let layer = layer.clone();
    let mut next = Next(spawn(Box::pin(async move {
        drop(through(&layer, html(full(""))).await);
    })));
    next.still_waits();
    advance(2 * INTERVAL).await;
    next.still_waits();
    next
}

impl Next {
    pub fn still_waits(&mut self) {
        assert_pending!(self.0.poll(), "only one is out");
    }

    /// It has been told, and is sent now.
    pub fn goes(mut self) {
        assert!(self.0.is_woken());
        assert_ready!(self.0.poll());
    }
}
