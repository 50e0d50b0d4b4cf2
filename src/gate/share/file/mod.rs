//! One gate for all processes of a user, kept in a small file.
//!
//! Whoever applies a command takes the operating system's lock on the file, reads the state, steps it and writes it back. The kernel drops
//! the lock of a process that dies, so there is nothing to clean up; the write stays within one page, so it is done as a whole or not at all. It
//! is not forced to the disk: a machine that loses its power is away for longer than an interval.
//!
//! | what may happen | what comes of it |
//! |---|---|
//! | a process is killed | nothing: its place in the queue is passed over, its lock is gone |
//! | a process stops while it holds the lock | the others' orders fail after a quarter of a second; none of them blocks its thread meanwhile |
//! | the machine starts anew | what is left of the interval and of a back-off is counted on by the wall clock; who waited is gone |
//! | the wall clock is set | nothing; over a boot, set back, it makes no wait shorter |
//! | the record is damaged, or something else stands in the file | as if as many as may start at once had just done so |
//! | the file is deleted, replaced or moved | whoever had it open goes on with the one that stands there now, and brings along what the old one said of starts and back-offs |
//! | a later version of this crate has written it | an error that says so |
//!
//! Tested on Linux. On Windows the wall clock is the only one, others' rights to the file are those of its directory, whoever has it open
//! keeps it from being deleted or moved, and whoever holds the lock keeps others from reading it. Tested there under Wine; macOS is compiled for.

mod apply;
mod clock;
mod error;
mod look;
mod opened;
mod place;
mod platform;
mod record;
#[cfg(test)]
mod tests;

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use self::{apply::Current, clock::Clock, error::FileError, place::Place};
pub(in crate::gate) use self::{
    look::Looker,
    record::{MAX_OUT, MAX_QUEUED},
};
use super::store::{Applying, Order, Store};
use crate::gate::ledger::{Rules, View};

/// Keeps the state of a shared gate in a file.
#[derive(Debug)]
pub(in crate::gate) struct FileStore {
    place: Place,
    clock: Clock,
    /// The operating system's lock is the file's, as it was opened: threads that share it need one of their own.
    current: Mutex<Current>,
}

impl FileStore {
    /// In the file that the user has named, in a directory that exists.
    pub(in crate::gate) fn open(path: &Path) -> Result<Self, FileError> {
        Self::open_place(Place::at(path)?, Clock::default())
    }

    /// At the user's own place for the gate of this name.
    pub(in crate::gate) fn open_default(name: &str) -> Result<Self, FileError> {
        Self::open_place(Place::default_of(name)?, Clock::default())
    }

    fn open_place(place: Place, clock: Clock) -> Result<Self, FileError> {
        Ok(Self {
            current: Mutex::new(place.open()?.into()),
            place,
            clock,
        })
    }
}

impl Store for FileStore {
    fn apply(self: Arc<Self>, order: Order) -> Applying {
        Box::pin(async move { Ok(self.carry_out(order).await?) })
    }

    fn look(&self, rules: &Rules) -> Option<View> {
        look::look(self.place.path(), &self.clock, rules)
    }
}
