//! The rules of the gate as a pure state machine: no clock, no I/O, no lock.
//!
//! [`State::step`] is the one place where the rules live. Whoever keeps a state (a mutex in the process today) reads its clock, calls
//! `step` and acts on the [`Outcome`]. Times are whole ticks of that keeper's clock, in any unit, so the same rules run on
//! nanoseconds in memory and would run on microseconds in a store.
//!
//! A waiting caller holds a *place*, never a time. Its place is a [`Ticket`]: a number, given at its first request and kept until it
//! starts, leaves or is refused. With each place stands the time at which its owner will look again; only that second look can
//! grant the turn, on the clock of that moment. So a caller that leaves makes everyone behind it move up, one that wakes late
//! cannot come too close to the start before, and one that never looks again is passed over once its grace is spent.

mod closing;
#[cfg(test)]
mod model;
mod pace;
mod queue;
mod rules;
mod view;

use std::collections::BTreeMap;

use self::{
    closing::Closing,
    pace::{Opening, Pace},
    queue::Queue,
};
pub(crate) use self::{
    closing::Throttle,
    queue::{FRONT, Place, Ticket},
    rules::Rules,
};

/// A point in time or a length of time, in ticks of the keeper's clock. May be negative: clocks step.
pub(crate) type Tick = i64;

/// One turn that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    number: u64,
    /// How many back-offs had begun before it.
    round: u64,
    /// Whether others may wait for news of it.
    is_awaited: bool,
}

impl Grant {
    pub(crate) fn is_awaited(&self) -> bool {
        self.is_awaited
    }
}

/// What a caller asks or tells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Command {
    /// Ask for a turn: `ticket` is `None` the first time, then what the last [`Outcome::Wait`] or [`Outcome::Due`] gave.
    Take {
        ticket: Option<Ticket>,
        /// The longest wait that the caller's deadline leaves; negative when it has passed.
        max_wait: Tick,
        ask: Ask,
    },
    /// Give the place up.
    Leave(Ticket),
    /// The turn last spent has been used: its request started no later than now.
    Started,
    /// A turn that is still out has been answered as it should be.
    Answered(Grant),
    /// What became of a turn. It is out no more.
    Settle(Grant, Finding),
    /// The provider throttled a request that has no turn to its name.
    Throttled(Throttle),
    /// Open the gate and forget all back-offs.
    Reset,
}

/// What is to become of a turn that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// It is only reported as due, and the place kept.
    Look,
    /// It is spent.
    Spend,
    /// It is spent, and no other is given until it has been answered or settled.
    SpendAlone,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Answered,
    Throttled(Throttle),
    Unknown,
}

/// What the ledger answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The turn is spent: start now.
    Go(Grant),
    /// The turn may be spent now; the place is kept.
    Due(Ticket),
    /// Look again after `sleep`.
    Wait { ticket: Ticket, sleep: Tick },
    /// Refused, and no place is kept.
    Refused(Refused),
    /// The gate is closed, by a back-off that begins or by one that grows longer.
    Closed { is_new: bool, refused: Closed },
    /// Nothing to tell.
    Done,
}

/// Why a turn was refused. Each tells how long until it may be worth asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    BackingOff {
        left: Tick,
    },
    /// The turn would start this much after the deadline.
    PastDeadline {
        by: Tick,
    },
    /// Too many wait; the next of them starts after this.
    QueueFull {
        next: Tick,
    },
}

/// Whom a throttle has refused, and who are to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Everyone who waited. The places are handed out to be dropped where no lock is held.
    Everyone(BTreeMap<Ticket, Place>),
    These(Vec<Ticket>),
}

/// Everything that the gate remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pace: Pace,
    closing: Closing,
    queue: Queue,
    last_grant: u64,
    /// The turns that are out, where that matters.
    out: Vec<Out>,
}

/// A turn that was given and has not been settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Out {
    grant: Grant,
    /// When it counts as out no more.
    lease: Tick,
    /// Whether it was asked for that no other start meanwhile.
    alone: bool,
}

impl Command {
    pub(crate) fn is_throttle(&self) -> bool {
        matches!(
            self,
            Self::Throttled(_) | Self::Settle(_, Finding::Throttled(_))
        )
    }
}

