//! A caller, and how it minds the looks that it is told to take.

use crate::gate::ledger::{Tick, Ticket};

/// The latest that a caller comes which comes at all.
pub(super) const LATEST: Tick = 60;

/// How a caller minds the looks that it is told to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Manner {
    Punctual,
    /// Always this much later.
    Late(Tick),
    /// Asks without spending, and spends a due turn this much later.
    Readies(Tick),
    /// Is never heard of again.
    Parked,
}

impl Manner {
    pub(super) fn minds(self, look: Tick) -> Option<Tick> {
        match self {
            Self::Punctual | Self::Readies(_) => Some(look),
            Self::Late(by) => Some(look + by),
            Self::Parked => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Caller {
    pub(super) manner: Manner,
    pub(super) deadline: Tick,
    pub(super) ticket: Option<Ticket>,
    pub(super) due: bool,
    /// When it asks next, in true time; `None` when it is parked or gone.
    pub(super) asks: Option<Tick>,
    /// When it may go at the latest, as of its last look.
    pub(super) latest: Tick,
    pub(super) waits: bool,
}

impl Caller {
    pub(super) fn new(manner: Manner, deadline: Tick) -> Self {
        Self {
            manner,
            deadline,
            ticket: None,
            due: false,
            asks: None,
            latest: 0,
            waits: true,
        }
    }
}
