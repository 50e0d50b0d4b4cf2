mod boots;
mod damage;
#[cfg(unix)]
mod following;
mod home;
#[cfg(unix)]
mod permissions;
mod places;
mod records;
mod taking_turns;
mod waiting;
#[cfg(windows)]
mod windows;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use futures_util::FutureExt;
use tempfile::TempDir;

use super::{
    FileStore,
    clock::{Clock, Time},
    place::Place,
};
use crate::gate::{
    ledger::{
        Ask, Command, Memory, Outcome, Polling, Refused, Rules, State, Throttle, Tick, Ticket,
    },
    share::store::{Answer, Order, Store},
};

const SECOND: Tick = 1_000_000_000;
const INTERVAL: Tick = 5 * SECOND / 2;
const BACKOFF: Tick = 60 * SECOND;

/// When the tests begin, on both clocks.
const BEGIN: Time = Time {
    shared: 10_000 * SECOND,
    wall: 1_800_000_000 * SECOND,
};

fn rules() -> Rules {
    Rules {
        interval: INTERVAL,
        burst: 1,
        grace: SECOND / 2,
        backoffs: [BACKOFF].into(),
        backoff_cap: BACKOFF,
        longest_backoff: 15 * BACKOFF,
        widening: 0,
        lease: 30 * SECOND,
        max_in_flight: usize::MAX,
        max_queued: super::MAX_QUEUED,
        waits_while_closed: false,
        polling: Some(Polling {
            window: 4,
            stagger: SECOND / 500,
            longest_sleep: 2 * INTERVAL,
        }),
    }
}

/// A directory that is gone when the test is over.
struct Directory(TempDir);

impl Directory {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn gate(&self) -> PathBuf {
        self.path().join("a.gate")
    }
}

/// A directory, a clock, and what programs that share a gate there do.
struct World {
    directory: Directory,
    time: Arc<Mutex<Time>>,
}

impl World {
    fn new() -> Self {
        Self {
            directory: Directory::new(),
            time: Arc::new(Mutex::new(BEGIN)),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.gate()
    }

    /// As a program that starts would.
    fn open(&self) -> Arc<FileStore> {
        Arc::new(self.try_open(&self.path()).unwrap())
    }

    fn try_open(&self, path: &Path) -> Result<FileStore, super::FileError> {
        FileStore::open_place(Place::at(path).unwrap(), Clock::Set(self.time.clone()))
    }

    fn passes(&self, time: Tick) {
        let mut now = self.time.lock().unwrap();
        now.shared += time;
        now.wall += time;
    }

    /// The machine starts anew: its clock stands at `shared`, and the wall clock has gone on by `wall`.
    fn boots(&self, shared: Tick, wall: Tick) {
        let mut now = self.time.lock().unwrap();
        now.shared = shared;
        now.wall += wall;
    }

    /// What one who has seen nothing remembers.
    fn nothing(&self) -> Memory {
        let now = self.time.lock().unwrap().shared;
        State::new(&rules(), now).memory(&rules(), now)
    }

    fn order(&self, command: Command) -> Order {
        Order {
            rules: rules(),
            memory: self.nothing(),
            command,
        }
    }

    fn tell(&self, store: &Arc<FileStore>, command: Command) -> Answer {
        apply(store, self.order(command)).unwrap()
    }

    fn ask(&self, store: &Arc<FileStore>, ticket: Option<Ticket>) -> Outcome {
        self.tell(store, take(ticket)).outcome
    }

    fn throttle(&self, store: &Arc<FileStore>) {
        let throttle = Throttle {
            at_least: 0,
            jitter: 0,
        };
        self.tell(store, Command::Throttled(throttle));
    }
}

fn take(ticket: Option<Ticket>) -> Command {
    Command::Take {
        ticket,
        max_wait: 600 * SECOND,
        ask: Ask::Spend,
    }
}

/// Nobody is in the way, so it takes one poll.
fn apply(store: &Arc<FileStore>, order: Order) -> Result<Answer, crate::BoxError> {
    let applying = store.clone().apply(order);
    applying.now_or_never().expect("nobody holds the lock")
}

fn ticket_of(outcome: &Outcome) -> Ticket {
    match outcome {
        Outcome::Wait { ticket, .. } => *ticket,
        other => panic!("{other:?} is no place in the queue"),
    }
}

fn is_go(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Go(_))
}

/// What is left of the back-off that refused.
fn backoff_of(outcome: &Outcome) -> Tick {
    match outcome {
        Outcome::Refused(Refused::BackingOff { left }) => *left,
        other => panic!("{other:?} is no back-off"),
    }
}

/// The record as a later version of this crate might write it.
fn of_later_version(record: Vec<u8>) -> Vec<u8> {
    of_version(2, record)
}

fn of_version(version: u32, mut record: Vec<u8>) -> Vec<u8> {
    record[8..12].copy_from_slice(&version.to_le_bytes());
    let checksum = crc32fast::hash(&record[8..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
    record
}
