//! Holds what processes have told against what a gate promises, and counts what was lost.

use std::{ops::Range, time::Duration};

use super::event::{Counted, Event};

/// The most that a request may leave later than its turn was given, whatever the interval.
const MOST_SLACK: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) starts: usize,
    pub(super) faults: u64,
    pub(super) backoffs: usize,
    /// Starts closer to the one before than is promised on the wire.
    pub(super) too_close: usize,
    pub(super) in_backoff: usize,
    pub(super) least_gap: Duration,
    pub(super) longest_gap: Duration,
    /// How many gaps there were, and how long all of them.
    gaps: usize,
    span: Duration,
    pub(super) counted: Counted,
    interval: Duration,
}

impl Findings {
    /// Promises are to be kept all the time; what is lost counts within `window`.
    pub(super) fn of(
        events: &[Event],
        interval: Duration,
        window: &Range<Duration>,
        counted: Counted,
        faults: u64,
    ) -> Self {
        let slack = (interval / 8).min(MOST_SLACK);
        let closed: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Closed { from, until } => Some(*from + slack..until.saturating_sub(slack)),
                _ => None,
            })
            .collect();
        let mut all: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Start { at } => Some(*at),
                _ => None,
            })
            .collect();
        all.sort_unstable();
        let gaps = |starts: &[Duration]| -> Vec<_> {
            let pairs = starts.windows(2);
            pairs.map(|pair| pair[1] - pair[0]).collect()
        };
        let is_inside = |at: &&Duration| closed.iter().any(|closed| closed.contains(at));
        let too_close = |gap: &&Duration| **gap < interval - slack;
        let starts: Vec<_> = all
            .iter()
            .copied()
            .filter(|at| window.contains(at))
            .collect();
        let mut within = gaps(&starts);
        // One that nobody has ended until now counts too, once it is longer than it should be.
        let last = starts.last().copied().unwrap_or(window.start);
        within.extend(Some(window.end.saturating_sub(last)).filter(|gap| *gap > interval));
        Self {
            starts: starts.len(),
            faults,
            backoffs: closed.len(),
            too_close: gaps(&all).iter().filter(too_close).count(),
            in_backoff: all.iter().filter(is_inside).count(),
            least_gap: within.iter().min().copied().unwrap_or_default(),
            longest_gap: within.iter().max().copied().unwrap_or_default(),
            gaps: within.len(),
            span: within.iter().sum(),
            counted,
            interval,
        }
    }

    /// How long it was from one start to the next on average, in intervals.
    pub(super) fn pace(&self) -> f64 {
        self.span.as_secs_f64() / self.gaps.max(1) as f64 / self.interval.as_secs_f64()
    }

    /// The turns that were lost to each fault: there was time for them at the pace of the crew without faults.
    pub(super) fn lost_to_each(&self, faultless: &Self) -> f64 {
        let beyond = self.pace() - faultless.pace();
        beyond * self.gaps as f64 / self.faults as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(800);

    fn findings(starts: &[u64], faults: u64) -> Findings {
        let closed = Event::Closed {
            from: Duration::from_millis(10_000),
            until: Duration::from_millis(12_000),
        };
        let starts = starts.iter().map(|&at| Event::Start {
            at: Duration::from_millis(at),
        });
        let events: Vec<_> = starts.chain([closed, Event::Ready]).collect();
        let window = Duration::from_secs(1)..Duration::from_secs(9);
        Findings::of(&events, INTERVAL, &window, Counted::default(), faults)
    }

    #[test]
    fn what_keeps_every_promise_has_no_findings() {
        // The slack is 100 ms, at both ends of a back-off too.
        let found = findings(&[0, 800, 1600, 2300, 9200, 10_050, 11_950], 0);
        assert_eq!((found.too_close, found.in_backoff), (0, 0));
        assert_eq!((found.starts, found.backoffs), (2, 1));
    }

    #[test]
    fn what_breaks_a_promise_is_found_whenever_it_was_and_in_whatever_order_it_was_told() {
        let found = findings(&[0, 699, 3000, 2301, 11_000], 0);
        assert_eq!((found.too_close, found.in_backoff), (2, 1));
        assert_eq!(found.least_gap, Duration::from_millis(699));
    }

    #[test]
    fn turns_that_nobody_had_are_lost_to_the_faults() {
        // Timers come 10 ms late.
        let faultless = findings(&[5000, 5810, 6620, 7430, 8240], 0);
        assert!((faultless.pace() - 1.0125).abs() < 1e-9);
        // Two gaps of five are a turn longer.
        let faulty = findings(&[3340, 4150, 5760, 6570, 8180, 8990], 4);
        assert!((faulty.lost_to_each(&faultless) - 0.5).abs() < 1e-9);
        assert_eq!(faulty.longest_gap, Duration::from_millis(1610));
    }

    #[test]
    fn a_gate_that_gives_no_more_turns_is_not_taken_for_one_that_was_not_asked() {
        let faultless = findings(&[5000, 5800, 6600, 7400, 8200], 0);
        let stuck = findings(&[1000, 1800, 2600], 1);
        assert_eq!(stuck.longest_gap, Duration::from_millis(6400));
        assert!((stuck.lost_to_each(&faultless) - 7.0).abs() < 1e-9);
        assert_eq!(findings(&[], 1).longest_gap, Duration::from_secs(8));
    }
}
