use std::time::Duration;

use tokio::time::Instant;

use super::ledger::Tick;

/// Durations of over 73 years count as that, so that sums of a few stay within range.
const LONGEST: Tick = Tick::MAX / 4;

/// tokio's clock in the ledger's ticks, of which each is a nanosecond.
#[derive(Debug)]
pub(super) struct Clock {
    /// Where the ledger's clock stands at 0.
    origin: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self {
            origin: Instant::now(),
        }
    }

    pub(super) fn now(&self) -> Tick {
        self.ticks_at(Instant::now())
    }

    pub(super) fn ticks_at(&self, time: Instant) -> Tick {
        match time.checked_duration_since(self.origin) {
            Some(since) => to_ticks(since),
            None => -to_ticks(self.origin.duration_since(time)),
        }
    }
}

pub(super) fn to_ticks(time: Duration) -> Tick {
    const NANOS_IN_A_SECOND: Tick = 1_000_000_000;
    match Tick::try_from(time.as_secs()) {
        Ok(seconds) if seconds < LONGEST / NANOS_IN_A_SECOND => {
            seconds * NANOS_IN_A_SECOND + Tick::from(time.subsec_nanos())
        }
        _ => LONGEST,
    }
}

/// None of a negative time is left.
pub(super) fn to_duration(ticks: Tick) -> Duration {
    Duration::from_nanos(u64::try_from(ticks).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_of_over_73_years_counts_as_that() {
        let seconds = 2_000_000_000;
        assert_eq!(
            to_ticks(Duration::new(seconds, 7)),
            2_000_000_000_000_000_007
        );
        assert_eq!(to_ticks(Duration::from_secs(seconds * 2)), LONGEST);
        assert_eq!(to_ticks(Duration::MAX), LONGEST);
    }
}
