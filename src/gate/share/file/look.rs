use std::{path::Path, thread};

use super::{
    clock::{Clock, Time},
    error::FileError,
    opened::{self, Opened},
    place::Place,
    record::{PAGE, Record},
};
use crate::gate::ledger::{Rules, State, View};

/// How often a record that does not pass its checksum is read again: it may have been seen while it was written.
const TRIES: usize = 10;

/// Looks at a shared gate from outside. It takes no lock, makes and changes nothing, and so disturbs nobody.
#[derive(Debug)]
pub(in crate::gate) struct Looker {
    place: Place,
    clock: Clock,
}

impl Looker {
    /// Fails where there is no file, where it is none of a gate, and where a later version of this crate has written it.
    pub(in crate::gate) fn open(path: &Path) -> Result<Self, FileError> {
        let looker = Self {
            place: Place::at(path)?,
            clock: Clock::default(),
        };
        let path = looker.place.path();
        match read(path, |record| match record {
            Record::Newer(record) => Err(FileError::newer(path, record)),
            _ => Ok(()),
        })? {
            Some(found) => found?,
            None => return Err(FileError::new(path, "it is no shared gate's, or damaged")),
        }
        Ok(looker)
    }

    /// What the gate looks like to someone with these rules, but for the interval, which is the one that it was last used with. `None` if no
    /// whole record is there.
    pub(in crate::gate) fn look(&self, rules: &Rules) -> Option<View> {
        let view = read(self.place.path(), |record| {
            let now = self.clock.now();
            let (state, _) = record.restore(rules, now).ok()?;
            let rules = Rules {
                interval: state.last_interval(),
                ..rules.clone()
            };
            Some(view(state, &rules, now))
        });
        view.ok()??
    }
}

/// The file is opened anew, so that it is the one that everyone finds under this path.
pub(super) fn look(path: &Path, clock: &Clock, rules: &Rules) -> Option<View> {
    let view = read(path, |record| {
        let now = clock.now();
        let (state, _) = record.restore(rules, now).ok()?;
        Some(view(state, rules, now))
    });
    view.ok()??
}

fn view(mut state: State, rules: &Rules, now: Time) -> View {
    state.bound_by_clock(rules, now.shared);
    state.view(rules, now.shared)
}

/// `None` if no whole record is there.
fn read<T>(path: &Path, use_record: impl FnOnce(Record<'_>) -> T) -> Result<Option<T>, FileError> {
    let file = Opened::open_to_look(path)?;
    let mut page = [0; PAGE];
    let mut failed = None;
    for _ in 0..TRIES {
        match opened::read(&file, &mut page) {
            Ok(Record::Damaged) => failed = None,
            Ok(record) => return Ok(Some(use_record(record))),
            // As where locks are mandatory and somebody holds this one.
            Err(error) => failed = Some(error),
        }
        thread::yield_now();
    }
    match failed {
        Some(error) => Err(FileError::new(path, "it cannot be read").with_source(error)),
        None => Ok(None),
    }
}