impl State {
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
                        return self.close(rules, now, Some(grant.round), throttle);
                    }
                    Finding::Unknown => {}
                }
            }
            Command::Throttled(throttle) => return self.close(rules, now, None, throttle),
            Command::Reset => {
                self.closing.reset();
                self.pace.forget_widening();
            }
        }
        Outcome::Done
    }

    fn take(
        &mut self,
        rules: &Rules,
        now: Tick,
        ticket: Option<Ticket>,
        max_wait: Tick,
        ask: Ask,
    ) -> Outcome {
        let left = self.closing.until().saturating_sub(now).max(1);
        let backing_off = Outcome::Refused(Refused::BackingOff { left });
        // Who was refused when a back-off began is told so, even if it slept through all of it.
        let refused = ticket.is_some_and(|ticket| self.queue.is_refused(ticket));
        let closed = self.closing.is_closed(now);
        if refused || (closed && !rules.waits_while_closed) {
            self.queue.remove(ticket);
            return backing_off;
        }
        self.pass_over_late_owners(rules, now, ticket);
        if let Some(ticket) = ticket.filter(|_| max_wait > 0)
            && let Some(look) = self.queue.look_of_deep(ticket)
            // No later than the last in the queue would look: the clock may have been set back since it was told.
            && (now + 1..=self.look_of(rules, now, self.queue.len() - 1)).contains(&look)
        {
            let sleep = look - now;
            return Outcome::Wait { ticket, sleep };
        }
        let place = self.queue.place_of(ticket);
        let wait = self.start_of(rules, now, place).saturating_sub(now);
        if wait > max_wait {
            self.queue.remove(ticket);
            return match closed && left > max_wait {
                true => backing_off,
                false => Outcome::Refused(Refused::PastDeadline {
                    by: wait.saturating_sub(max_wait),
                }),
            };
        }
        let due = wait <= 0 && place < self.free(rules);
        if due && ask != Ask::Look {
            self.queue.remove(ticket);
            let alone = ask == Ask::SpendAlone;
            return Outcome::Go(self.grant(rules, now, alone));
        }
        if !due && max_wait <= 0 {
            self.queue.remove(ticket);
            let by = self.look_of(rules, now, place).saturating_sub(now).max(1);
            return Outcome::Refused(Refused::PastDeadline { by });
        }
        // Who is due waits for nobody, only for itself; of such there may be one.
        let bound = rules.max_queued.max(usize::from(due));
        if ticket.is_none() && self.queue.len() >= bound {
            let next = self.look_of(rules, now, 0).saturating_sub(now).max(1);
            return Outcome::Refused(Refused::QueueFull { next });
        }
        let latest = now.saturating_add(max_wait);
        if due {
            return Outcome::Due(self.hold_due_place(now, ticket, latest));
        }
        let look = self.look_of(rules, now, place).max(now + 1);
        let ticket = ticket.unwrap_or_else(|| self.queue.issue());
        self.queue.put(ticket, Place { look, latest });
        Outcome::Wait {
            ticket,
            sleep: look - now,
        }
    }

    /// Who is due and does not spend its turn yet keeps others waiting for its grace, counted once: asking again renews nothing.
    fn hold_due_place(&mut self, now: Tick, ticket: Option<Ticket>, latest: Tick) -> Ticket {
        let Some(ticket) = ticket else {
            let ticket = self.queue.issue();
            self.queue.put(ticket, Place { look: now, latest });
            return ticket;
        };
        if let Some(place) = self.queue.get_mut(ticket) {
            place.look = place.look.min(now);
        }
        ticket
    }

    fn grant(&mut self, rules: &Rules, now: Tick, alone: bool) -> Grant {
        self.pace.start(rules, self.opening(now));
        self.last_grant += 1;
        let grant = Grant {
            number: self.last_grant,
            round: self.closing.round,
            is_awaited: alone || self.closing.on_trial || rules.max_in_flight < usize::MAX,
        };
        if grant.is_awaited {
            self.out.push(Out {
                grant,
                lease: now.saturating_add(rules.lease),
                alone,
            });
        }
        grant
    }

    fn answered(&mut self, now: Tick, grant: Grant) {
        if !self.closing.answered(now, grant.round) {
            return;
        }
        for out in &mut self.out {
            out.alone &= out.grant != grant;
        }
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
        self.pace.widen(rules, self.closing.until());
        let opening = self.opening(now);
        let refused =
            match rules.waits_while_closed {
                false => Closed::Everyone(self.queue.void()),
                true => Closed::These(self.queue.refuse(|place, entry| {
                    self.pace.start_of(rules, opening, place) > entry.latest
                })),
            };
        Outcome::Closed { is_new, refused }
    }

    /// Those at the front of the queue whose next look comes later than their place now asks for, and who must be told to look sooner.
    /// Being told counts as looking then: who does not is late.
    pub(crate) fn hurry(&mut self, rules: &Rules, now: Tick) -> [Option<Ticket>; FRONT] {
        let mut told = [None; FRONT];
        for (place, entry) in self.queue.front().into_iter().enumerate() {
            let Some(ticket) = entry else { break };
            let wanted = self.look_of(rules, now, place).max(now);
            let Some(entry) = self.queue.get_mut(ticket) else {
                break;
            };
            if entry.look > wanted {
                entry.look = wanted;
                told[place] = Some(ticket);
            }
        }
        told
    }

    /// When the caller at `place` may start if everyone before it does so on time, and no turn that is out stands in the way.
    fn start_of(&self, rules: &Rules, now: Tick, place: usize) -> Tick {
        self.pace.start_of(rules, self.opening(now), place)
    }

    /// From when on callers may start, as far as back-offs go. After one there is no burst: the gate is to be tried first.
    fn opening(&self, now: Tick) -> Opening {
        Opening {
            at: self.closing.until().max(now),
            with_burst: !self.closing.on_trial,
        }
    }

    /// When the caller at `place` should look again: at its start, or sooner if by then the one before it counts as late.
    ///
    /// Who stands behind more callers than may be out at once must hear of one that is not, or wait for leases to end.
    fn look_of(&self, rules: &Rules, now: Tick, place: usize) -> Tick {
        let mut opening = self.opening(now);
        opening.at = opening.at.max(self.blocked_until(rules));
        if let Some(behind) = place.checked_sub(self.free(rules).max(1)) {
            let leases = 1 + behind / rules.max_in_flight;
            let leases = Tick::try_from(leases).unwrap_or(Tick::MAX);
            opening.at = opening
                .at
                .saturating_add(leases.saturating_mul(rules.lease));
        }
        let start_of = |place| self.pace.start_of(rules, opening, place);
        let before_is_late = match (place, self.queue.head()) {
            (0, _) | (1, None) => return start_of(place),
            (1, Some((_, head))) => head.look.max(self.due(rules)),
            _ => start_of(place - 1),
        };
        start_of(place).min(before_is_late.saturating_add(rules.grace + 1))
    }

    /// When the head's turn is due.
    fn due(&self, rules: &Rules) -> Tick {
        let open = self.closing.until().max(self.blocked_until(rules));
        self.pace.due(rules).max(open)
    }

    /// How many more turns may be out.
    fn free(&self, rules: &Rules) -> usize {
        let most = match (self.alone().next(), self.closing.on_trial) {
            (Some(_), _) => 0,
            (None, true) => 1,
            (None, false) => usize::MAX,
        };
        most.min(rules.max_in_flight.saturating_sub(self.out.len()))
    }

    /// Until when the turns that are out keep everyone else waiting, if nothing is heard of them.
    fn blocked_until(&self, rules: &Rules) -> Tick {
        let alone = self.alone().max();
        let full = self.out.len() >= rules.max_in_flight;
        let first_back = self.out.iter().map(|out| out.lease).min().filter(|_| full);
        alone.max(first_back).unwrap_or(Tick::MIN)
    }

    /// The leases of the turns beside which no other may start: those that asked for it, and those that try whether a back-off is over.
    fn alone(&self) -> impl Iterator<Item = Tick> {
        let Closing {
            on_trial, round, ..
        } = self.closing;
        let alone = self.out.iter();
        let alone = alone.filter(move |out| (out.alone || on_trial) && out.grant.round == round);
        alone.map(|out| out.lease)
    }

    /// Takes from the front whoever should have looked by now and has not. It keeps its number, so it comes back to its place when
    /// it does look.
    fn pass_over_late_owners(&mut self, rules: &Rules, now: Tick, except: Option<Ticket>) {
        let due = self.due(rules);
        while let Some((ticket, place)) = self.queue.head() {
            let late = place.look.max(due).saturating_add(rules.grace) < now;
            if !late || except == Some(ticket) {
                break;
            }
            self.queue.remove(Some(ticket));
        }
    }

    /// Keeps a clock that was set back from closing the gate for longer than the rules ever would, and forgets leases that have ended.
    /// Every step begins with this; a keeper that only looks does it first.
    pub(crate) fn bound_by_clock(&mut self, rules: &Rules, now: Tick) {
        self.closing.bound_by_clock(now);
        self.pace.bound_by_clock(rules, now, self.closing.until());
        let latest = now.saturating_add(rules.lease);
        self.out.retain(|out| out.lease > now);
        for out in &mut self.out {
            out.lease = out.lease.min(latest);
        }
    }
}
