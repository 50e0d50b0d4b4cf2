//! What a process keeps of a store: enough to pace by while the store is out of reach, and to tell a store that has lost its state.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    clock::{to_duration, to_ticks},
    guarded::Guarded,
    ledger::{Command, Outcome, Polling, Rules, Tick, View},
    local::Local,
    share::{Answer, Order, Sent},
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
    since: Tick,
    /// How long the store's answer took then.
    delay: Tick,
    /// The number of the order that the store has answered so.
    answered: u64,
    /// The number of the last order before this process last changed it by itself.
    changed: u64,
    /// What the store has last shown of itself, and when.
    seen: Option<(View, Instant)>,
}

impl Remembered {
    pub(super) fn new(now: Tick) -> Self {
        Self {
            since: now,
            delay: 0,
            answered: 0,
            changed: 0,
            seen: None,
        }
    }

    /// This process has given a turn by itself, or was told something that is not just of a turn. Orders up to `order` do not know of it,
    /// and what the store has last shown of itself shows nothing of it.
    pub(super) fn changed(&mut self, now: Tick, order: u64) {
        *self = Self {
            changed: order,
            ..Self::new(now)
        };
    }
}

impl Local {
    /// What to send to the store, with what is remembered of it; and the order's number.
    pub(super) fn order(&self, command: Command) -> (Order, u64) {
        let mut guard = self.lock();
        guard.counts.store_orders += 1;
        let now = self.clock.now();
        let Remembered { since, delay, .. } = guard.remembered;
        let slack = delay + (now - since) / DRIFT + to_ticks(Duration::from_millis(1));
        let order = Order {
            rules: guard.stored_rules(),
            memory: guard.state.memory(&guard.rules, now).less(slack),
            command,
        };
        (order, guard.counts.store_orders)
    }

    /// The rules by which the store is to go.
    pub(super) fn stored_rules(&self) -> Rules {
        self.lock().stored_rules()
    }

    pub(super) fn interval(&self) -> Duration {
        to_duration(self.lock().rules.interval)
    }

    /// Remembers what the store has answered, unless something newer is known.
    pub(super) fn learn(&self, answer: &Answer, sent: Sent) {
        let Answer { outcome, view, .. } = answer;
        let mut guard = self.lock();
        let Guarded {
            rules,
            state,
            remembered,
            ..
        } = &mut *guard;
        let now = self.clock.now();
        if sent.order > remembered.changed.max(remembered.answered) {
            let since = self.clock.ticks_at(sent.at);
            *remembered = Remembered {
                since,
                delay: now - since,
                answered: sent.order,
                changed: remembered.changed,
                seen: Some((*view, Instant::now())),
            };
            state.adopt(rules, now, &view.memory);
        } else if matches!(outcome, Outcome::Go(_)) {
            state.step(rules, now, Command::Started);
        }
        drop(guard);
        telemetry::changed(self.name(), view.queued, view.memory.closed > 0);
        self.tell_of_change();
    }

    /// A caller has been told this by the store.
    pub(super) fn count(&self, outcome: &Outcome) {
        self.lock().counts.add(outcome);
    }

    /// Whether this process has done or heard something that an order could not tell.
    pub(super) fn has_changed_since(&self, sent: Sent) -> bool {
        self.lock().remembered.changed >= sent.order
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

/// The longest that one who is about to start does not look at the store.
pub(super) fn longest_wait(interval: Duration) -> Duration {
    interval.max(Duration::from_millis(50))
}

impl Guarded {
    /// This process has changed its state by itself.
    pub(super) fn changed(&mut self, now: Tick) {
        self.remembered.changed(now, self.counts.store_orders);
    }

    fn stored_rules(&self) -> Rules {
        let interval = self.rules.interval;
        let longest_sleep = 2 * to_ticks(longest_wait(to_duration(interval)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::settings::Settings;

    #[test]
    fn callers_of_a_store_sleep_two_intervals_at_most_and_look_two_milliseconds_apart() {
        for (interval, stagger, longest_sleep) in [
            (2_500_000, 2_000, 5_000_000),
            (32_000, 2_000, 100_000),
            (16_000, 1_000, 100_000),
            (0, 0, 100_000),
        ] {
            let settings = Settings {
                interval: Duration::from_micros(interval),
                ..Settings::default()
            };
            let polling = Guarded::new(settings, 0).stored_rules().polling.unwrap();
            let micros = |ticks: Tick| to_duration(ticks).as_micros();
            assert_eq!(micros(polling.stagger), stagger);
            assert_eq!(micros(polling.longest_sleep), longest_sleep);
        }
    }
}
