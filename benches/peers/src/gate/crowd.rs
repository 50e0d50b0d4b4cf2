//! What a turn costs while many wait for theirs, on a paused clock.

use std::{sync::Arc, time::Duration};

use search_gate::MIN_INTERVAL;
use tokio::{
    sync::Semaphore,
    task::{JoinSet, yield_now},
};

use super::Sizes;
use crate::{
    measure::{cpu_clock, nanos_each, paused},
    peers::{self, Peer, Time},
    report::{self, Section},
    watch::{Polls, Starts},
};

/// What was seen of one limiter.
struct Seen {
    name: &'static str,
    turns: usize,
    polls: u64,
    busy: Duration,
}

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section = Section::new(
        "A turn while others wait, on a paused clock (polls: all but each caller's first, and those of a task that the limiter needs)",
    );
    let seen: Vec<_> = sizes
        .crowds
        .iter()
        .map(|&(waiting, turns)| (waiting, watch_all(waiting, turns)))
        .collect();
    for (waiting, seen) in &seen {
        let polls = seen
            .iter()
            .map(|seen| (seen.name, Some(seen.polls as f64 / seen.turns as f64)));
        section.add(
            format!("polls a turn, {} wait", report::count(*waiting)),
            "",
            polls,
        );
    }
    for (waiting, seen) in &seen {
        let busy = seen
            .iter()
            .map(|seen| (seen.name, Some(nanos_each(seen.busy, seen.turns) / 1000.0)));
        section.add(
            format!("CPU time a turn, {} wait", report::count(*waiting)),
            "µs",
            busy,
        );
    }
    section
}

fn watch_all(waiting: usize, turns: usize) -> Vec<Seen> {
    let watch = |index| {
        paused().block_on(async {
            let starts = Starts::default();
            let mut peers = peers::all(MIN_INTERVAL, Time::Tokio, waiting + 1, &starts);
            let peer = (index < peers.len()).then(|| peers.swap_remove(index))?;
            Some(watch(peer, waiting, turns).await)
        })
    };
    (0..).map_while(watch).collect()
}

/// Lets `waiting` callers wait, and whoever has had its turn come again, for `turns` turns.
async fn watch(peer: Peer, waiting: usize, turns: usize) -> Seen {
    peer.wait(0).await;
    let peer = Arc::new(peer);
    let (asked, polls) = (Polls::default(), Polls::default());
    let started = Arc::new(Semaphore::new(0));
    let mut callers = JoinSet::new();
    for who in 0..waiting {
        let (peer, started) = (Arc::clone(&peer), Arc::clone(&started));
        let (asked, polls) = (asked.clone(), polls.clone());
        callers.spawn(async move {
            asked.add(1);
            loop {
                polls.count_later(peer.wait(who)).await;
                started.add_permits(1);
            }
        });
    }
    while asked.so_far() < waiting as u64 {
        yield_now().await;
    }
    // From right after one turn to right after another.
    let first = started.acquire().await;
    let before = polls.so_far() + peer.worker_polls.so_far();
    let begun = cpu_clock();
    let count = u32::try_from(turns).expect("a sensible number of turns");
    let all = started.acquire_many(count).await;
    let busy = cpu_clock() - begun;
    let polls = polls.so_far() + peer.worker_polls.so_far() - before;
    drop((first, all));
    Seen {
        name: peer.name,
        turns,
        polls,
        busy,
    }
}
