use std::{
    borrow::Cow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    SearchGate, Turn, TurnError,
    asking::Stored,
    clock::to_duration,
    home::Granted,
    ledger::{Ask, Outcome, Refused, Ticket},
    refusal::Why,
};
use crate::telemetry::{Ended, Wait};

/// What tokio's timers may add to a wait: a caller whose turn is due exactly at its deadline is not refused for that.
const TIMER_RESOLUTION: Duration = Duration::from_millis(1);

/// One caller's wait for a turn: its place in the queue, given up when this is dropped.
///
/// It takes its place when it is first polled.
#[derive(Debug)]
pub(crate) struct Waiter<'a> {
    pub(super) gate: Cow<'a, SearchGate>,
    deadline: Instant,
    pub(super) ticket: Option<Ticket>,
    /// Boxed when first needed, so that one who goes at once, or is refused, has none.
    timer: Option<Pin<Box<Sleep>>>,
    /// Begun with the first poll.
    wait: Option<Wait>,
    pub(super) stored: Stored,
}

/// What a caller is told.
pub(super) enum Told {
    /// And when the store was asked, if it was the store that told it.
    Outcome(Outcome, Option<Instant>),
    Unreachable(Duration),
}

impl<'a> Waiter<'a> {
    pub(crate) fn new(gate: Cow<'a, SearchGate>, deadline: Instant) -> Self {
        Self {
            gate,
            deadline,
            ticket: None,
            timer: None,
            wait: None,
            stored: Stored::default(),
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Waits until the turn is due and spends it; `alone` as [`Ask::SpendAlone`] has it.
    pub(crate) fn poll_turn(
        &mut self,
        cx: &mut Context<'_>,
        alone: bool,
    ) -> Poll<Result<Turn, TurnError>> {
        let granted = ready!(self.poll_grant(cx, alone));
        Poll::Ready(granted.map(|granted| Turn::new(self.gate.clone().into_owned(), granted)))
    }

    /// The same without a receipt: who takes the grant settles it.
    pub(super) fn poll_grant(
        &mut self,
        cx: &mut Context<'_>,
        alone: bool,
    ) -> Poll<Result<Granted, TurnError>> {
        let ask = match alone {
            true => Ask::SpendAlone,
            false => Ask::Spend,
        };
        let granted = ready!(self.poll_until(cx, ask, self.latest_look()));
        Poll::Ready(granted.map(|granted| granted.expect("meant to be spent")))
    }

    /// Whether this caller, who has not asked yet, could start at once. It takes no place by asking this.
    pub(crate) fn may_start_at_once(&self) -> bool {
        self.ticket.is_none() && self.gate.home.local.is_free()
    }

    /// Waits until the turn is due, and leaves it to [`poll_turn`](Self::poll_turn) to spend it.
    ///
    /// Who does not spend it soon is passed over. It keeps its number: whenever a turn is due it may still spend that one.
    pub(crate) fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TurnError>> {
        let due = ready!(self.poll_until(cx, Ask::Look, self.latest_look()));
        Poll::Ready(due.map(drop))
    }

    /// For a caller whose turn is due while something else keeps it from starting: refused once its deadline has passed. Ready before that
    /// when it is to look whether its turn is still due.
    pub(crate) fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TurnError>> {
        let over = self.deadline.checked_add(TIMER_RESOLUTION);
        let over = over.unwrap_or(self.deadline);
        let again = self
            .stored
            .looks_again()
            .map_or(over, |again| again.min(over));
        ready!(self.poll_timer(cx, again));
        if again < over {
            return Poll::Ready(Ok(()));
        }
        let refused = ready!(self.poll_until(cx, Ask::Look, self.deadline));
        Poll::Ready(refused.map(drop))
    }

    /// A newcomer is held to its deadline; one that waited is not refused for what its timer added.
    fn latest_look(&self) -> Instant {
        let late = self
            .ticket
            .and_then(|_| self.deadline.checked_add(TIMER_RESOLUTION));
        late.unwrap_or(self.deadline)
    }

    /// The turn, or `None` when it is due and not to be spent.
    fn poll_until(
        &mut self,
        cx: &mut Context<'_>,
        ask: Ask,
        latest: Instant,
    ) -> Poll<Result<Option<Granted>, TurnError>> {
        self.wait.get_or_insert_with(Wait::begin);
        loop {
            let error = match ready!(self.poll_told(cx, ask, latest)) {
                Told::Outcome(Outcome::Wait { ticket, sleep }, _) => {
                    self.ticket = Some(ticket);
                    let look = (Instant::now() + to_duration(sleep)).min(latest);
                    self.stored.sleeps_until(look);
                    ready!(self.poll_timer(cx, look));
                    continue;
                }
                Told::Outcome(Outcome::Due(ticket), _) => {
                    self.ticket = Some(ticket);
                    return Poll::Ready(Ok(None));
                }
                Told::Outcome(Outcome::Go(grant), asked) => {
                    self.ticket = None;
                    self.ended(Ended::Granted);
                    return Poll::Ready(Ok(Some(Granted { grant, asked })));
                }
                Told::Outcome(Outcome::Refused(refused), _) => self.refused(refused),
                Told::Outcome(Outcome::Closed { .. } | Outcome::Done, _) => {
                    unreachable!("no answer to a caller")
                }
                Told::Unreachable(again) => {
                    self.ended(Ended::Unreachable);
                    TurnError::new(Why::Unreachable, again)
                }
            };
            self.ticket = None;
            return Poll::Ready(Err(error));
        }
    }

    fn poll_told(&mut self, cx: &mut Context<'_>, ask: Ask, latest: Instant) -> Poll<Told> {
        match self.gate.home.shared.clone() {
            None => Poll::Ready(self.told_here(cx, ask, latest)),
            Some(shared) => self.poll_told_by_store(cx, &shared, ask, latest),
        }
    }

    pub(super) fn told_here(&self, cx: &Context<'_>, ask: Ask, latest: Instant) -> Told {
        let local = &self.gate.home.local;
        Told::Outcome(local.take(self.ticket, latest, ask, cx.waker()), None)
    }

    fn refused(&self, refused: Refused) -> TurnError {
        let (why, again, ended) = match refused {
            Refused::BackingOff { left } => (Why::BackingOff, left, Ended::BackingOff),
            Refused::PastDeadline { by } => (Why::PastDeadline, by, Ended::PastDeadline),
            Refused::QueueFull { next } => (Why::QueueFull, next, Ended::QueueFull),
        };
        self.ended(ended);
        TurnError::new(why, to_duration(again))
    }

    fn ended(&self, how: Ended) {
        if let Some(wait) = self.wait {
            wait.ended(self.gate.home.local.name(), how);
        }
    }

    pub(super) fn poll_timer(&mut self, cx: &mut Context<'_>, until: Instant) -> Poll<()> {
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
        let home = &self.gate.home;
        if let Some(pending) = self.stored.take_pending() {
            home.abandon(pending);
            self.give_up_local_place();
        } else if let Some(ticket) = self.ticket.take() {
            home.leave(ticket, self.stored.has_place);
        } else {
            return;
        }
        self.ended(Ended::Cancelled);
    }
}
