//! How long a caller waits behind others whose tasks are busy elsewhere, on a paused clock.

use std::{
    task::{Context, Waker},
    time::Duration,
};

use futures_util::future::FutureExt;
use search_gate::MIN_INTERVAL;
use tokio::{
    task::yield_now,
    time::{Instant, timeout},
};

use super::Sizes;
use crate::{
    measure::paused,
    peers::{self, Time},
    report::Section,
    watch::Starts,
};

/// Who has not started by then never does.
const NEVER: Duration = Duration::from_secs(60 * 60);

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section = Section::new(
        "Right after a start, behind callers that are polled once and then no more (a dash: for ever)",
    );
    for &stalled in &sizes.stalled {
        let waits = (0..).map_while(|index| wait_behind(stalled, index));
        section.add(format!("wait of a caller behind {stalled}"), "s", waits);
    }
    section
}

fn wait_behind(stalled: usize, index: usize) -> Option<(&'static str, Option<f64>)> {
    paused().block_on(async {
        let starts = Starts::default();
        let mut peers = peers::all(MIN_INTERVAL, Time::Tokio, stalled + 1, &starts);
        let peer = (index < peers.len()).then(|| peers.swap_remove(index))?;
        peer.wait(0).await;
        let begun = Instant::now();
        let mut waits: Vec<_> = (0..stalled).map(|who| peer.wait(who)).collect();
        for wait in &mut waits {
            let polled = wait.poll_unpin(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending(), "the next turn is an interval away");
        }
        yield_now().await;
        let started = timeout(NEVER, peer.wait(stalled)).await;
        let waited = started.ok().map(|()| begun.elapsed().as_secs_f64());
        Some((peer.name, waited))
    })
}
