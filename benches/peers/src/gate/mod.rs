//! Ways to pace requests, side by side: what a turn costs, how that grows with those who wait, and whether order and spacing hold.
//!
//! Each peer is set to what comes nearest to a least gap between starts. Where a peer has no such thing as is measured, its cell has a dash.

mod back_off;
mod crowd;
mod layers;
mod order;
mod spacing;
mod stalls;
mod turns;
mod waiters;

use crate::report::Report;

/// How much is measured.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// Rounds of the figures that cost little.
    pub rounds: usize,
    /// Turns in each of them.
    pub batch: usize,
    /// How many wait, and how many turns are watched then.
    pub crowds: Vec<(usize, usize)>,
    /// How many wait when a back-off begins or all give up.
    pub waiters: Vec<usize>,
    /// Rounds of those.
    pub crowd_rounds: usize,
    /// How many callers race on two threads.
    pub racers: usize,
    /// How many callers are not polled while another waits behind them.
    pub stalled: Vec<usize>,
    /// How many starts are watched for their spacing.
    pub starts: usize,
}

impl Sizes {
    /// What the tables are made with.
    #[must_use]
    pub fn full() -> Self {
        Self {
            rounds: 101,
            batch: 1000,
            crowds: vec![(2, 1000), (1000, 1000), (100_000, 20)],
            waiters: vec![1000, 100_000],
            crowd_rounds: 5,
            racers: 200,
            stalled: vec![1, 2, 12],
            starts: 1000,
        }
    }

    /// As little as shows that it works.
    #[must_use]
    pub fn small() -> Self {
        Self {
            rounds: 1,
            batch: 10,
            crowds: vec![(2, 20), (300, 20)],
            waiters: vec![300],
            crowd_rounds: 1,
            racers: 40,
            stalled: vec![1],
            starts: 60,
        }
    }
}

/// Measures everything.
#[must_use]
pub fn run(sizes: &Sizes) -> Report {
    let mut report = Report::default();
    // What goes by tokio's real clock comes first: once it has been paused anywhere, every look at it costs a lock.
    report.add(turns::measure(sizes));
    report.add(layers::measure(sizes));
    report.add(waiters::measure(sizes));
    report.add(back_off::measure(sizes));
    let mut section = order::measure(sizes);
    spacing::measure(sizes, &mut section);
    report.add(section);
    report.add(spacing::measure_after_quiet());
    report.add(stalls::measure(sizes));
    report.add(crowd::measure(sizes));
    report
}
