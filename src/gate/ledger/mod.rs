//! The rules of the gate as a pure state machine: no clock, no I/O, no lock.
//!
//! A [`Command`] goes in, an [`Outcome`] comes out, and [`State::step`] is the one place where the rules live. Whoever keeps a state (a
//! mutex in the process, a locked file) reads its clock, calls `step` and acts on the outcome. Times are whole ticks of that keeper's
//! clock, in any unit: nanoseconds in this process and in a file, microseconds in the script that does the same on Redis.
//!
//! A waiting caller holds a *place*, never a time. Its place is a [`Ticket`]: a number, given at its first request and kept until it
//! starts, leaves or is refused. With each place stands the time at which its owner will look again; only that second look can
//! grant the turn, on the clock of that moment. So a caller that leaves makes everyone behind it move up, one that wakes late
//! cannot come too close to the start before, and one that never looks again is passed over once its grace is spent.

mod closing;
mod command;
#[cfg(test)]
mod explore;
mod look;
mod memory;
#[cfg(test)]
mod model;
mod out;
mod pace;
mod queue;
#[cfg(any(test, feature = "file"))]
mod record;
mod rules;
mod take;
mod view;
#[cfg(any(test, feature = "file", feature = "redis"))]
mod words;

use self::{closing::Closing, out::Out, pace::Pace, queue::Queue};
pub(crate) use self::{
    closing::Throttle,
    command::{Ask, Closed, Command, Finding, Grant, Outcome, Refused},
    memory::Memory,
    queue::{Entry, FRONT, Ticket},
    rules::{Polling, Rules},
    view::View,
};

/// A point in time or a length of time, in ticks of the keeper's clock. May be negative: clocks step.
pub(crate) type Tick = i64;

/// When what has never been counts as having been: longer ago than anything that rules are set to, and than any step of a clock.
fn long_before(now: Tick) -> Tick {
    now.saturating_sub(1 << 50)
}

/// Everything that the gate remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// When it was made. What comes from a state that was lost shows by this.
    born: Tick,
    pace: Pace,
    closing: Closing,
    queue: Queue,
    last_grant: u64,
    /// The turns that are out, where that matters.
    out: Vec<Out>,
}

impl State {
    /// Open, and nobody has ever started.
    pub(crate) fn new(rules: &Rules, now: Tick) -> Self {
        Self {
            born: now,
            pace: Pace::new(rules, now),
            closing: Closing::new(now),
            queue: Queue::new(now),
            last_grant: 0,
            out: Vec::new(),
        }
    }

    /// Applies one command at the time `now`.
    pub(crate) fn step(&mut self, rules: &Rules, now: Tick, command: Command) -> Outcome {
        self.bound_by_clock(rules, now);
        match command {
            Command::Take {
                ticket,
                max_wait,
                ask,
            } => return self.take(rules, now, ticket, max_wait, ask),
            Command::Leave(ticket) => self.queue.remove(Some(ticket)),
            Command::Started => self.pace.started(rules, now),
            Command::Answered(grant) => self.answered(now, grant),
            Command::Settle(grant, finding) => {
                self.out.retain(|out| out.grant != grant);
                match finding {
                    Finding::Answered => self.answered(now, grant),
                    Finding::Throttled(throttle) => {
                        return self.close(rules, now, self.round_of(grant), throttle);
                    }
                    Finding::Unknown => {}
                }
            }
            Command::Throttled(throttle) => return self.close(rules, now, None, throttle),
            Command::Reset => {
                self.closing.reset(now);
                self.pace.forget_widening(now);
            }
        }
        Outcome::Done
    }

    /// `None` for a turn that a lost state gave.
    fn round_of(&self, grant: Grant) -> Option<u64> {
        (grant.born == self.born).then_some(grant.round)
    }

    fn close(
        &mut self,
        rules: &Rules,
        now: Tick,
        round: Option<u64>,
        throttle: Throttle,
    ) -> Outcome {
        let Some(is_new) = self.closing.close(rules, now, round, throttle) else {
            return Outcome::Done;
        };
        self.pace.widen(rules, self.closing.until);
        let opening = self.opening(now);
        let refused = match rules.waits_while_closed {
            false => Closed::Everyone(self.queue.void()),
            true => Closed::These(self.queue.refuse(rules.max_queued, |place, entry| {
                self.pace.start_of(rules, opening, place) > entry.latest
            })),
        };
        Outcome::Closed { is_new, refused }
    }

    /// Counts what was kept under other rules by these, forgets leases that have ended, and keeps a clock that was set back from closing
    /// the gate for longer than the rules ever would.
    ///
    /// Every step begins with this; a keeper that only looks does it first.
    pub(crate) fn bound_by_clock(&mut self, rules: &Rules, now: Tick) {
        self.pace.recount(rules.interval);
        self.closing.bound_by_clock(now);
        self.pace.bound_by_clock(rules, now, self.closing.until);
        let latest = now.saturating_add(rules.lease);
        self.out.retain(|out| out.lease > now);
        for out in &mut self.out {
            out.lease = out.lease.min(latest);
        }
    }

    /// New rules hold from now on, for who waits too: what was counted from the last start is counted anew.
    pub(crate) fn change_rules(&mut self, now: Tick, old: &Rules, new: &Rules) {
        self.bound_by_clock(old, now);
        self.pace.recount(new.interval);
    }
}
