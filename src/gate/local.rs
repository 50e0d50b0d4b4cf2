//! A ledger kept in this process: the rules, the clock and the lock around one state, and the wakers of who waits.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    task::Waker,
    time::Duration,
};

use tokio::time::Instant;

use super::{
    ledger::{Command, Outcome, Rules, State, Tick, Ticket},
    snapshot::{Counts, Snapshot},
};

/// How late the owner of a place may be: a quarter of the interval, within bounds that leave room for a busy machine's timers and
/// keep a stalled caller from costing more than about a second.
fn grace_for(interval: Duration) -> Duration {
    (interval / 4).clamp(Duration::from_millis(100), Duration::from_secs(1))
}

#[derive(Debug)]
pub(super) struct Local {
    rules: Rules,
    /// Where the ledger's clock stands at 0; a tick is a nanosecond.
    origin: Instant,
    guarded: Mutex<Guarded>,
}

#[derive(Debug, Default)]
struct Guarded {
    state: State,
    /// Who waits and has not been woken since it last looked, in the order of the queue.
    wakers: BTreeMap<Ticket, Waker>,
    counts: Counts,
}

impl Local {
    pub(super) fn new(interval: Duration, backoff: Duration, longest_backoff: Duration) -> Self {
        Self {
            rules: Rules {
                interval: to_ticks(interval),
                backoff: to_ticks(backoff),
                longest_backoff: to_ticks(longest_backoff.max(backoff)),
                grace: to_ticks(grace_for(interval)),
            },
            origin: Instant::now(),
            guarded: Mutex::default(),
        }
    }

    pub(super) fn interval(&self) -> Duration {
        to_duration(self.rules.interval)
    }

    /// Asks for a turn that must start by `deadline`, and leaves `waker` to be woken if the answer is to wait.
    pub(super) fn take(
        &self,
        ticket: Option<Ticket>,
        deadline: Instant,
        spend: bool,
        waker: &Waker,
    ) -> Outcome {
        let deadline = self.ticks_at(deadline);
        self.change(|rules, now, guarded| {
            let command = Command::Take {
                ticket,
                max_wait: deadline.saturating_sub(now),
                spend,
            };
            let outcome = guarded.state.step(rules, now, command);
            match outcome {
                Outcome::Go => guarded.counts.granted += 1,
                Outcome::BackingOff { .. } => guarded.counts.refused_backing_off += 1,
                Outcome::PastDeadline => guarded.counts.refused_past_deadline += 1,
                Outcome::Due(_) | Outcome::Wait { .. } | Outcome::Done => {}
            }
            let replaced = match outcome {
                Outcome::Due(ticket) | Outcome::Wait { ticket, .. } => {
                    guarded.wake_later(ticket, waker)
                }
                _ => ticket.and_then(|ticket| guarded.wakers.remove(&ticket)),
            };
            (outcome, replaced)
        })
    }

    /// Gives up the place of a caller that went away.
    pub(super) fn leave(&self, ticket: Ticket) {
        self.change(|rules, now, guarded| {
            guarded.state.step(rules, now, Command::Leave(ticket));
            guarded.counts.cancelled += 1;
            ((), guarded.wakers.remove(&ticket))
        });
    }

    pub(super) fn started(&self) {
        self.change(|rules, now, guarded| {
            guarded.state.step(rules, now, Command::Started);
            ((), None)
        });
    }

    /// Closes the gate for the back-off, or for `at_least` where that is longer, and wakes everyone who waits: each is refused.
    pub(super) fn throttled(&self, at_least: Duration) {
        let at_least = to_ticks(at_least);
        let refused = self.change(|rules, now, guarded| {
            let command = Command::Throttled { at_least };
            guarded.state.step(rules, now, command);
            guarded.counts.throttled += 1;
            (mem::take(&mut guarded.wakers), None)
        });
        refused.into_values().for_each(Waker::wake);
    }

    pub(super) fn backoff_left(&self) -> Option<Duration> {
        let guarded = self.lock();
        let left = guarded.state.backoff_left(&self.rules, self.now());
        (left > 0).then(|| to_duration(left))
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let mut guarded = self.lock();
        let (rules, now) = (&self.rules, self.now());
        guarded.state.bound_by_clock(rules, now);
        let state = &guarded.state;
        let backoff_left = state.backoff_left(rules, now);
        let Counts {
            granted,
            refused_backing_off,
            refused_past_deadline,
            cancelled,
            throttled,
        } = guarded.counts;
        Snapshot {
            interval: self.interval(),
            queued: state.queued(),
            next_turn: to_duration(state.wait_of_newcomer(rules, now)),
            backoff_left: (backoff_left > 0).then(|| to_duration(backoff_left)),
            granted,
            refused_backing_off,
            refused_past_deadline,
            cancelled,
            throttled,
        }
    }

    /// Runs one change of the state and tells whoever must look sooner because of it.
    ///
    /// The change may hand out a waker that it no longer needs. Wakers run other people's code, when woken and when dropped, so both
    /// happen after the lock is free.
    fn change<T>(
        &self,
        change: impl FnOnce(&Rules, Tick, &mut Guarded) -> (T, Option<Waker>),
    ) -> T {
        let mut guard = self.lock();
        let guarded = &mut *guard;
        // Read under the lock, so that the order of grants is the order of their times.
        let now = self.now();
        let (answer, unneeded) = change(&self.rules, now, guarded);
        let hurried = guarded
            .state
            .hurry(&self.rules, now)
            .map(|ticket| ticket.and_then(|ticket| guarded.wakers.remove(&ticket)));
        drop(guard);
        hurried.into_iter().flatten().for_each(Waker::wake);
        drop(unneeded);
        answer
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Tick {
        self.ticks_at(Instant::now())
    }

    fn ticks_at(&self, time: Instant) -> Tick {
        match time.checked_duration_since(self.origin) {
            Some(since) => to_ticks(since),
            None => -to_ticks(self.origin.duration_since(time)),
        }
    }
}

impl Guarded {
    /// Keeps `waker` for `ticket` and gives back the one it replaces.
    fn wake_later(&mut self, ticket: Ticket, waker: &Waker) -> Option<Waker> {
        match self.wakers.get(&ticket) {
            Some(kept) if kept.will_wake(waker) => None,
            _ => self.wakers.insert(ticket, waker.clone()),
        }
    }
}

/// Durations of over 73 years count as that, so that sums of a few stay within range.
fn to_ticks(time: Duration) -> Tick {
    const LONGEST: Tick = Tick::MAX / 4;
    Tick::try_from(time.as_nanos()).map_or(LONGEST, |ticks| ticks.min(LONGEST))
}

fn to_duration(ticks: Tick) -> Duration {
    Duration::from_nanos(u64::try_from(ticks).unwrap_or(0))
}
