//! Holds a log against what is promised, and counts what was lost.

use std::time::Duration;

use super::log::{Entry, Event, ticks};
use crate::gate::ledger::Tick;

#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) starts: usize,
    pub(super) backoffs: usize,
    pub(super) kills: usize,
    pub(super) stops: usize,
    /// Starts less than an interval after the one before, on the store's clock.
    pub(super) too_close: usize,
    pub(super) in_backoff: usize,
    /// Starts of callers who had asked before one that started before them.
    pub(super) out_of_order: usize,
    /// How often a process could not reach the store.
    pub(super) lost_reach: usize,
    /// How many more could have started, had everyone done so on time.
    pub(super) idle_turns: usize,
    /// The longest that nobody started, and might have.
    pub(super) longest_idle: Duration,
    /// From the first start to the last.
    pub(super) span: Duration,
}

impl Findings {
    pub(super) fn of(mut entries: Vec<Entry>, interval: Duration) -> Self {
        let interval = ticks(interval);
        entries.sort_by_key(|entry| entry.at);
        let mut findings = Self::default();
        let (mut last, mut closed_until, mut last_ticket) = (None::<Tick>, Tick::MIN, 0);
        let mut first = None;
        for Entry { at, event } in entries {
            match event {
                Event::Unreachable => findings.lost_reach += 1,
                Event::Closed { left } => {
                    findings.backoffs += 1;
                    closed_until = closed_until.max(at + left);
                }
                Event::Start { ticket } => {
                    findings.starts += 1;
                    findings.in_backoff += usize::from(at < closed_until);
                    if let Some(last) = last {
                        findings.too_close += usize::from(at - last < interval);
                        findings.idle(at - closed_until.max(last + interval), interval);
                    }
                    if let Some(ticket) = ticket {
                        findings.out_of_order += usize::from(ticket < last_ticket);
                        last_ticket = last_ticket.max(ticket);
                    }
                    last = Some(at);
                    let span = at - *first.get_or_insert(at);
                    findings.span = Duration::from_nanos(span.unsigned_abs());
                }
            }
        }
        findings
    }

    /// Nobody started for this long although somebody could have. A part of a turn does not count as one.
    fn idle(&mut self, time: Tick, interval: Tick) {
        let time = time.max(0);
        self.idle_turns += usize::try_from(time / interval).unwrap();
        let time = Duration::from_nanos(time.unsigned_abs());
        self.longest_idle = self.longest_idle.max(time);
    }
}

#[test]
fn what_breaks_a_promise_is_found() {
    let start = |at, ticket| Entry {
        at,
        event: Event::Start { ticket },
    };
    let closed = Entry {
        at: 210,
        event: Event::Closed { left: 100 },
    };
    let interval = Duration::from_nanos(100);
    let sound = vec![
        start(0, None),
        start(100, Some(1)),
        start(200, Some(2)),
        closed,
        start(310, Some(3)),
    ];
    let findings = Findings::of(sound.clone(), interval);
    let broken = (
        findings.too_close,
        findings.in_backoff,
        findings.out_of_order,
    );
    assert_eq!((broken, findings.starts), ((0, 0, 0), 4));

    let mut broken = sound;
    broken.extend([
        start(150, Some(9)),
        start(250, Some(10)),
        start(620, Some(11)),
    ]);
    let findings = Findings::of(broken, interval);
    assert_eq!(
        (
            findings.too_close,
            findings.in_backoff,
            findings.out_of_order
        ),
        (4, 1, 2)
    );
    assert_eq!(
        (findings.idle_turns, findings.longest_idle),
        (2, Duration::from_nanos(210))
    );
}
