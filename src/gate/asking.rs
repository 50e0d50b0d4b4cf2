//! What a caller of a shared gate has to do with its store.

use std::{
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::time::Instant;

use super::{
    ledger::{Ask, Command, Finding, Outcome, Ticket},
    remembered::longest_wait,
    share::{Pending, Sent, Shared, WhileUnreachable},
    waiter::{Told, Waiter},
};

/// How often a turn that came late from the store is given back for a fresher one before one is used as it is.
const MOST_STALE_TURNS: u8 = 3;

/// How a caller stands with the store.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// Whether the place that its ticket stands for is in the store, and not in this process.
    pub(super) has_place: bool,
    asking: Option<Asking>,
    /// When it is to look, if it is not woken before.
    look: Option<Instant>,
    /// Until when a turn that was due is taken to be so still, if it is not woken before.
    due: Option<Instant>,
    stale_turns: u8,
}

/// A question that has not been answered.
#[derive(Debug)]
struct Asking {
    pending: Pending,
    ask: Ask,
}

impl Stored {
    pub(super) fn sleeps_until(&mut self, look: Instant) {
        self.look = self.has_place.then_some(look);
    }

    /// When to ask again whether a turn that was due is so still.
    pub(super) fn looks_again(&self) -> Option<Instant> {
        self.due
    }

    pub(super) fn take_pending(&mut self) -> Option<Pending> {
        Some(self.asking.take()?.pending)
    }
}

impl Waiter<'_> {
    /// Whether it has asked a store, and not heard.
    pub(crate) fn is_asking(&self) -> bool {
        self.stored.asking.is_some()
    }

    /// Whether it has asked a store for a turn to be spent, and not heard. It must be able to use it in the poll in which it hears.
    pub(crate) fn is_spending(&self) -> bool {
        let asking = self.stored.asking.as_ref();
        asking.is_some_and(|asking| asking.ask != Ask::Look)
    }

    /// What the store says; or, while that is out of reach, what this process says by itself.
    pub(super) fn poll_told_by_store(
        &mut self,
        cx: &mut Context<'_>,
        shared: &Shared,
        ask: Ask,
        latest: Instant,
    ) -> Poll<Told> {
        ready!(self.poll_look(cx, shared));
        if let Some(ticket) = self.still_due(cx, shared, ask) {
            return Poll::Ready(Told::Outcome(Outcome::Due(ticket), None));
        }
        let home = Arc::clone(&self.gate.home);
        loop {
            let Some(asking) = &mut self.stored.asking else {
                if !shared.reach.may_try() {
                    return Poll::Ready(self.told_without_store(cx, shared, ask, latest));
                }
                self.ask_store(shared, ask, latest);
                continue;
            };
            let answer = ready!(asking.pending.poll(cx));
            let (sent, asked) = (asking.pending.sent, asking.ask);
            self.stored.asking = None;
            let Some(answer) = home.hear(answer, sent) else {
                continue;
            };
            self.give_up_local_place();
            match answer.outcome {
                Outcome::Wait { ticket, .. } => {
                    self.stored.has_place = true;
                    shared.sleep(ticket, cx.waker());
                }
                Outcome::Due(ticket) => {
                    self.stored.has_place = true;
                    if ask != asked {
                        self.ticket = Some(ticket);
                        continue;
                    }
                    let holds = Instant::now() + longest_wait(home.local.interval());
                    self.stored.due = Some(holds.min(latest));
                    shared.sleep(ticket, cx.waker());
                }
                Outcome::Go(grant) if self.is_too_late(sent) => {
                    if grant.is_awaited() {
                        home.tell(Command::Settle(grant, Finding::Unknown));
                    }
                    continue;
                }
                _ => self.stored.has_place = false,
            }
            home.local.count(&answer.outcome);
            return Poll::Ready(Told::Outcome(answer.outcome, Some(sent.at)));
        }
    }

    /// Asking costs a way to the store, so it is not done whenever a task is polled for something else.
    fn poll_look(&mut self, cx: &mut Context<'_>, shared: &Shared) -> Poll<()> {
        if let (Some(look), Some(ticket)) = (self.stored.look, self.ticket) {
            if shared.sleeps(ticket, cx.waker()) {
                ready!(self.poll_timer(cx, look));
                shared.awake(ticket);
            }
            self.stored.look = None;
        }
        Poll::Ready(())
    }

    /// One whose client is not ready is polled for that. It need not ask each time whether its turn is still due: that shows when
    /// the turn is spent.
    fn still_due(&mut self, cx: &Context<'_>, shared: &Shared, ask: Ask) -> Option<Ticket> {
        let (due, ticket) = (self.stored.due?, self.ticket?);
        if ask == Ask::Look && Instant::now() < due && shared.sleeps(ticket, cx.waker()) {
            return Some(ticket);
        }
        self.stored.due = None;
        shared.awake(ticket);
        None
    }

    /// Whether a turn that the store gives now comes too late to be used.
    fn is_too_late(&mut self, sent: Sent) -> bool {
        let home = &self.gate.home;
        let is_stale = !home.is_fresh(sent.at) && self.stored.stale_turns < MOST_STALE_TURNS;
        self.stored.stale_turns += u8::from(is_stale);
        // Another may have started here, while the store seemed to be out of reach; or was throttled.
        is_stale || home.local.has_changed_since(sent)
    }

    /// A place in this process is kept until the store has answered: it may still be out of reach.
    pub(super) fn give_up_local_place(&mut self) {
        if !self.stored.has_place
            && let Some(ticket) = self.ticket.take()
        {
            self.gate.home.local.give_up(ticket);
        }
    }

    fn ask_store(&mut self, shared: &Shared, ask: Ask, latest: Instant) {
        let local = &self.gate.home.local;
        let command = Command::Take {
            ticket: self.ticket.filter(|_| self.stored.has_place),
            max_wait: local.clock.ticks_at(latest) - local.clock.now(),
            ask,
        };
        let pending = shared.send(local.order(command));
        self.stored.asking = Some(Asking { pending, ask });
    }

    fn told_without_store(
        &mut self,
        cx: &Context<'_>,
        shared: &Shared,
        ask: Ask,
        latest: Instant,
    ) -> Told {
        if std::mem::take(&mut self.stored.has_place)
            && let Some(ticket) = self.ticket.take()
        {
            shared.awake(ticket);
            self.stored.due = None;
        }
        match shared.while_unreachable {
            WhileUnreachable::PaceAlone => self.told_here(cx, ask, latest),
            WhileUnreachable::Refuse => Told::Unreachable(shared.reach.again()),
        }
    }
}
