//! What a process tells the one that has started it: a line of JSON for each event.

use std::{
    io::{self, Write},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Event {
    /// Its callers ask for turns from now on.
    Ready,
    /// One request starts.
    Start {
        at: Duration,
    },
    /// The provider has throttled; nobody may start between these times.
    Closed {
        from: Duration,
        until: Duration,
    },
    Counted(Counted),
}

/// What a process has counted since it was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counted {
    pub(super) granted: u64,
    pub(super) orders: u64,
    pub(super) cancelled: u64,
}

impl Event {
    /// In one write, so that a process that is killed leaves no line half written but its last. Who is not heard any more is about to be killed.
    pub(super) fn tell(self) {
        let line = serde_json::to_string(&self).expect("an event is made of numbers");
        let _ = io::stdout().lock().write_all((line + "\n").as_bytes());
    }
}

/// By the clock that all processes of the machine have in common.
pub(super) fn now() -> Duration {
    clock_gettime(ClockId::Monotonic)
        .try_into()
        .expect("the clock began at zero")
}
