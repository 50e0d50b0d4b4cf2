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

use std::collections::BTreeMap;

/// A point in time or a length of time, in ticks of the keeper's clock. May be negative: clocks step.
pub(crate) type Tick = i64;

/// What the rules are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The least time between two starts.
    pub(crate) interval: Tick,
    /// How long a throttle closes the gate.
    pub(crate) backoff: Tick,
    /// The longest that a throttle may close the gate, whatever the provider asks for.
    pub(crate) longest_backoff: Tick,
    /// How late the owner of a place may be before others pass it.
    pub(crate) grace: Tick,
}

/// A place in the queue. Smaller numbers go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ticket(u64);

/// What a caller asks of the ledger.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Command {
    /// Ask for a turn: `ticket` is `None` the first time, then what the last [`Outcome::Wait`] or [`Outcome::Due`] gave.
    Take {
        ticket: Option<Ticket>,
        /// The longest wait that the caller's deadline leaves; negative when it has passed.
        max_wait: Tick,
        /// Whether a turn that is due is spent, or only reported as due and its place kept.
        spend: bool,
    },
    /// Give the place up.
    Leave(Ticket),
    /// The turn last spent has been used: its request started no later than now.
    Started,
    /// The provider throttled a request and asked to be left alone for `at_least` (0: it named no time).
    Throttled { at_least: Tick },
}

/// What the ledger answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The turn is spent: start now.
    Go,
    /// The turn may be spent now; the place is kept.
    Due(Ticket),
    /// Look again after `sleep`.
    Wait { ticket: Ticket, sleep: Tick },
    /// Refused: the gate is closed for another `left`. The place is gone.
    BackingOff { left: Tick },
    /// Refused: the turn would start after the deadline. The place is gone.
    PastDeadline,
    /// Nothing to tell.
    Done,
}

