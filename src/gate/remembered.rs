//! What a process keeps of a store: enough to pace by while the store is out of reach, and to tell a store that has lost its state.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    clock::{to_duration, to_ticks},
    ledger::{Command, Memory, Polling, Rules, View},
    local::{Guarded, Local},
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

impl Local {
    /// What to send to the store, with what is remembered of it.
    pub(super) fn order(&self, command: Command) -> Order {
        let mut guard = self.lock();
        guard.counts.store_orders += 1;
        let now = self.clock.now();
        let since = to_ticks(guard.remembered.elapsed());
        let slack = guard.delay + since / DRIFT + to_ticks(Duration::from_millis(1));
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
        if sent >= guarded.remembered {
            let now = self.clock.now();
            guarded.remembered = sent;
            guarded.delay = now - self.clock.ticks_at(sent);
            let Guarded { rules, state, .. } = guarded;
            state.adopt(rules, now, &view.memory);
        }
        guarded.seen = Some((*view, Instant::now()));
        drop(guard);
        telemetry::changed(self.name(), view.queued, view.memory.closed > 0);
        self.tell_of_change();
    }

    /// What the gate looks like, if the store looks like this now.
    pub(super) fn snapshot_of(&self, view: &View) -> Snapshot {
        let View {
            memory:
                Memory {
                    streak,
                    on_trial,
                    closed,
                    ..
                },
            interval,
            queued,
            next_turn,
        } = *view;
        Snapshot {
            interval: to_duration(interval),
            queued,
            next_turn: to_duration(next_turn),
            backoff_left: (closed > 0).then(|| to_duration(closed)),
            on_trial,
            streak,
            counts: self.lock().counts,
            out_of_reach: false,
        }
    }

    /// What the store looked like when it was last seen, as far as that has not passed.
    pub(super) fn last_seen(&self) -> Option<View> {
        let (view, seen) = self.lock().seen?;
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
