use std::task::{Context, Poll, ready};

use http::Request;
use tower_service::Service;

use super::failure::Failure;
use crate::gate::{Turn, Waiter};

/// Brings a turn and a ready inner service together, in this order: the turn is due, the service is ready, the turn is still due and
/// is spent. Nothing of the service is held while the turn is not due.
#[derive(Debug)]
pub(super) struct Start<S> {
    pub(super) inner: S,
    /// Whether `inner` may hold readiness, or a place in its own queue for it.
    asked: bool,
}

impl<S> Start<S> {
    pub(super) fn new(inner: S) -> Self {
        Self {
            inner,
            asked: false,
        }
    }

    /// Waits until `inner` may be called, and must be, in this very poll. `alone` asks that no other starts until this one has been
    /// answered or settled.
    pub(super) fn poll<B>(
        &mut self,
        waiter: &mut Waiter<'_>,
        cx: &mut Context<'_>,
        alone: bool,
    ) -> Poll<Result<Turn, Failure<S::Error>>>
    where
        S: Service<Request<B>> + Clone,
    {
        while !waiter.is_spending() {
            // Who could start at once takes a place only if the service keeps it waiting.
            if !waiter.may_start_at_once() {
                match waiter.poll_due(cx) {
                    Poll::Ready(due) => due.map_err(Failure::Refused)?,
                    Poll::Pending => return self.wait(waiter),
                }
            }
            self.asked = true;
            let ready = self.inner.poll_ready(cx).map_err(Failure::Service)?;
            if ready.is_ready() {
                break;
            }
            match waiter.poll_due(cx) {
                Poll::Ready(due) => due.map_err(Failure::Refused)?,
                Poll::Pending => return self.wait(waiter),
            }
            ready!(waiter.poll_deadline(cx)).map_err(Failure::Refused)?;
        }
        // Getting ready takes time in which a back-off may begin or another may start.
        match waiter.poll_turn(cx, alone) {
            Poll::Ready(turn) => Poll::Ready(turn.map_err(Failure::Refused)),
            Poll::Pending => self.wait(waiter),
        }
    }

    /// Lets go of the service, but while a store is asked: the turn is due, or is spent in the very poll in which the answer comes.
    fn wait<T>(&mut self, waiter: &Waiter<'_>) -> Poll<T>
    where
        S: Clone,
    {
        if self.asked && !waiter.is_asking() {
            // A clone holds nothing of what the service it was cloned from had been promised.
            self.inner = self.inner.clone();
            self.asked = false;
        }
        Poll::Pending
    }
}
