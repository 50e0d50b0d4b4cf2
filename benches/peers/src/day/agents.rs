//! Those who search: what they plan, and how they do it.

use std::{f64::consts::PI, time::Duration};

use fastrand::Rng;
use futures_util::stream::{FuturesUnordered, StreamExt};
use search_gate::{MIN_INTERVAL, SEARCH_DEADLINE};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout_at},
};

use super::{
    Plan,
    provider::{Provider, Search},
    tally::{Ended, Ending, Run},
    ways::Way,
};
use crate::measure::paused;

/// Searches that one agent starts at once.
#[derive(Debug, Clone)]
pub(super) struct Burst {
    at: Duration,
    pub(super) searches: Vec<Search>,
    /// After how long the agent stops all that is not answered yet.
    stops_after: Option<Duration>,
    /// After how long the agent is busy elsewhere, and for how long: it looks after none of its searches meanwhile.
    busy: Option<(Duration, Duration)>,
}

/// The agents' day: from three in ten of the turns that there are, at its ends, to thirteen in ten in its middle.
pub(super) fn plan(plan: &Plan) -> Vec<Burst> {
    let mut random = Rng::with_seed(plan.seed);
    let (mut at, mut next_id) = (Duration::ZERO, 0);
    let mut bursts = Vec::new();
    loop {
        let time_of_day = at.div_duration_f64(plan.length);
        let load = 0.3 + (PI * time_of_day).sin().powi(2);
        let searches = random.usize(1..=12);
        at += MIN_INTERVAL
            .mul_f64(6.5 / load)
            .mul_f64(exponential(&mut random));
        if at >= plan.length {
            return bursts;
        }
        let ids = next_id..next_id + searches;
        next_id = ids.end;
        let searches = ids.map(|id| Search {
            id,
            latency: chance(&mut random, 0.99).then(|| between(&mut random, 0.3, 1.5)),
        });
        let searches = searches.collect();
        let stops_after = chance(&mut random, 0.1).then(|| between(&mut random, 0.5, 30.0));
        let busy = chance(&mut random, 0.05).then(|| {
            (
                between(&mut random, 0.0, 10.0),
                between(&mut random, 1.0, 40.0),
            )
        });
        bursts.push(Burst {
            at,
            searches,
            stops_after,
            busy,
        });
    }
}

/// When others behind the address begin to search too much, some three times an hour.
pub(super) fn plan_others(plan: &Plan) -> Vec<Duration> {
    let mut random = Rng::with_seed(plan.seed ^ 0x6f74_6865_7273);
    let (mut at, mut begins) = (Duration::ZERO, Vec::new());
    loop {
        at += Duration::from_secs(20 * 60).mul_f64(exponential(&mut random));
        if at >= plan.length {
            return begins;
        }
        begins.push(at);
    }
}

/// What the others do: one search more than is answered.
async fn burst_of_others(provider: Provider, at: Instant) {
    sleep_until(at).await;
    for _ in 0..11 {
        provider.arrive();
        sleep(Duration::from_millis(500)).await;
    }
}

/// Plays the day through one way.
pub(super) fn play(way: &str, bursts: &[Burst], others: &[Duration]) -> Run {
    paused().block_on(async {
        let searches = bursts.iter().map(|burst| burst.searches.len()).sum();
        let provider = Provider::new(searches);
        let (way, began) = (Way::new(way), Instant::now());
        let mut tasks = JoinSet::new();
        for burst in bursts {
            tasks.spawn(run_burst(
                way.clone(),
                provider.clone(),
                burst.clone(),
                began,
            ));
        }
        let mut neighbours = JoinSet::new();
        for at in others {
            neighbours.spawn(burst_of_others(provider.clone(), began + *at));
        }
        let ended = tasks.join_all().await.into_iter().flatten();
        let begins = bursts
            .iter()
            .flat_map(|burst| burst.searches.iter().map(|_| began + burst.at));
        Run::new(begins, ended, &provider.judged())
    })
}

/// What ended before the agent stopped.
async fn run_burst(way: Way, provider: Provider, burst: Burst, began: Instant) -> Vec<Ended> {
    let begin = began + burst.at;
    sleep_until(begin).await;
    let deadline = begin + SEARCH_DEADLINE;
    let search = async |search: Search| {
        let sent = timeout_at(deadline, way.send(&provider, search, deadline));
        Ended {
            id: search.id,
            ending: sent.await.unwrap_or(Ending::TimedOut),
            at: Instant::now(),
        }
    };
    let mut searches: FuturesUnordered<_> = burst.searches.iter().map(|&one| search(one)).collect();
    let mut busy = burst.busy;
    let stop = sleep_until(begin + burst.stops_after.unwrap_or(2 * SEARCH_DEADLINE));
    tokio::pin!(stop);
    let mut ended = Vec::new();
    loop {
        let (after, length) = busy.unwrap_or_default();
        tokio::select! {
            biased;
            () = &mut stop => return ended,
            () = sleep_until(begin + after), if busy.is_some() => {
                sleep(length).await;
                busy = None;
            }
            one = searches.next() => match one {
                Some(one) => ended.push(one),
                None => return ended,
            },
        }
    }
}

fn chance(random: &mut Rng, of: f64) -> bool {
    random.f64() < of
}

fn between(random: &mut Rng, least: f64, most: f64) -> Duration {
    Duration::from_secs_f64(least + (most - least) * random.f64())
}

/// Of mean 1: what lies between events that know nothing of one another.
fn exponential(random: &mut Rng) -> f64 {
    -(1.0 - random.f64()).ln()
}
