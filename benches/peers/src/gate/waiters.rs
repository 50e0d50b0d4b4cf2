//! What those who wait cost: their memory, and their giving up.

use std::{
    task::{Context, Waker},
    time::Duration,
};

use fastrand::Rng;
use futures_util::future::FutureExt;
use tokio::{runtime::Runtime, task::yield_now};

use super::Sizes;
use crate::{
    measure::{bytes_kept, cpu, medians, nanos_each, runtime},
    peers::{self, Peer, Time},
    report::{self, Section},
    watch::{Starts, Wait},
};

/// So long that nobody's turn comes.
const NEVER: Duration = Duration::from_secs(5 * 60);

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section = Section::new("Those who wait (future and timer included)");
    for &count in &sizes.waiters {
        let memory = Crowd::all(count).into_iter().map(|crowd| {
            let (bytes, _waits) = bytes_kept(|| crowd.queue(count));
            (crowd.peer.name, Some(bytes as f64 / count as f64))
        });
        section.add(
            format!("memory for each of {} waiters", report::count(count)),
            "bytes",
            memory,
        );
    }
    for &count in &sizes.waiters {
        let subjects = Crowd::all(count).into_iter().map(|mut crowd| {
            let name = crowd.peer.name;
            (name, Box::new(move || crowd.give_up(count)) as _)
        });
        let times = medians(sizes.crowd_rounds, subjects.collect());
        let each = times
            .into_iter()
            .map(|(name, time)| (name, Some(nanos_each(time, count))));
        section.add(
            format!(
                "giving up in random order, each of {}",
                report::count(count)
            ),
            "ns",
            each,
        );
    }
    section
}

/// A limiter whose only turn has been taken, in a runtime of its own.
struct Crowd {
    runtime: Runtime,
    peer: Peer,
    random: Rng,
}

impl Crowd {
    fn all(callers: usize) -> Vec<Self> {
        let of = |index| {
            let runtime = runtime();
            let peer = {
                let _in_runtime = runtime.enter();
                let starts = Starts::default();
                let mut peers = peers::all(NEVER, Time::Real, callers, &starts);
                (index < peers.len()).then(|| peers.swap_remove(index))?
            };
            runtime.block_on(peer.wait(0));
            let random = Rng::with_seed(0);
            Some(Self {
                runtime,
                peer,
                random,
            })
        };
        (0..).map_while(of).collect()
    }

    /// `count` callers that have been told to wait.
    fn queue(&self, count: usize) -> Vec<Wait> {
        let mut waits = Vec::with_capacity(count);
        self.runtime.block_on(async {
            for who in 0..count {
                let mut wait = self.peer.wait(who);
                let polled = wait.poll_unpin(&mut Context::from_waker(Waker::noop()));
                assert!(polled.is_pending(), "the next turn is minutes away");
                waits.push(wait);
            }
            // For the task that a limiter may need beside them.
            yield_now().await;
        });
        waits
    }

    fn give_up(&mut self, count: usize) -> Duration {
        let mut waits = self.queue(count);
        self.random.shuffle(&mut waits);
        cpu(|| drop(waits))
    }
}
