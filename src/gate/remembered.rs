//! What a process keeps of a store: enough to pace by while the store is out of reach, and to tell a store that has lost its state.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    clock::{to_duration, to_ticks},
    guarded::Guarded,
    ledger::{Command, Polling, Rules, Tick, View},
    local::Local,
    share::{Answer, Order},
    snapshot::Snapshot,
};
use crate::telemetry;

/// How much two clocks may drift apart: a part in so many, far more than quartz does.
const DRIFT: i64 = 256;

/// How much later than the one before it the next caller in the queue looks: more than a turn's way to a store and back.
const STAGGER: Duration = Duration::from_millis(2);

/// How many callers behind the head may vanish at once at no cost but their grace. Each one more costs everyone another look for each turn.
const WINDOW: usize = 4;

/// How far what a process keeps of a store can be relied on.
#[derive(Debug)]
pub(super) struct Remembered {
    /// When it was last changed: by this process, or by the store's answer to what was asked then.
    pub(super) since: Instant,
    /// How long the store's answer took then.
    delay: Tick,
    /// What the store has last shown of itself, and when.
    seen: Option<(View, Instant)>,
}

impl Remembered {
    pub(super) fn now() -> Self {
        Self {
            since: Instant::now(),
            delay: 0,
            seen: None,
        }
    }
}

impl Local {
    /// What to send to the store, with what is remembered of it.
    pub(super) fn order(&self, command: Command) -> Order {
        let mut guard = self.lock();
        guard.counts.store_orders += 1;
        let now = self.clock.now();
        let Remembered { since, delay, .. } = guard.remembered;
        let since = to_ticks(since.elapsed());
        let slack = delay + since / DRIFT + to_ticks(Duration::from_millis(1));
        Order {
            rules: guard.stored_rules(),
            memory: guard.state.memory(&guard.rules, now).less(slack),
            command,
        }
    }

    /// The rules by which the store is to go.
    pub(super) fn stored_rules(&self) -> Rules {
        self.lock().stored_rules()
    }

    pub(super) fn interval(&self) -> Duration {
        to_duration(self.lock().rules.interval)
    }

    /// Remembers what the store has answered to what was asked at `sent`, unless something newer is known.
    pub(super) fn learn(&self, answer: &Answer, sent: Instant) {
        let Answer { outcome, view, .. } = answer;
        let mut guard = self.lock();
        let guarded = &mut *guard;
        guarded.counts.add(outcome);
        if sent >= guarded.remembered.since {
            let now = self.clock.now();
            guarded.remembered.since = sent;
            guarded.remembered.delay = now - self.clock.ticks_at(sent);
            let Guarded { rules, state, .. } = guarded;
            state.adopt(rules, now, &view.memory);
        }
        guarded.remembered.seen = Some((*view, Instant::now()));
        drop(guard);
        telemetry::changed(self.name(), view.queued, view.memory.closed > 0);
        self.tell_of_change();
    }

    /// What the gate looks like, if the store looks like this now.
    pub(super) fn snapshot_of(&self, view: &View) -> Snapshot {
        Snapshot::new(view, self.lock().counts)
    }

    /// What the store looked like when it was last seen, as far as that has not passed.
    pub(super) fn last_seen(&self) -> Option<View> {
        let (view, seen) = self.lock().remembered.seen?;
        let since = to_ticks(seen.elapsed());
        Some(View {
            memory: view.memory.less(since),
            next_turn: view.next_turn.saturating_sub(since).max(0),
            ..view
        })
    }
}

impl Guarded {
    fn stored_rules(&self) -> Rules {
        let interval = self.rules.interval;
        let longest_sleep = to_ticks(Duration::from_millis(100)).max(2 * interval);
        Rules {
            polling: Some(Polling {
                window: WINDOW,
                stagger: to_ticks(STAGGER).min(interval / 16),
                longest_sleep,
            }),
            ..self.rules.clone()
        }
    }
}
