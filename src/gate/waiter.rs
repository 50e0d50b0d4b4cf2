use std::{
    borrow::Cow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    Refusal, SearchGate, Turn,
    clock::to_duration,
    ledger::{Ask, Grant, Outcome, Refused, Ticket},
};
use crate::telemetry::{Ended, Wait};

/// What tokio's timers may add to a wait: a caller whose turn is due exactly at its deadline is not refused for that.
const TIMER_RESOLUTION: Duration = Duration::from_millis(1);

/// One caller's wait for a turn: its place in the queue, given up when this is dropped.
///
/// It takes its place when it is first polled.
#[derive(Debug)]
pub(crate) struct Waiter<'a> {
    gate: Cow<'a, SearchGate>,
    deadline: Instant,
    ticket: Option<Ticket>,
    /// Boxed when first needed, so that one who goes at once, or is refused, has none.
    timer: Option<Pin<Box<Sleep>>>,
    retry_after: Duration,
    /// Begun with the first poll.
    wait: Option<Wait>,
}

impl<'a> Waiter<'a> {
    pub(crate) fn new(gate: Cow<'a, SearchGate>, deadline: Instant) -> Self {
        Self {
            gate,
            deadline,
            ticket: None,
            timer: None,
            retry_after: Duration::ZERO,
            wait: None,
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// After a refusal: how long until it may be worth asking again.
    pub(crate) fn retry_after(&self) -> Duration {
        self.retry_after
    }

    /// Waits until the turn is due and spends it; `alone` as [`Ask::SpendAlone`] has it.
    pub(crate) fn poll_turn(
        &mut self,
        cx: &mut Context<'_>,
        alone: bool,
    ) -> Poll<Result<Turn, Refusal>> {
        let grant = ready!(self.poll_grant(cx, alone));
        Poll::Ready(grant.map(|grant| Turn::new(self.gate.clone().into_owned(), grant)))
    }

    /// The same without a receipt: who takes the grant settles it.
    pub(super) fn poll_grant(
        &mut self,
        cx: &mut Context<'_>,
        alone: bool,
    ) -> Poll<Result<Grant, Refusal>> {
        let ask = match alone {
            true => Ask::SpendAlone,
            false => Ask::Spend,
        };
        let grant = ready!(self.poll_until(cx, ask, self.latest_look()));
        Poll::Ready(grant.map(|grant| grant.expect("meant to be spent")))
    }

    /// Whether this caller, who has not asked yet, could start at once. It takes no place by asking this.
    pub(crate) fn may_start_at_once(&self) -> bool {
        self.ticket.is_none() && self.gate.local.is_free()
    }

    /// Waits until the turn is due, and leaves it to [`poll_turn`](Self::poll_turn) to spend it.
    ///
    /// Who does not spend it soon is passed over. It keeps its number: whenever a turn is due it may still spend that one.
    pub(crate) fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        let due = ready!(self.poll_until(cx, Ask::Look, self.latest_look()));
        Poll::Ready(due.map(drop))
    }

    /// For a caller whose turn is due while something else keeps it from starting: refused once its deadline has passed.
    pub(crate) fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        let over = self.deadline.checked_add(TIMER_RESOLUTION);
        ready!(self.poll_timer(cx, over.unwrap_or(self.deadline)));
        let refused = ready!(self.poll_until(cx, Ask::Look, self.deadline));
        Poll::Ready(refused.map(drop))
    }

    /// A newcomer is held to its deadline; one that waited is not refused for what its timer added.
    fn latest_look(&self) -> Instant {
        let late = self.deadline.checked_add(TIMER_RESOLUTION);
        match self.ticket {
            None => self.deadline,
            Some(_) => late.unwrap_or(self.deadline),
        }
    }

    /// The turn, or `None` when it is due and not to be spent.
    fn poll_until(
        &mut self,
        cx: &mut Context<'_>,
        ask: Ask,
        latest: Instant,
    ) -> Poll<Result<Option<Grant>, Refusal>> {
        self.wait.get_or_insert_with(Wait::begin);
        loop {
            let ledger = &self.gate.local;
            let refused = match ledger.take(self.ticket, latest, ask, cx.waker()) {
                Outcome::Wait { ticket, sleep } => {
                    self.ticket = Some(ticket);
                    let look = Instant::now() + to_duration(sleep);
                    ready!(self.poll_timer(cx, look.min(latest)));
                    continue;
                }
                Outcome::Due(ticket) => {
                    self.ticket = Some(ticket);
                    return Poll::Ready(Ok(None));
                }
                Outcome::Go(grant) => {
                    self.ticket = None;
                    self.ended(Ended::Granted);
                    return Poll::Ready(Ok(Some(grant)));
                }
                Outcome::Refused(refused) => refused,
                Outcome::Closed { .. } | Outcome::Done => unreachable!("no answer to a caller"),
            };
            self.ticket = None;
            return Poll::Ready(Err(self.explain(refused)));
        }
    }

    fn explain(&mut self, refused: Refused) -> Refusal {
        let (refusal, retry_after, ended) = match refused {
            Refused::BackingOff { left } => {
                let refusal = Refusal::BackingOff(to_duration(left));
                (refusal, left, Ended::BackingOff)
            }
            Refused::PastDeadline { by } => (Refusal::PastDeadline, by, Ended::PastDeadline),
            Refused::QueueFull { next } => (Refusal::PastDeadline, next, Ended::QueueFull),
        };
        self.ended(ended);
        self.retry_after = to_duration(retry_after);
        refusal
    }

    fn ended(&self, how: Ended) {
        if let Some(wait) = self.wait {
            wait.ended(self.gate.local.name(), how);
        }
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>, until: Instant) -> Poll<()> {
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() != until {
            timer.as_mut().reset(until);
        }
        timer.as_mut().poll(cx)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.gate.local.leave(ticket);
            self.ended(Ended::Cancelled);
        }
    }
}
