//! What a process tells the store of a shared gate, and what it makes of the answers.

use std::{
    future::Future,
    sync::Arc,
    task::{Context, Waker},
};

use super::{
    home::Home,
    ledger::{Command, Finding, Outcome},
    share::{Answer, Pending, Sent},
};
use crate::{BoxError, telemetry};

impl Home {
    /// Tells the store, and waits for nothing. If it cannot be reached, what this process remembers tells it later.
    pub(super) fn tell(self: &Arc<Self>, command: Command) {
        let Some(shared) = self.shared.as_ref() else {
            return;
        };
        if !shared.reach.is_lost() {
            let pending = shared.send(self.local.order(command));
            let home = Arc::clone(self);
            finish(async move {
                let sent = pending.sent;
                home.hear(pending.await, sent);
            });
        }
        // They ask with what this process now remembers.
        match command.is_throttle() {
            true => shared.wake_all(),
            false => shared.wake_first(),
        }
    }

    /// Takes in what has come of an order: the answer, or that there is none.
    pub(super) fn hear(&self, heard: Result<Answer, BoxError>, sent: Sent) -> Option<Answer> {
        match heard {
            Ok(answer) => {
                self.learn(&answer, sent);
                Some(answer)
            }
            Err(error) => {
                self.loses(&error);
                None
            }
        }
    }

    fn learn(&self, answer: &Answer, sent: Sent) {
        let Some(shared) = self.shared.as_ref() else {
            return;
        };
        if shared.reach.find() {
            telemetry::found(self.local.name());
            // They wait in this process only.
            self.local.wake_all();
        }
        let was_closed = self.local.backoff_left().is_some();
        self.local.learn(answer, sent);
        if !was_closed && answer.view.memory.closed > 0 {
            shared.wake_all();
        }
    }

    /// The store could not be reached.
    fn loses(&self, error: &BoxError) {
        if let Some(shared) = &self.shared
            && shared.reach.lose()
        {
            telemetry::lost(self.local.name(), error);
            self.local.tell_of_change();
        }
    }

    /// Sees to it that nothing comes of what was asked for a caller who has gone away.
    pub(super) fn abandon(self: &Arc<Self>, pending: Pending) {
        self.local.count_cancelled();
        let home = Arc::clone(self);
        finish(async move {
            let sent = pending.sent;
            let answer = home.hear(pending.await, sent);
            match answer.map(|answer| answer.outcome) {
                Some(Outcome::Go(grant)) if grant.is_awaited() => {
                    home.tell(Command::Settle(grant, Finding::Unknown));
                }
                Some(Outcome::Wait { ticket, .. } | Outcome::Due(ticket)) => {
                    home.tell(Command::Leave(ticket));
                }
                _ => {}
            }
        });
    }
}

/// Does at once what can be done at once, and leaves the rest to the runtime, if there is one.
fn finish(told: impl Future<Output = ()> + Send + 'static) {
    let mut told = Box::pin(told);
    let mut cx = Context::from_waker(Waker::noop());
    if told.as_mut().poll(&mut cx).is_pending() {
        spawn(told);
    }
}

#[cfg(any(feature = "file", feature = "redis"))]
fn spawn(told: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        drop(runtime.spawn(told));
    }
}

#[cfg(not(any(feature = "file", feature = "redis")))]
fn spawn(_nothing_is_shared: impl Future<Output = ()> + Send + 'static) {}
