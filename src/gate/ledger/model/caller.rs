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
    /// Whether it wants no other to start until it has been answered.
    pub(super) alone: bool,
    pub(super) ticket: Option<Ticket>,
    pub(super) due: bool,
    /// When it asks next, in true time; `None` when it is parked or gone.
    pub(super) asks: Option<Tick>,
    /// When it may go at the latest, as of its last look.
    pub(super) latest: Tick,
    pub(super) waits: bool,
    /// Whether a back-off has taken its place, and it has not asked since.
    pub(super) refused: bool,
}

impl Caller {
    pub(super) fn new(manner: Manner, deadline: Tick, alone: bool) -> Self {
        Self {
            manner,
            deadline,
            alone,
            ticket: None,
            due: false,
            asks: None,
            latest: 0,
            waits: true,
            refused: false,
        }
    }

    pub(super) fn is_woken(&mut self, time: Tick) {
        if self.waits {
            self.asks = self.manner.minds(time);
        }
    }

    pub(super) fn is_gone(&mut self) {
        (self.waits, self.asks) = (false, None);
    }

    /// Whether it is never later than its grace.
    pub(super) fn is_in_time(&self, grace: Tick) -> bool {
        match self.manner {
            Manner::Punctual => self.waits && !self.refused,
            Manner::Late(by) => self.waits && !self.refused && by <= grace,
            Manner::Readies(_) | Manner::Parked => false,
        }
    }
}
