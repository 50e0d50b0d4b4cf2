use std::{error::Error, fmt, time::Duration};

/// Why the gate refused a turn. Nothing was sent and nothing is reserved.
///
/// Exhaustive on purpose: callers tell a person or a model what to do in each of the two cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The provider throttled a request; this much of the back-off is left. Come again after it.
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
            Self::PastDeadline => f.write_str(
                "other searches come before this one, and its turn would come after its deadline",
            ),
        }
    }
}

impl Error for Refusal {}

/// Rounded up, and never 0: who comes again after this many seconds does not come too early.
pub(crate) fn whole_seconds(time: Duration) -> u64 {
    let part_of_one = u64::from(time.subsec_nanos() > 0);
    time.as_secs().saturating_add(part_of_one).max(1)
}
