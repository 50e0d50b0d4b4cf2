//! A gate's state outside of its process: what all who share it see, and what each does while it is out of reach.

#![cfg_attr(
    not(any(feature = "file", feature = "redis")),
    allow(dead_code, unused_variables, reason = "no feature shares")
)]

#[cfg(feature = "file")]
mod file;
mod place;
#[cfg(all(test, unix))]
mod processes;
mod reach;
#[cfg(feature = "redis")]
mod redis;
mod store;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use sync_wrapper::SyncWrapper;
use tokio::time::Instant;

#[cfg(feature = "file")]
pub(super) use self::file::Looker;
use self::reach::Reach;
#[cfg(feature = "redis")]
pub(super) use self::redis::{MOST_QUEUED, RedisStore};
pub(super) use self::{
    place::Place,
    store::{Answer, Applying, Order, Store},
};
use super::ledger::{FRONT, Rules, Ticket, View};
use crate::BoxError;

pub use self::reach::WhileUnreachable;

/// The store of a shared gate, as one process deals with it.
#[derive(Debug)]
pub(super) struct Shared {
    store: Arc<dyn Store>,
    pub(super) while_unreachable: WhileUnreachable,
    pub(super) reach: Reach,
    /// Those of this process who sleep until they are to look.
    sleepers: Mutex<BTreeMap<Ticket, Waker>>,
}

/// An order on its way.
#[derive(Debug)]
pub(super) struct Pending {
    applying: SyncWrapper<Applying>,
    pub(super) sent: Sent,
}

/// Which order it is, and when it was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) at: Instant,
    /// Its number among those of this process.
    pub(super) order: u64,
}

impl Shared {
    pub(super) fn new(store: Arc<dyn Store>, while_unreachable: WhileUnreachable) -> Self {
        Self {
            store,
            while_unreachable,
            reach: Reach::default(),
            sleepers: Mutex::new(BTreeMap::new()),
        }
    }

    pub(super) fn send(&self, (order, number): (Order, u64)) -> Pending {
        let sent = Sent {
            at: Instant::now(),
            order: number,
        };
        Pending {
            applying: SyncWrapper::new(Arc::clone(&self.store).apply(order)),
            sent,
        }
    }

    pub(super) fn look(&self, rules: &Rules) -> Option<View> {
        self.store.look(rules)
    }

    /// The owner of `ticket` sleeps until it is woken or looks by itself.
    pub(super) fn sleep(&self, ticket: Ticket, waker: &Waker) {
        let former = self.sleepers().insert(ticket, waker.clone());
        drop(former);
    }

    /// Whether the owner of `ticket` still sleeps. If so, `waker` is the one to wake from now on.
    pub(super) fn sleeps(&self, ticket: Ticket, waker: &Waker) -> bool {
        let mut sleepers = self.sleepers();
        let former = match sleepers.get_mut(&ticket) {
            Some(kept) if kept.will_wake(waker) => return true,
            Some(kept) => mem::replace(kept, waker.clone()),
            None => return false,
        };
        drop(sleepers);
        drop(former);
        true
    }

    /// The owner of `ticket` looks, or is gone.
    pub(super) fn awake(&self, ticket: Ticket) {
        let former = self.sleepers().remove(&ticket);
        drop(former);
    }

    /// Lets the first of this process who sleep look now: a turn may have become free.
    pub(super) fn wake_first(&self) {
        let mut sleepers = self.sleepers();
        let woken: [_; FRONT] = std::array::from_fn(|_| sleepers.pop_first());
        drop(sleepers);
        for (_, waker) in woken.into_iter().flatten() {
            waker.wake();
        }
    }

    /// Lets all of this process look now: the gate has closed, or works by other rules.
    pub(super) fn wake_all(&self) {
        let woken = mem::take(&mut *self.sleepers());
        woken.into_values().for_each(Waker::wake);
    }

    fn sleepers(&self) -> MutexGuard<'_, BTreeMap<Ticket, Waker>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, BoxError>> {
        Pin::new(self.applying.get_mut()).poll(cx)
    }
}

impl Future for Pending {
    type Output = Result<Answer, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Self::poll(self.get_mut(), cx)
    }
}
