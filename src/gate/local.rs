//! A ledger kept in this process: the rules, the clock and the lock around one state, and the wakers of who waits.

use std::{borrow::Cow, mem, sync::PoisonError, task::Waker, time::Duration};

use tokio::{sync::watch, time::Instant};

use super::{
    backoff::Backoff,
    clock::{Clock, to_duration, to_ticks},
    guarded::{Guarded, Released},
    ledger::{Ask, Closed, Command, Finding, Grant, Outcome, Throttle, Tick, Ticket},
    settings::Settings,
    snapshot::Snapshot,
    sync::{Mutex, MutexGuard},
};
use crate::telemetry::{self, Cause, Episode};

#[derive(Debug)]
pub(super) struct Local {
    name: Cow<'static, str>,
    pub(super) clock: Clock,
    guarded: Mutex<Guarded>,
    /// Told of every change of what a snapshot shows.
    changes: watch::Sender<()>,
}

impl Local {
    pub(super) fn new(settings: Settings) -> Self {
        let clock = Clock::new();
        Self {
            name: settings.name.clone(),
            guarded: Mutex::new(Guarded::new(settings, clock.now())),
            clock,
            changes: watch::Sender::new(()),
        }
    }

    /// Asks for a turn that must start by `deadline`, and leaves `waker` to be woken if the answer is to wait.
    pub(super) fn take(
        &self,
        ticket: Option<Ticket>,
        deadline: Instant,
        ask: Ask,
        waker: &Waker,
    ) -> Outcome {
        let deadline = self.clock.ticks_at(deadline);
        self.change(|guarded, now, released| {
            let command = Command::Take {
                ticket,
                max_wait: deadline.saturating_sub(now),
                ask,
            };
            let outcome = guarded.state.step(&guarded.rules, now, command);
            guarded.counts.add(&outcome);
            if matches!(outcome, Outcome::Go(_)) {
                guarded.changed(now);
            }
            released.unneeded = match outcome {
                Outcome::Due(ticket) | Outcome::Wait { ticket, .. } => {
                    guarded.wake_later(ticket, waker)
                }
                _ => ticket.and_then(|ticket| guarded.wakers.remove(&ticket)),
            };
            outcome
        })
    }

    /// Whether a caller that came now could start at once.
    pub(super) fn is_free(&self) -> bool {
        let mut guard = self.lock();
        let Guarded { rules, state, .. } = &mut *guard;
        let now = self.clock.now();
        state.bound_by_clock(rules, now);
        state.is_free(rules, now)
    }

    /// Gives up the place of a caller that went away.
    pub(super) fn leave(&self, ticket: Ticket) {
        self.change(|guarded, now, released| {
            guarded.counts.cancelled += 1;
            released.unneeded = guarded.leave(now, ticket);
        });
    }

    /// Gives up the place of a caller that waits elsewhere from now on.
    pub(super) fn give_up(&self, ticket: Ticket) {
        self.change(|guarded, now, released| {
            released.unneeded = guarded.leave(now, ticket);
        });
    }

    pub(super) fn count_cancelled(&self) {
        self.lock().counts.cancelled += 1;
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn started(&self) {
        self.tell(Command::Started);
    }

    pub(super) fn answered(&self, grant: Grant) {
        self.tell(Command::Answered(grant));
    }

    /// The request of a turn was answered as it should be, or nothing is known of it. The turn is out no more.
    pub(super) fn settle(&self, grant: Grant, finding: Finding) {
        self.tell(Command::Settle(grant, finding));
    }

    pub(super) fn throttle(&self, retry_after: Option<Duration>) -> Throttle {
        Throttle {
            at_least: to_ticks(retry_after.unwrap_or_default()),
            jitter: self.lock().settings.backoff.draw_jitter(),
        }
    }

    /// `told` is of a request that was throttled.
    pub(super) fn throttled(&self, told: Command, cause: Cause) {
        let episode = self.tell(told);
        telemetry::throttled(&self.name, cause, episode);
    }

    pub(super) fn reset(&self) {
        self.tell(Command::Reset);
    }

    fn tell(&self, command: Command) -> Option<Episode> {
        self.change(|guarded, now, released| {
            let outcome = guarded.state.step(&guarded.rules, now, command);
            guarded.counts.throttled += u64::from(command.is_throttle());
            if command.is_throttle() || matches!(command, Command::Reset) {
                guarded.changed(now);
            }
            let Outcome::Closed { is_new, refused } = outcome else {
                return None;
            };
            released.woken = Some(match &refused {
                Closed::Everyone(_) => mem::take(&mut guarded.wakers),
                Closed::These(refused) => guarded.take_wakers(refused),
            });
            released.refused = Some(refused);
            Some(Episode {
                backoff: to_duration(guarded.state.backoff_left(now)),
                streak: guarded.state.streak(&guarded.rules, now),
                is_new,
            })
        })
    }

    pub(super) fn set_interval(&self, interval: Duration) {
        self.set(|settings| settings.interval = interval);
    }

    pub(super) fn set_backoff(&self, backoff: Backoff) {
        self.set(|settings| settings.backoff = backoff);
    }

    fn set(&self, set: impl FnOnce(&mut Settings)) {
        self.change(|guarded, now, _| {
            set(&mut guarded.settings);
            let rules = guarded.settings.rules();
            guarded.state.change_rules(now, &guarded.rules, &rules);
            guarded.rules = rules;
        });
    }

    pub(super) fn backoff_left(&self) -> Option<Duration> {
        let left = self.lock().state.backoff_left(self.clock.now());
        (left > 0).then(|| to_duration(left))
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let mut guard = self.lock();
        let Guarded { rules, state, .. } = &mut *guard;
        let now = self.clock.now();
        state.bound_by_clock(rules, now);
        let view = state.view(rules, now);
        Snapshot::new(&view, guard.counts)
    }

    /// Lets all who wait look now.
    pub(super) fn wake_all(&self) {
        let woken = mem::take(&mut self.lock().wakers);
        woken.into_values().for_each(Waker::wake);
    }

    pub(super) fn watch(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Runs one change of the state, tells whoever must look sooner because of it, and whoever shows it.
    fn change<T>(&self, change: impl FnOnce(&mut Guarded, Tick, &mut Released) -> T) -> T {
        let mut released = Released::default();
        let mut guard = self.lock();
        let guarded = &mut *guard;
        // Read under the lock, so that the order of grants is the order of their times.
        let now = self.clock.now();
        let answer = change(guarded, now, &mut released);
        let queued = guarded.state.queued();
        let hurried = (queued > 0).then(|| guarded.hurry(now));
        let closed = guarded.state.backoff_left(now) > 0;
        drop(guard);
        telemetry::changed(&self.name, queued, closed);
        self.tell_of_change();
        if let Some(woken) = released.woken {
            woken.into_values().for_each(Waker::wake);
        }
        if let Some(hurried) = hurried {
            hurried.into_iter().flatten().for_each(Waker::wake);
        }
        drop((released.unneeded, released.refused));
        answer
    }

    pub(super) fn tell_of_change(&self) {
        if self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Guarded> {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
