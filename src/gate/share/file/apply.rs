//! One order: carried out under the lock, and waited for where the lock is not to be had.

use std::{
    future::poll_fn,
    io, mem,
    sync::{Arc, TryLockError},
    task::Poll,
    thread,
    time::{Duration, Instant},
};

use super::{
    FileStore,
    clock::Time,
    error::FileError,
    opened::{Locked, Opened},
    record::{self, PAGE},
};
use crate::gate::{
    ledger::{Rules, State},
    share::store::{Answer, Order},
};

/// How often the lock is tried for in one go: whoever works under it needs some microseconds.
const TRIES: usize = 3;

/// How long an order waits for the lock. Who keeps it for so long has been stopped, and may never let go.
const BUDGET: Duration = Duration::from_millis(250);

const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// How often one order follows the file to where it has gone.
const REOPENS: usize = 3;

/// The file in use, and what stood in those before it.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) opened: Opened,
    /// Until it has been brought into the file in use.
    left_behind: Option<State>,
}

impl From<Opened> for Current {
    fn from(opened: Opened) -> Self {
        Self {
            opened,
            left_behind: None,
        }
    }
}

impl FileStore {
    /// Carries the order out, as soon as nobody else is at it.
    pub(super) async fn carry_out(self: Arc<Self>, order: Order) -> Result<Answer, FileError> {
        let begun = Instant::now();
        let mut pause = None;
        loop {
            for _ in 0..TRIES {
                if let Some(answer) = self.try_apply(&order)? {
                    return Ok(answer);
                }
                thread::yield_now();
            }
            if begun.elapsed() >= BUDGET {
                let message = format_args!(
                    "another process has held its lock for over {BUDGET:?}; it may have been stopped"
                );
                return Err(FileError::new(self.place.path(), message));
            }
            let Some(longest) = pause else {
                // No timer yet: outside of a runtime there is none.
                give_way().await;
                pause = Some(SHORTEST_PAUSE);
                continue;
            };
            tokio::time::sleep(longest.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
            pause = Some(LONGEST_PAUSE.min(longest * 2));
        }
    }

    /// `None` while somebody else holds the lock.
    fn try_apply(&self, order: &Order) -> Result<Option<Answer>, FileError> {
        let mut current = match self.current.try_lock() {
            Ok(current) => current,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let Current {
            opened,
            left_behind,
        } = &mut *current;
        if !opened.is_own() {
            *opened = self.place.open()?;
        }
        for _ in 0..REOPENS {
            let locked = opened.try_lock();
            let Some(locked) = locked.map_err(|error| self.failed("locked", error))? else {
                return Ok(None);
            };
            if opened.is_at(self.place.path()) {
                let answer = self.step(&locked, order, left_behind.as_ref())?;
                *left_behind = None;
                return Ok(Some(answer));
            }
            // The file was deleted, replaced or moved. What can be read of it still holds.
            let mut page = [0; PAGE];
            if let Ok((mut state, now, _)) = self.restore(&locked, &order.rules, &mut page) {
                recall(&mut state, left_behind.as_ref(), &order.rules, now);
                *left_behind = Some(state);
            }
            drop(locked);
            *opened = self.place.open()?;
        }
        Err(FileError::new(
            self.place.path(),
            "others replace it all the time",
        ))
    }

    fn step(
        &self,
        locked: &Locked<'_>,
        order: &Order,
        left_behind: Option<&State>,
    ) -> Result<Answer, FileError> {
        let Order {
            rules,
            memory,
            command,
        } = order;
        let mut page = [0; PAGE];
        let (mut state, now, kept) = self.restore(locked, rules, &mut page)?;
        recall(&mut state, left_behind, rules, now);
        state.recall(rules, now.shared, memory);
        let outcome = state.step(rules, now.shared, *command);
        let record = record::write(&mut state, now);
        if kept != Some(record::body(&record)) {
            let written = locked.write(&record);
            written.map_err(|error| self.failed("written", error))?;
        }
        Ok(Answer {
            outcome,
            view: state.view(rules, now.shared),
            at: now.shared,
        })
    }

    /// The time is read under the lock, so that the order of grants is the order of their times.
    fn restore<'a>(
        &self,
        locked: &Locked<'_>,
        rules: &Rules,
        page: &'a mut [u8; PAGE],
    ) -> Result<(State, Time, Option<&'a [u8]>), FileError> {
        let record = locked.read(page);
        let record = record.map_err(|error| self.failed("read", error))?;
        let now = self.clock.now();
        let restored = record.restore(rules, now);
        let (state, body) =
            restored.map_err(|record| FileError::newer(self.place.path(), record))?;
        Ok((state, now, body))
    }

    fn failed(&self, done: &str, error: io::Error) -> FileError {
        let message = format_args!("it cannot be {done}");
        FileError::new(self.place.path(), message).with_source(error)
    }
}

/// Brings what another state says of starts and back-offs into this one.
fn recall(state: &mut State, other: Option<&State>, rules: &Rules, now: Time) {
    if let Some(other) = other {
        state.recall(rules, now.shared, &other.memory(rules, now.shared));
    }
}

async fn give_way() {
    let mut has_given = false;
    poll_fn(|cx| {
        if mem::replace(&mut has_given, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
