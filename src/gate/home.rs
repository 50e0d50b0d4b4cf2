//! Where a gate's state lives: in this process, or in a store, of which this process then keeps what it has last seen.

use std::{
    future::Future,
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};

use tokio::time::Instant;

use super::{
    backoff::Backoff,
    ledger::{Command, Finding, Grant, Outcome, Ticket},
    local::Local,
    settings::Settings,
    share::{Answer, Pending, Sent, Shared},
    snapshot::Snapshot,
};
use crate::{
    BoxError,
    telemetry::{self, Cause},
};

#[derive(Debug)]
pub(super) struct Home {
    pub(super) local: Local,
    pub(super) shared: Option<Arc<Shared>>,
}

/// A turn, and where it was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted {
    pub(super) grant: Grant,
    /// When the store was asked for it; `None` if it was given in this process.
    pub(super) asked: Option<Instant>,
}

impl Granted {
    pub(super) fn is_awaited(&self) -> bool {
        self.grant.is_awaited()
    }
}

impl Home {
    pub(super) fn new(settings: Settings, shared: Option<Shared>) -> Self {
        Self {
            local: Local::new(settings),
            shared: shared.map(Arc::new),
        }
    }

    /// Gives up a place: in the store, or in this process.
    pub(super) fn leave(self: &Arc<Self>, ticket: Ticket, is_stored: bool) {
        match &self.shared {
            Some(shared) if is_stored => {
                shared.awake(ticket);
                self.local.count_cancelled();
                self.tell(Command::Leave(ticket));
            }
            _ => self.local.leave(ticket),
        }
    }

    /// Sees to it that nothing comes of what was asked for a caller who has gone away.
    pub(super) fn abandon(self: &Arc<Self>, pending: Pending) {
        self.local.count_cancelled();
        let home = Arc::clone(self);
        finish(async move {
            let sent = pending.sent;
            let answer = match pending.await {
                Ok(answer) => answer,
                Err(error) => return home.loses(&error),
            };
            home.learn(&answer, sent);
            match answer.outcome {
                Outcome::Go(grant) if grant.is_awaited() => {
                    home.tell(Command::Settle(grant, Finding::Unknown));
                }
                Outcome::Wait { ticket, .. } | Outcome::Due(ticket) => {
                    home.tell(Command::Leave(ticket));
                }
                _ => {}
            }
        });
    }

    /// The request of a turn has just been sent.
    pub(super) fn started(self: &Arc<Self>, granted: &Granted) {
        match granted.asked {
            None => self.local.started(),
            // Another look at the store for each request would be much for a start that is stamped all but right.
            Some(asked) if !self.is_fresh(asked) => self.tell(Command::Started),
            Some(_) => {}
        }
    }

    /// Whether so little time has passed since the store was asked for a turn that a start now is as good as one then.
    pub(super) fn is_fresh(&self, asked: Instant) -> bool {
        let interval = self.local.interval();
        interval.is_zero() || asked.elapsed() <= (interval / 8).min(MOST_STALE)
    }

    pub(super) fn answered(self: &Arc<Self>, granted: &Granted) {
        self.local.answered(granted.grant);
        if granted.asked.is_some() {
            self.tell(Command::Answered(granted.grant));
        }
    }

    /// The request of a turn was answered as it should be, or nothing is known of it. The turn is out no more.
    pub(super) fn settle(self: &Arc<Self>, granted: &Granted, finding: Finding) {
        self.local.settle(granted.grant, finding);
        if granted.asked.is_some() {
            self.tell(Command::Settle(granted.grant, finding));
        }
    }

    /// The request of a turn was throttled, or one that has no turn to its name. What is left of the back-off then.
    pub(super) fn throttled(
        self: &Arc<Self>,
        granted: Option<&Granted>,
        retry_after: Option<Duration>,
        cause: Cause,
    ) -> Option<Duration> {
        let throttle = self.local.throttle(retry_after);
        let grant = granted.map(|granted| granted.grant);
        let told = |grant: Option<Grant>| match grant {
            Some(grant) => Command::Settle(grant, Finding::Throttled(throttle)),
            None => Command::Throttled(throttle),
        };
        self.local.throttled(told(grant), cause);
        let is_stored = granted.is_some_and(|granted| granted.asked.is_some());
        self.tell(told(grant.filter(|_| is_stored)));
        self.local.backoff_left()
    }

    pub(super) fn reset(self: &Arc<Self>) {
        self.local.reset();
        self.tell(Command::Reset);
    }

    pub(super) fn set_interval(&self, interval: Duration) {
        self.local.set_interval(interval);
        self.others_look();
    }

    pub(super) fn set_backoff(&self, backoff: Backoff) {
        self.local.set_backoff(backoff);
    }

    fn others_look(&self) {
        if let Some(shared) = &self.shared {
            shared.wake_all();
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let Some(shared) = &self.shared else {
            return self.local.snapshot();
        };
        if shared.reach.is_lost() {
            return Snapshot {
                out_of_reach: true,
                ..self.local.snapshot()
            };
        }
        let seen = shared.look(&self.local.stored_rules());
        match seen.or_else(|| self.local.last_seen()) {
            Some(view) => self.local.snapshot_of(&view),
            None => self.local.snapshot(),
        }
    }

    pub(super) fn backoff_left(&self) -> Option<Duration> {
        match &self.shared {
            None => self.local.backoff_left(),
            Some(_) => self.snapshot().backoff_left,
        }
    }

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
                match pending.await {
                    Ok(answer) => home.learn(&answer, sent),
                    Err(error) => home.loses(&error),
                }
            });
        }
        // They ask with what this process now remembers.
        match command.is_throttle() {
            true => shared.wake_all(),
            false => shared.wake_first(),
        }
    }

    /// Takes in what the store has answered.
    pub(super) fn learn(&self, answer: &Answer, sent: Sent) {
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
    pub(super) fn loses(&self, error: &BoxError) {
        if let Some(shared) = &self.shared
            && shared.reach.lose()
        {
            telemetry::lost(self.local.name(), error);
            self.local.tell_of_change();
        }
    }
}

/// A turn that the store gave longer ago than this, or than an eighth of the interval, is not used: its request would come too close to the next.
const MOST_STALE: Duration = Duration::from_millis(250);

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
