//! A day of searches on a clock that leaps, through four ways to send them, against the rule by which the provider refuses.
//!
//! The same agents ask in all of them: in bursts, more of them at noon than there are turns for. Some stop a burst half-way, some do not
//! look after it for a while, some searches are never answered, and after a minute everyone gives up. The rule is
//! [`search_gate::testing::Throttle`] as it was measured. On the second day others behind the same address search in bursts, of which no
//! client can know: whoever sends while they are refused is refused too, once if it backs off.

mod agents;
mod provider;
mod tally;
mod ways;

use std::{fmt::Write, time::Duration};

use search_gate::MIN_INTERVAL;

use self::{
    tally::{Ending, Run},
    ways::Way,
};
use crate::report::{Report, Section, count};

/// What is played.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How long it goes on.
    pub length: Duration,
    /// Which agents there are: another seed, another day.
    pub seed: u64,
}

impl Plan {
    /// The day of the tables.
    #[must_use]
    pub const fn full() -> Self {
        Self {
            length: Duration::from_secs(24 * 60 * 60),
            seed: 1,
        }
    }

    /// An hour.
    #[must_use]
    pub const fn small() -> Self {
        Self {
            length: Duration::from_secs(60 * 60),
            seed: 1,
        }
    }
}

/// The two days, as they stand in the figures' names for programs.
pub const ALONE: &str = "alone on the address";
pub const SHARED: &str = "an address shared with others";

/// Plays both days.
#[must_use]
pub fn run(plan: &Plan) -> Report {
    let mut report = Report::default();
    for (name, shared) in [(ALONE, false), (SHARED, true)] {
        report.add(play(plan, name, shared));
    }
    report
}

/// How often others search too much, on the day on which they do.
#[must_use]
pub fn bursts_of_others(plan: &Plan) -> usize {
    agents::plan_others(plan).len()
}

fn play(plan: &Plan, name: &'static str, shared: bool) -> Section {
    let bursts = agents::plan(plan);
    let others = match shared {
        true => agents::plan_others(plan),
        false => Vec::new(),
    };
    let searches: usize = bursts.iter().map(|burst| burst.searches.len()).sum();
    let hours = plan.length.as_secs_f64() / 3600.0;
    let mut title = format!("{} searches in {hours:.0} h, {name}", count(searches));
    if shared {
        let _ = write!(title, ", who search too much {} times", others.len());
    }
    let mut section = Section::new(title).scope(name).without_ratios();
    let runs = Way::NAMES.map(|way| (way, agents::play(way, &bursts, &others)));
    let turns = plan.length.as_secs_f64() / MIN_INTERVAL.as_secs_f64();
    let mut add = |figure: &str, unit, value: &dyn Fn(&Run) -> f64| {
        let values = runs.iter().map(|(way, run)| (*way, Some(value(run))));
        section.add(figure, unit, values);
    };
    for (figure, ending) in [
        ("answered", Ending::Answered),
        ("refused by the provider", Ending::RefusedByProvider),
        ("refused locally", Ending::RefusedLocally),
        ("timed out", Ending::TimedOut),
        ("cancelled", Ending::Cancelled),
    ] {
        add(figure, "", &|run| run.count(ending) as f64);
    }
    add("mean wait of those sent", "s", &Run::mean_wait);
    add("worst wait of those sent", "s", &Run::worst_wait);
    add("mean time until told no", "s", &Run::mean_time_to_a_no);
    add("possible turns used", "%", &|run| {
        100.0 * run.count(Ending::Answered) as f64 / turns
    });
    section
}
