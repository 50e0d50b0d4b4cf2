//! Watches callers from outside: when they start, and how often they are polled.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::Instant;

/// A wait for a turn. It is over when the request may start, or has.
pub type Wait = BoxFuture<'static, ()>;

/// One start, and the poll in which it fell.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub who: usize,
    pub begun: Instant,
    pub ended: Instant,
}

/// Every start, as it happens.
#[derive(Debug, Clone, Default)]
pub struct Starts(Arc<Mutex<Vec<Start>>>);

/// Counts polls.
#[derive(Debug, Clone, Default)]
pub struct Polls(Arc<AtomicU64>);

impl Starts {
    /// A start that falls between `begun` and now.
    pub fn add(&self, who: usize, begun: Instant) {
        let ended = Instant::now();
        let mut starts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        starts.push(Start { who, begun, ended });
    }

    /// `wait`, and the poll that ends it noted as a start.
    pub async fn note(self, who: usize, mut wait: Wait) {
        let begun = poll_fn(|cx| {
            let begun = Instant::now();
            wait.poll_unpin(cx).map(|()| begun)
        });
        self.add(who, begun.await);
    }

    /// What has been noted since this was last asked.
    #[must_use]
    pub fn take(&self) -> Vec<Start> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Polls {
    /// `future`, with its polls counted.
    pub async fn count<F: Future>(self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            self.add(1);
            future.as_mut().poll(cx)
        })
        .await
    }

    /// `wait`, with all its polls but the first counted.
    pub async fn count_later(&self, mut wait: Wait) {
        let mut later = 0;
        poll_fn(|cx| {
            self.add(later);
            later = 1;
            wait.poll_unpin(cx)
        })
        .await;
    }

    /// That many more.
    pub fn add(&self, polls: u64) {
        self.0.fetch_add(polls, Ordering::Relaxed);
    }

    /// How many there have been.
    #[must_use]
    pub fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
