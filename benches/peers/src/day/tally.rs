//! What became of the searches.

use std::time::Duration;

use search_gate::testing::Outcome;
use tokio::time::Instant;

use super::provider::Judged;

/// What became of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Answered,
    RefusedByProvider,
    RefusedLocally,
    TimedOut,
    /// The agent stopped it.
    Cancelled,
}

/// A search that the agent has not stopped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) id: usize,
    pub(super) ending: Ending,
    /// When the agent came to know.
    pub(super) at: Instant,
}

/// What became of all searches.
#[derive(Debug)]
pub(super) struct Run {
    endings: Vec<Ending>,
    /// From the wish to search until the search reached the provider, for those that did.
    waits: Vec<Duration>,
    /// From the wish to search until the agent knew that there would be no answer, for those that it did not stop before.
    noes: Vec<Duration>,
}

impl Run {
    /// `begins` and `judged` are in the order of the searches' ids. What the provider refused counts as that, whatever the agent made of it.
    pub(super) fn new(
        begins: impl Iterator<Item = Instant>,
        ended: impl Iterator<Item = Ended>,
        judged: &[Option<Judged>],
    ) -> Self {
        let begins: Vec<_> = begins.collect();
        let mut run = Self {
            endings: vec![Ending::Cancelled; begins.len()],
            waits: Vec::new(),
            noes: Vec::new(),
        };
        for Ended { id, ending, at } in ended {
            run.endings[id] = ending;
            if ending != Ending::Answered {
                run.noes.push(at - begins[id]);
            }
        }
        for (id, judged) in judged.iter().enumerate() {
            let Some(judged) = judged else { continue };
            run.waits.push(judged.at - begins[id]);
            if judged.outcome == Outcome::Refused {
                run.endings[id] = Ending::RefusedByProvider;
            }
        }
        run
    }

    pub(super) fn count(&self, ending: Ending) -> usize {
        self.endings.iter().filter(|end| **end == ending).count()
    }

    pub(super) fn mean_wait(&self) -> f64 {
        mean(&self.waits)
    }

    pub(super) fn worst_wait(&self) -> f64 {
        self.waits.iter().max().map_or(0.0, Duration::as_secs_f64)
    }

    pub(super) fn mean_time_to_a_no(&self) -> f64 {
        mean(&self.noes)
    }
}

/// In seconds.
fn mean(times: &[Duration]) -> f64 {
    let sum: Duration = times.iter().sum();
    sum.as_secs_f64() / times.len().max(1) as f64
}
