//! Whether callers that race on two threads start in the order in which they asked.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::FutureExt;
use tokio::task::JoinSet;

use super::Sizes;
use crate::{
    peers::{self, Peer, Time},
    report::{self, Section},
    watch::{Start, Starts, Wait},
};

/// Long beside what a thread needs to note a start.
const INTERVAL: Duration = Duration::from_millis(5);

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section = Section::new("Order and spacing");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime needs two threads and memory");
    let starts = Starts::default();
    let inversions: Vec<_> = runtime.block_on(async {
        let mut inversions = Vec::new();
        for peer in peers::all(INTERVAL, Time::Real, sizes.racers, &starts) {
            let name = peer.name;
            race(peer, sizes.racers).await;
            inversions.push((name, Some(count_inversions(&starts.take()) as f64)));
        }
        inversions
    });
    let pairs = report::count(sizes.racers * (sizes.racers - 1) / 2);
    let racers = sizes.racers;
    section.add(
        format!("inversions among {racers} callers on 2 threads ({pairs} pairs)"),
        "",
        inversions,
    );
    section
}

/// All ask at once. Who asked before whom is known, since they are let in one by one.
async fn race(peer: Peer, racers: usize) {
    let (peer, door) = (Arc::new(peer), Arc::new(Mutex::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..racers {
        let (peer, door) = (Arc::clone(&peer), Arc::clone(&door));
        let mut asking: Option<Wait> = None;
        tasks.spawn(poll_fn(move |cx| match &mut asking {
            Some(turn) => turn.poll_unpin(cx),
            None => {
                let mut next = door.lock().unwrap_or_else(PoisonError::into_inner);
                let turn = asking.insert(peer.turn(*next));
                *next += 1;
                turn.poll_unpin(cx)
            }
        }));
    }
    tasks.join_all().await;
}

/// Pairs of which the later caller had surely started before the earlier one.
fn count_inversions(starts: &[Start]) -> usize {
    let inverted = |start: &Start| {
        let overtaken = |other: &&Start| other.who < start.who && start.ended < other.begun;
        starts.iter().filter(overtaken).count()
    };
    starts.iter().map(inverted).sum()
}
