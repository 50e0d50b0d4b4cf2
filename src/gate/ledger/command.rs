//! What is asked of the ledger and told to it, and what it answers.

use std::collections::BTreeMap;

use super::{Entry, Throttle, Tick, Ticket};

/// One turn that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    /// When the state that gave it was made.
    pub(super) born: Tick,
    pub(super) number: u64,
    /// How many back-offs had begun before it.
    pub(super) round: u64,
    /// Whether others may wait for news of it.
    pub(super) is_awaited: bool,
}

impl Grant {
    pub(crate) fn is_awaited(&self) -> bool {
        self.is_awaited
    }
}

/// What a caller asks or tells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Command {
    /// Ask for a turn: `ticket` is `None` the first time, then what the last [`Outcome::Wait`] or [`Outcome::Due`] gave.
    Take {
        ticket: Option<Ticket>,
        /// The longest wait that the caller's deadline leaves; negative when it has passed.
        max_wait: Tick,
        ask: Ask,
    },
    /// Give the place up.
    Leave(Ticket),
    /// The turn last spent has been used: its request started no later than now.
    Started,
    /// A turn that is still out has been answered as it should be.
    Answered(Grant),
    /// What became of a turn. It is out no more.
    Settle(Grant, Finding),
    /// The provider throttled a request that has no turn to its name.
    Throttled(Throttle),
    /// Open the gate and forget all back-offs.
    Reset,
}

impl Command {
    pub(crate) fn is_throttle(&self) -> bool {
        matches!(
            self,
            Self::Throttled(_) | Self::Settle(_, Finding::Throttled(_))
        )
    }
}

/// What is to become of a turn that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// It is only reported as due, and the place kept.
    Look,
    /// It is spent.
    Spend,
    /// It is spent, and no other is given until it has been answered or settled.
    SpendAlone,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Answered,
    Throttled(Throttle),
    Unknown,
}

/// What the ledger answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The turn is spent: start now.
    Go(Grant),
    /// The turn may be spent now; the place is kept.
    Due(Ticket),
    /// Look again after `sleep`.
    Wait { ticket: Ticket, sleep: Tick },
    /// Refused, and no place is kept.
    Refused(Refused),
    /// The gate is closed, by a back-off that begins or by one that grows longer.
    Closed { is_new: bool, refused: Closed },
    /// Nothing to tell.
    Done,
}

/// Why a turn was refused. Each tells how long until it may be worth asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    BackingOff {
        left: Tick,
    },
    /// The turn would start this much after the deadline.
    PastDeadline {
        by: Tick,
    },
    /// Too many wait; the next of them starts after this.
    QueueFull {
        next: Tick,
    },
}

/// Whom a throttle has refused, and who are to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Everyone who waited. The places are handed out to be dropped where no lock is held.
    Everyone(BTreeMap<Ticket, Entry>),
    These(Vec<Ticket>),
}