/// Everything that the gate remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// No start before this: the last start plus one interval.
    next_start: Tick,
    /// No start before this: the end of the back-off.
    closed_until: Tick,
    last_ticket: u64,
    /// Tickets up to this one were in the queue when a back-off began, which emptied it.
    voided: u64,
    /// Every place in order, with the time at which its owner is to look again.
    queue: BTreeMap<Ticket, Tick>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            next_start: Tick::MIN,
            closed_until: Tick::MIN,
            last_ticket: 0,
            voided: 0,
            queue: BTreeMap::new(),
        }
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
                spend,
            } => self.take(rules, now, ticket, max_wait, spend),
            Command::Leave(ticket) => {
                self.queue.remove(&ticket);
                Outcome::Done
            }
            Command::Started => {
                self.next_start = self.next_start.max(now.saturating_add(rules.interval));
                Outcome::Done
            }
            Command::Throttled { at_least } => {
                let length = rules.backoff.max(at_least.min(rules.longest_backoff));
                self.closed_until = self.closed_until.max(now.saturating_add(length));
                self.voided = self.last_ticket;
                self.queue.clear();
                Outcome::Done
            }
        }
    }

    fn take(
        &mut self,
        rules: &Rules,
        now: Tick,
        ticket: Option<Ticket>,
        max_wait: Tick,
        spend: bool,
    ) -> Outcome {
        let voided = ticket.is_some_and(|ticket| ticket.0 <= self.voided);
        if self.closed_until > now || voided {
            self.forget(ticket);
            // A caller that slept through the whole back-off was refused when it began.
            let left = self.closed_until.saturating_sub(now).max(1);
            return Outcome::BackingOff { left };
        }
        self.pass_over_late_owners(rules, now, ticket);
        let place = self.place_of(ticket);
        let start = self.start_of(rules, now, place);
        if start.saturating_sub(now) > max_wait {
            self.forget(ticket);
            return Outcome::PastDeadline;
        }
        if start <= now && spend {
            self.forget(ticket);
            self.next_start = now.saturating_add(rules.interval);
            return Outcome::Go;
        }
        if start <= now {
            return Outcome::Due(self.hold_due_place(now, ticket));
        }
        let ticket = ticket.unwrap_or_else(|| self.issue_ticket());
        let look = self.look_of(rules, now, place).max(now + 1);
        self.queue.insert(ticket, look);
        Outcome::Wait {
            ticket,
            sleep: look - now,
        }
    }

    /// Who is due and does not spend its turn yet keeps others waiting for its grace, counted once: asking again renews nothing.
    fn hold_due_place(&mut self, now: Tick, ticket: Option<Ticket>) -> Ticket {
        let Some(ticket) = ticket else {
            let ticket = self.issue_ticket();
            self.queue.insert(ticket, now);
            return ticket;
        };
        if let Some(look) = self.queue.get_mut(&ticket) {
            *look = now.min(*look);
        }
        ticket
    }

    /// The first two in the queue whose next look comes later than their place now asks for, and who must be told to look sooner.
    /// Being told counts as looking then: who does not is late.
    pub(crate) fn hurry(&mut self, rules: &Rules, now: Tick) -> [Option<Ticket>; 2] {
        let mut told = [None; 2];
        let front = self.front();
        for (place, entry) in front.into_iter().enumerate() {
            let Some((ticket, look)) = entry else { break };
            let wanted = self.look_of(rules, now, place);
            if look > wanted {
                self.queue.insert(ticket, wanted.max(now));
                told[place] = Some(ticket);
            }
        }
        told
    }

    /// How long a caller that came now would wait for its turn.
    pub(crate) fn wait_of_newcomer(&self, rules: &Rules, now: Tick) -> Tick {
        self.start_of(rules, now, self.queue.len())
            .saturating_sub(now)
    }

    /// What is left of the back-off; 0 when the gate is open.
    pub(crate) fn backoff_left(&self, rules: &Rules, now: Tick) -> Tick {
        let left = self.closed_until.saturating_sub(now);
        left.clamp(0, rules.longest_backoff)
    }

    /// How many places are taken.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// When the caller at `place` (0 is the head) may start if everyone before it does so on time.
    fn start_of(&self, rules: &Rules, now: Tick, place: usize) -> Tick {
        let head = self.due().max(now);
        let ahead = Tick::try_from(place).unwrap_or(Tick::MAX);
        head.saturating_add(ahead.saturating_mul(rules.interval))
    }

    /// When the caller at `place` should look again: at its start, or sooner if by then the one before it counts as late.
    fn look_of(&self, rules: &Rules, now: Tick, place: usize) -> Tick {
        let start = self.start_of(rules, now, place);
        let before_is_late = match place {
            0 => return start,
            1 => self.front()[0].map_or(start, |(_, look)| look.max(self.due())),
            _ => self.start_of(rules, now, place - 1),
        };
        start.min(before_is_late.saturating_add(rules.grace + 1))
    }

    /// When the head's turn is due.
    fn due(&self) -> Tick {
        self.next_start.max(self.closed_until)
    }

    fn front(&self) -> [Option<(Ticket, Tick)>; 2] {
        let mut queue = self.queue.iter().map(|(&ticket, &look)| (ticket, look));
        [queue.next(), queue.next()]
    }

    /// Takes from the front whoever should have looked by now and has not. It keeps its number, so it comes back to its place when
    /// it does look.
    fn pass_over_late_owners(&mut self, rules: &Rules, now: Tick, except: Option<Ticket>) {
        while let Some((ticket, look)) = self.front()[0] {
            let late = look.max(self.due()).saturating_add(rules.grace) < now;
            if !late || except == Some(ticket) {
                break;
            }
            self.queue.remove(&ticket);
        }
    }

    fn place_of(&self, ticket: Option<Ticket>) -> usize {
        match ticket {
            Some(ticket) => self.queue.range(..ticket).count(),
            None => self.queue.len(),
        }
    }

    fn issue_ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        Ticket(self.last_ticket)
    }

    fn forget(&mut self, ticket: Option<Ticket>) {
        if let Some(ticket) = ticket {
            self.queue.remove(&ticket);
        }
    }

    /// Keeps a clock that was set back from closing the gate for longer than the rules ever would. Every step begins with this; a
    /// keeper that only looks does it first.
    pub(crate) fn bound_by_clock(&mut self, rules: &Rules, now: Tick) {
        let latest_end = now.saturating_add(rules.longest_backoff);
        self.closed_until = self.closed_until.min(latest_end);
        let latest_start = now.saturating_add(rules.interval);
        self.next_start = self.next_start.min(latest_start);
    }
}
