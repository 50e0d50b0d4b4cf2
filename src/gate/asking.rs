//! What a caller of a shared gate has to do with its store.

use std::{
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::time::Instant;

use super::{
    clock::to_ticks,
    ledger::{Ask, Command, Finding, Outcome},
    share::{Pending, Shared, WhileUnreachable},
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

    pub(super) fn take_pending(&mut self) -> Option<Pending> {
        Some(self.asking.take()?.pending)
    }
}

impl Waiter<'_> {
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
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    home.loses(&error);
                    continue;
                }
            };
            home.learn(&answer, sent);
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
                }
                Outcome::Go(grant)
                    if !home.is_fresh(sent) && self.stored.stale_turns < MOST_STALE_TURNS =>
                {
                    self.stored.stale_turns += 1;
                    if grant.is_awaited() {
                        home.tell(Command::Settle(grant, Finding::Unknown));
                    }
                    continue;
                }
                _ => self.stored.has_place = false,
            }
            return Poll::Ready(Told::Outcome(answer.outcome, Some(sent)));
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

    fn ask_store(&mut self, shared: &Shared, ask: Ask, latest: Instant) {
        let local = &self.gate.home.local;
        if !self.stored.has_place
            && let Some(ticket) = self.ticket.take()
        {
            local.give_up(ticket);
        }
        let now = Instant::now();
        let late = to_ticks(now.saturating_duration_since(latest));
        let command = Command::Take {
            ticket: self.ticket,
            max_wait: to_ticks(latest.saturating_duration_since(now)) - late,
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
        }
        match shared.while_unreachable {
            WhileUnreachable::PaceAlone => self.told_here(cx, ask, latest),
            WhileUnreachable::Refuse => Told::Unreachable(shared.reach.again()),
        }
    }
}
