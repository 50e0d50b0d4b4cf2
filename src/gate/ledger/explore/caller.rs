//! A caller, the turn that it may hold, and what its process remembers.

use super::knowledge::{Knowledge, NEVER};
use crate::gate::ledger::{Ask, Grant, Memory, Tick, Ticket};

#[derive(Clone, Debug)]
pub(super) enum Caller {
    /// Asks for nothing, or is never heard of again.
    Idle,
    Waits(Patient),
    Holds(Turn),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Patient {
    pub(super) ticket: Option<Ticket>,
    pub(super) ask: Ask,
    /// When it was told to look, in true time.
    pub(super) look: Tick,
    /// How much later it will.
    pub(super) stalls: Tick,
    pub(super) deadline: Tick,
    /// Whether a back-off has taken its place, of which it has not been told.
    pub(super) is_refused: bool,
    /// When it came, and since when it has had its place, counted in events.
    pub(super) came: u64,
    pub(super) since: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) grant: Grant,
    pub(super) serial: u64,
    pub(super) lineage: u32,
    pub(super) round: u64,
    pub(super) is_started: bool,
    pub(super) is_answered: bool,
}

/// What a process knows of the store, as it is to the ledger and as it really is. Its own clock is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) memory: Memory,
    pub(super) seen_at: Tick,
    pub(super) knows: Knowledge,
    /// Whether it remembers more than has happened, of a clock that was set back.
    pub(super) is_careful: bool,
}

impl Process {
    /// It has never seen the store.
    pub(super) fn new() -> Self {
        Self {
            memory: Memory {
                born: -1,
                round: 0,
                streak: 0,
                on_trial: false,
                arrival: NEVER,
                closed: NEVER,
            },
            seen_at: 0,
            knows: Knowledge::of_nothing(u32::MAX),
            is_careful: false,
        }
    }

    pub(super) fn recalls(&self, time: Tick) -> Memory {
        self.memory.less(time - self.seen_at)
    }
}
