use std::{error::Error, fmt, time::Duration};

/// Why the gate refused a turn. Nothing was sent and nothing is reserved.
///
/// Exhaustive on purpose: callers tell a person or a model what to do in each of the two cases. A [`TurnError`] tells more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The provider throttled a request; this much of the back-off is left. Come again after it.
    ///
    /// Also of a shared gate that [refuses](crate::WhileUnreachable::Refuse) while its store is out of reach: it looks for the store again after that.
    BackingOff(Duration),
    /// No turn can be had by the caller's deadline: it would start later, or as many wait as the gate lets wait. Come again with a later
    /// deadline, or when fewer callers wait.
    PastDeadline,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BackingOff(left) => write!(
                f,
                "the search provider throttled an earlier request; try again in {} s",
                whole_seconds(*left)
            ),
            Self::PastDeadline => f.write_str("its turn would come after its deadline"),
        }
    }
}

impl Error for Refusal {}

/// Why [`SearchGate::turn`](crate::SearchGate::turn) gave no turn, and when to come again. Nothing was sent and nothing is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnError {
    why: Why,
    refusal: Refusal,
    /// How long until it may be worth asking again.
    again: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    BackingOff,
    PastDeadline,
    QueueFull,
    Unreachable,
}

impl TurnError {
    pub(super) fn new(why: Why, again: Duration) -> Self {
        let refusal = match why {
            Why::BackingOff | Why::Unreachable => Refusal::BackingOff(again),
            Why::PastDeadline | Why::QueueFull => Refusal::PastDeadline,
        };
        Self {
            why,
            refusal,
            again,
        }
    }

    /// The same in the two cases that most callers tell apart.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        self.refusal
    }

    /// When to come again: whole seconds, rounded up, never 0.
    ///
    /// After a refusal for the deadline it is how long until the queue has shortened enough for the same patience.
    #[must_use]
    pub fn retry_after(&self) -> Duration {
        Duration::from_secs(whole_seconds(self.again))
    }

    /// Whether the provider throttled an earlier request and is being left alone.
    #[must_use]
    pub fn is_backing_off(&self) -> bool {
        self.why == Why::BackingOff
    }

    /// Whether the turn would have started after the deadline.
    #[must_use]
    pub fn is_past_deadline(&self) -> bool {
        self.why == Why::PastDeadline
    }

    /// Whether as many wait as [may](crate::SearchGateBuilder::max_queued).
    #[must_use]
    pub fn is_queue_full(&self) -> bool {
        self.why == Why::QueueFull
    }

    /// Whether a shared gate's store is out of reach, and the gate is told to [refuse](crate::WhileUnreachable::Refuse) then.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.why == Why::Unreachable
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = whole_seconds(self.again);
        match self.why {
            Why::BackingOff => self.refusal.fmt(f),
            Why::PastDeadline => write!(
                f,
                "{}; try again in {seconds} s, or give it more time",
                self.refusal
            ),
            Why::QueueFull => write!(f, "as many searches wait as may; try again in {seconds} s"),
            Why::Unreachable => write!(
                f,
                "what the search gate shares with others is out of reach; try again in {seconds} s"
            ),
        }
    }
}

impl Error for TurnError {}

impl From<TurnError> for Refusal {
    fn from(error: TurnError) -> Self {
        error.refusal
    }
}

impl PartialEq<Refusal> for TurnError {
    fn eq(&self, refusal: &Refusal) -> bool {
        self.refusal == *refusal
    }
}

/// Rounded up, and never 0: who comes again after this many seconds does not come too early.
pub(crate) fn whole_seconds(time: Duration) -> u64 {
    let part_of_one = u64::from(time.subsec_nanos() > 0);
    time.as_secs().saturating_add(part_of_one).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_is_of_one_kind() {
        let kinds = [
            Why::BackingOff,
            Why::PastDeadline,
            Why::QueueFull,
            Why::Unreachable,
        ];
        for (kind, why) in kinds.into_iter().enumerate() {
            let error = TurnError::new(why, Duration::from_secs(1));
            let is = [
                error.is_backing_off(),
                error.is_past_deadline(),
                error.is_queue_full(),
                error.is_unreachable(),
            ];
            assert_eq!(is, [0, 1, 2, 3].map(|other| other == kind));
        }
    }

    #[test]
    fn an_error_equals_the_refusal_that_it_comes_to_and_no_other() {
        let second = Duration::from_secs(1);
        let closed = TurnError::new(Why::BackingOff, second);
        assert_eq!(closed, Refusal::BackingOff(second));
        assert_ne!(closed, Refusal::BackingOff(2 * second));
        assert_ne!(closed, Refusal::PastDeadline);
        let late = TurnError::new(Why::PastDeadline, second);
        assert_eq!(late, Refusal::PastDeadline);
        assert_ne!(late, Refusal::BackingOff(second));
    }

    #[test]
    fn each_error_says_what_stands_in_the_way() {
        let message = |why| TurnError::new(why, Duration::from_millis(1500)).to_string();
        for (why, says) in [
            (
                Why::BackingOff,
                "throttled an earlier request; try again in 2 s",
            ),
            (
                Why::PastDeadline,
                "after its deadline; try again in 2 s, or give it more time",
            ),
            (
                Why::QueueFull,
                "as many searches wait as may; try again in 2 s",
            ),
            (Why::Unreachable, "out of reach; try again in 2 s"),
        ] {
            assert!(message(why).ends_with(says), "{}", message(why));
        }
    }
}
