//! The rule by which the provider refuses, as a value: no clock, no sockets.

use std::time::Duration;

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It got what it asked for.
    Answered,
    /// It came in a run of too many requests: it got a challenge page.
    Refused,
    /// It was no search: an unknown path, a wrong method, a form that is too large or has no query. It counts for no run.
    Rejected,
}

/// The provider's throttle, for one client address.
///
/// Requests that come less than [`run_gap`](Self::run_gap) apart make a run. The first [`burst`](Self::burst) requests of a run are
/// answered. The next one is refused, and so is everything until [`refusal`](Self::refusal) has passed since the run's last answer.
/// Then a new run begins.
///
/// The defaults are those measured on DuckDuckGo: of requests 0.85 s apart ten were answered and all later ones refused; the first
/// answer came 46 s after the burst, with one request every 15 s still arriving in between; of requests 2.35 s apart, all were answered.
///
/// The throttle reads no clock: the caller says what time it is, as the time since any fixed moment. So a test under a paused clock, or a
/// simulation of a day, can use it without a server:
///
/// ```
/// use search_gate::testing::{Outcome, Throttle};
/// use std::time::Duration;
///
/// let mut throttle = Throttle::new();
/// let every = Duration::from_millis(850);
/// let outcomes: Vec<_> = (0..14).map(|i| throttle.judge(every * i)).collect();
/// assert!(outcomes[..10].iter().all(|o| *o == Outcome::Answered));
/// assert!(outcomes[10..].iter().all(|o| *o == Outcome::Refused));
///
/// // The tenth and last answer was given at 7.65 s.
/// assert_eq!(throttle.judge(Duration::from_millis(53_649)), Outcome::Refused);
/// assert_eq!(throttle.judge(Duration::from_millis(53_650)), Outcome::Answered);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Throttle {
    burst: u32,
    run_gap: Duration,
    refusal: Duration,
    asking_lengthens: bool,
    answered: u32,
    last_answer: Option<Duration>,
    refused_until: Option<Duration>,
}

impl Throttle {
    /// The throttle as it was measured.
    pub const fn new() -> Self {
        Self {
            burst: 10,
            run_gap: Duration::from_millis(2350),
            refusal: Duration::from_secs(46),
            asking_lengthens: false,
            answered: 0,
            last_answer: None,
            refused_until: None,
        }
    }

    /// A throttle that answers everything.
    pub const fn never() -> Self {
        Self::new().run_gap(Duration::ZERO)
    }

    /// How many requests of a run are answered. Default: 10. With 0 every request is refused.
    pub const fn burst(mut self, requests: u32) -> Self {
        self.burst = requests;
        self
    }

    /// The gap that ends a run: a request that comes this long after the last answer, or longer, begins a new one. Default: 2.35 s.
    /// With zero no two requests make a run.
    pub const fn run_gap(mut self, gap: Duration) -> Self {
        self.run_gap = gap;
        self
    }

    /// How long after a run's last answer requests are refused. Default: 46 s. [`Duration::MAX`] means for ever.
    pub const fn refusal(mut self, length: Duration) -> Self {
        self.refusal = length;
        self
    }

    /// Whether a request that is refused starts the refusal anew. Default: no, as measured.
    pub const fn asking_lengthens(mut self, lengthens: bool) -> Self {
        self.asking_lengthens = lengthens;
        self
    }

    /// Judges a request that arrives at `now`: [`Answered`](Outcome::Answered) or [`Refused`](Outcome::Refused).
    ///
    /// `now` is the time since a moment of the caller's choice. A `now` before that of an earlier call counts as that of the earlier call.
    pub fn judge(&mut self, now: Duration) -> Outcome {
        if let Some(until) = self.refused_until {
            if now < until {
                if self.asking_lengthens {
                    self.refused_until = Some(until.max(now.saturating_add(self.refusal)));
                }
                return Outcome::Refused;
            }
            self.reset();
        }
        let in_run = self
            .last_answer
            .is_some_and(|last| now.saturating_sub(last) < self.run_gap);
        if !in_run {
            self.answered = 0;
        }
        if self.answered < self.burst {
            self.answered += 1;
            self.last_answer = self.last_answer.max(Some(now));
            return Outcome::Answered;
        }
        let since = match self.last_answer {
            Some(last) if in_run && !self.asking_lengthens => last,
            _ => now,
        };
        self.refused_until = Some(since.saturating_add(self.refusal));
        Outcome::Refused
    }

    /// How much longer requests are refused at `now`; `None` if they are not.
    #[must_use]
    pub fn refused_for(&self, now: Duration) -> Option<Duration> {
        self.refused_until?
            .checked_sub(now)
            .filter(|left| !left.is_zero())
    }

    /// Whether the past no longer matters at `now`: a request would begin a run.
    pub(super) fn is_at_rest(&self, now: Duration) -> bool {
        self.refused_for(now).is_none()
            && self
                .last_answer
                .is_none_or(|last| now.saturating_sub(last) >= self.run_gap)
    }

    /// When it last answered.
    pub(super) fn last_answer(&self) -> Option<Duration> {
        self.last_answer
    }

    /// Forgets every request, and ends a refusal. The settings stay.
    pub fn reset(&mut self) {
        self.answered = 0;
        self.last_answer = None;
        self.refused_until = None;
    }
}

impl Default for Throttle {
    fn default() -> Self {
        Self::new()
    }
}
