use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    Refusal, SearchGate, Turn,
    ledger::{Outcome, Ticket},
};

/// What tokio's timers may add to a wait: a caller whose turn is due exactly at its deadline is not refused for that.
const TIMER_RESOLUTION: Duration = Duration::from_millis(1);

/// One caller's wait for a turn: its place in the queue, given up when this is dropped.
///
/// It takes its place when it is first polled.
#[derive(Debug)]
pub(crate) struct Waiter {
    gate: SearchGate,
    deadline: Instant,
    ticket: Option<Ticket>,
    /// Boxed when first needed, so that one who goes at once, or is refused, has none.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Waiter {
    pub(crate) fn new(gate: SearchGate, deadline: Instant) -> Self {
        Self {
            gate,
            deadline,
            ticket: None,
            timer: None,
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Waits until the turn is due and spends it.
    pub(crate) fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<Result<Turn, Refusal>> {
        let spent = ready!(self.poll_take(cx, true));
        Poll::Ready(spent.map(|()| Turn::new(self.gate.clone())))
    }

    /// Waits until the turn is due, and leaves it to [`poll_turn`](Self::poll_turn) to spend it.
    ///
    /// Who does not spend it soon is passed over. It keeps its number: whenever a turn is due it may still spend that one.
    pub(crate) fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        self.poll_take(cx, false)
    }

    /// For a caller whose turn is due while something else keeps it from starting: refused once its deadline has passed.
    pub(crate) fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        let over = self.last_look();
        ready!(self.poll_timer(cx, over));
        self.poll_until(cx, false, self.deadline)
    }

    fn poll_take(&mut self, cx: &mut Context<'_>, spend: bool) -> Poll<Result<(), Refusal>> {
        let latest = match self.ticket {
            None => self.deadline,
            Some(_) => self.last_look(),
        };
        self.poll_until(cx, spend, latest)
    }

    fn poll_until(
        &mut self,
        cx: &mut Context<'_>,
        spend: bool,
        latest: Instant,
    ) -> Poll<Result<(), Refusal>> {
        loop {
            let ledger = &self.gate.local;
            let (ticket, answer) = match ledger.take(self.ticket, latest, spend, cx.waker()) {
                Outcome::Wait { ticket, sleep } => {
                    self.ticket = Some(ticket);
                    let look = Instant::now() + Duration::from_nanos(sleep.unsigned_abs());
                    ready!(self.poll_timer(cx, look.min(latest)));
                    continue;
                }
                Outcome::Due(ticket) => (Some(ticket), Ok(())),
                Outcome::Go | Outcome::Done => (None, Ok(())),
                Outcome::BackingOff { left } => {
                    let left = Duration::from_nanos(left.unsigned_abs());
                    (None, Err(Refusal::BackingOff(left)))
                }
                Outcome::PastDeadline => (None, Err(Refusal::PastDeadline)),
            };
            self.ticket = ticket;
            return Poll::Ready(answer);
        }
    }

    fn last_look(&self) -> Instant {
        let late = self.deadline.checked_add(TIMER_RESOLUTION);
        late.unwrap_or(self.deadline)
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

impl Drop for Waiter {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.gate.local.leave(ticket);
        }
    }
}
