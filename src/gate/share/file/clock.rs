#[cfg(test)]
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::gate::ledger::Tick;

/// One moment on two clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// On the clock that all processes of the machine have in common and that nobody sets, where there is one: it begins anew with
    /// each boot.
    pub(super) shared: Tick,
    /// On the wall clock, which goes on over a boot and may be set.
    pub(super) wall: Tick,
}

impl Time {
    /// By how much times that were kept at `then` are to be moved to stand on this moment's clock: `None` if they stand on it.
    ///
    /// A clock that is behind where it was has begun anew. The wall clock tells how long that took; set back, it says that no time has
    /// passed, so that a wait never becomes shorter than it should be. A clock that began anew and has overtaken `then` makes waits too
    /// long by what has passed, and no longer than they were.
    pub(super) fn moved_since(self, then: Self) -> Option<Tick> {
        let passed = self.wall.saturating_sub(then.wall).max(0);
        let expected = then.shared.saturating_add(passed);
        (self.shared < then.shared).then(|| self.shared.saturating_sub(expected))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) enum Clock {
    #[default]
    System,
    #[cfg(test)]
    Set(Arc<Mutex<Time>>),
}

impl Clock {
    pub(super) fn now(&self) -> Time {
        match self {
            Self::System => Time {
                shared: shared(),
                wall: wall(),
            },
            #[cfg(test)]
            Self::Set(time) => *time.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

fn wall() -> Tick {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    nanos(since.unwrap_or_default())
}

#[cfg(unix)]
fn shared() -> Tick {
    use rustix::time::{ClockId, clock_gettime};

    // It goes on while the machine sleeps; so does the other on Apple's systems.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const SHARED: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const SHARED: ClockId = ClockId::Monotonic;

    nanos(clock_gettime(SHARED).try_into().unwrap_or_default())
}

/// Only the wall clock is within reach.
#[cfg(not(unix))]
fn shared() -> Tick {
    wall()
}

fn nanos(time: Duration) -> Tick {
    Tick::try_from(time.as_nanos()).unwrap_or(Tick::MAX)
}
