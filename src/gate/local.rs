//! A ledger kept in this process: the rules, the clock and the lock around one state, and the wakers of who waits.

use std::{
    borrow::Cow, collections::BTreeMap, mem, sync::PoisonError, task::Waker, time::Duration,
};

use tokio::{sync::watch, time::Instant};

use super::{
    backoff::Backoff,
    clock::{Clock, to_duration, to_ticks},
    ledger::{
        Ask, Closed, Command, FRONT, Finding, Grant, Outcome, Refused, Rules, State, Throttle,
        Tick, Ticket, View,
    },
    settings::Settings,
    snapshot::{Counts, Snapshot},
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

#[derive(Debug)]
pub(super) struct Guarded {
    settings: Settings,
    /// The settings in ticks.
    pub(super) rules: Rules,
    pub(super) state: State,
    /// Who waits and has not been woken since it last looked.
    wakers: BTreeMap<Ticket, Waker>,
    pub(super) counts: Counts,
    /// When what is remembered of a store was last changed, by this process or by the store's answer to what was asked then.
    pub(super) remembered: Instant,
    /// How long the store's answer took then.
    pub(super) delay: Tick,
    /// What the store has last shown of itself.
    pub(super) seen: Option<(View, Instant)>,
}

/// Wakers that are no longer kept. Waking and dropping them runs other people's code, so both wait until the lock is free.
#[derive(Debug, Default)]
struct Released {
    woken: Option<BTreeMap<Ticket, Waker>>,
    unneeded: Option<Waker>,
    /// Only to be dropped.
    refused: Option<Closed>,
}

impl Local {
    pub(super) fn new(settings: Settings) -> Self {
        let (clock, rules) = (Clock::new(), settings.rules());
        Self {
            name: settings.name.clone(),
            guarded: Mutex::new(Guarded {
                state: State::new(&rules, clock.now()),
                rules,
                settings,
                wakers: BTreeMap::new(),
                counts: Counts::default(),
                remembered: Instant::now(),
                delay: 0,
                seen: None,
            }),
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
                (guarded.remembered, guarded.delay) = (Instant::now(), 0);
                // It shows nothing of this.
                guarded.seen = None;
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
        let Guarded {
            rules,
            state,
            counts,
            ..
        } = &mut *guard;
        let now = self.clock.now();
        state.bound_by_clock(rules, now);
        let backoff_left = state.backoff_left(now);
        Snapshot {
            interval: to_duration(state.interval(rules, now)),
            queued: state.queued(),
            next_turn: to_duration(state.wait_of_newcomer(rules, now)),
            backoff_left: (backoff_left > 0).then(|| to_duration(backoff_left)),
            on_trial: state.on_trial(),
            streak: state.streak(rules, now),
            counts: *counts,
            out_of_reach: false,
        }
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

impl Guarded {
    fn leave(&mut self, now: Tick, ticket: Ticket) -> Option<Waker> {
        self.state.step(&self.rules, now, Command::Leave(ticket));
        self.wakers.remove(&ticket)
    }

    /// Keeps `waker` for `ticket` and gives back the one it replaces.
    fn wake_later(&mut self, ticket: Ticket, waker: &Waker) -> Option<Waker> {
        match self.wakers.get(&ticket) {
            Some(kept) if kept.will_wake(waker) => None,
            _ => self.wakers.insert(ticket, waker.clone()),
        }
    }

    /// The wakers of those who must look sooner than they mean to.
    fn hurry(&mut self, now: Tick) -> [Option<Waker>; FRONT] {
        let hurried = self.state.hurry(&self.rules, now);
        hurried.map(|ticket| self.wakers.remove(&ticket?))
    }

    fn take_wakers(&mut self, tickets: &[Ticket]) -> BTreeMap<Ticket, Waker> {
        let taken = tickets
            .iter()
            .filter_map(|ticket| Some((*ticket, self.wakers.remove(ticket)?)));
        taken.collect()
    }
}

impl Counts {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Go(_) => self.granted += 1,
            Outcome::Refused(Refused::BackingOff { .. }) => self.refused_backing_off += 1,
            Outcome::Refused(Refused::PastDeadline { .. }) => self.refused_past_deadline += 1,
            Outcome::Refused(Refused::QueueFull { .. }) => self.refused_queue_full += 1,
            _ => {}
        }
    }
}
