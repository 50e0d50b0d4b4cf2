//! What the store did, as every process saw it: a line for each start and each back-off, in a file that all append to.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
    sync::Arc,
    time::Duration,
};

use crate::gate::{
    ledger::{Command, Outcome, Rules, Tick, View},
    share::{Answer, Applying, Order, Store},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Somebody started, in its first place if it did not have to wait.
    Start { ticket: Option<i64> },
    /// Nobody may start for as long.
    Closed { left: Tick },
    /// The store was out of reach.
    Unreachable,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// On the store's clock.
    pub(super) at: Tick,
    pub(super) event: Event,
}

/// A store, and a log of what it does.
#[derive(Debug)]
pub(super) struct Logged {
    store: Arc<dyn Store>,
    log: Arc<File>,
}

impl Logged {
    pub(super) fn new(store: Arc<dyn Store>, log: &Path) -> Self {
        let log = OpenOptions::new().append(true).create(true).open(log);
        Self {
            store,
            log: Arc::new(log.unwrap()),
        }
    }
}

impl Store for Logged {
    fn apply(self: Arc<Self>, order: Order) -> Applying {
        let command = order.command;
        let applying = Arc::clone(&self.store).apply(order);
        let log = Arc::clone(&self.log);
        Box::pin(async move {
            let answer = applying.await;
            if let Some(entry) = entry(command, answer.as_ref().ok()) {
                // One write, so that lines of different processes do not mix.
                (&*log).write_all(entry.line().as_bytes()).unwrap();
            }
            answer
        })
    }

    fn look(&self, rules: &Rules) -> Option<View> {
        self.store.look(rules)
    }
}

fn entry(command: Command, answer: Option<&Answer>) -> Option<Entry> {
    let Some(answer) = answer else {
        let event = Event::Unreachable;
        return Some(Entry { at: 0, event });
    };
    let event = match (&answer.outcome, command) {
        (Outcome::Go(_), Command::Take { ticket, .. }) => Event::Start {
            ticket: ticket.map(|ticket| ticket.word()),
        },
        (Outcome::Closed { .. }, _) => Event::Closed {
            left: answer.view.memory.closed,
        },
        _ => return None,
    };
    Some(Entry {
        at: answer.at,
        event,
    })
}

impl Entry {
    fn line(self) -> String {
        let (name, number) = match self.event {
            Event::Start { ticket } => ("start", ticket.unwrap_or(0)),
            Event::Closed { left } => ("closed", left),
            Event::Unreachable => ("unreachable", 0),
        };
        format!("{name} {} {number}\n", self.at)
    }

    /// `None` for a line that was cut off when its process was killed.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_suffix('\n')?.split(' ');
        let (name, at, number) = (words.next()?, words.next()?, words.next()?);
        let (at, number) = (at.parse().ok()?, number.parse().ok()?);
        let event = match name {
            "start" => Event::Start {
                ticket: (number != 0).then_some(number),
            },
            "closed" => Event::Closed { left: number },
            "unreachable" => Event::Unreachable,
            _ => return None,
        };
        Some(Self { at, event })
    }
}

pub(super) fn ticks(time: Duration) -> Tick {
    Tick::try_from(time.as_nanos()).unwrap()
}
