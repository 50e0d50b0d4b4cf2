//! Where a gate's state lives: in this process, or in a store, of which this process then keeps what it has last seen.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    backoff::Backoff,
    ledger::{Command, Finding, Grant, Ticket},
    local::Local,
    settings::Settings,
    share::Shared,
    snapshot::Snapshot,
};
use crate::telemetry::Cause;

/// A turn that the store gave longer ago than this, or than an eighth of the interval, is not used: its request would come too close to the next.
const MOST_STALE: Duration = Duration::from_millis(250);

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
}
