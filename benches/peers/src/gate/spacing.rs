//! How close two starts come, on a paused clock: when callers wake late, and after quiet.

use std::{convert::Infallible, future::ready, time::Duration};

use bytes::Bytes;
use fastrand::Rng;
use http_body_util::Full;
use search_gate::{BACKOFF, MIN_INTERVAL, SearchGate, SearchGateLayer};
use tokio::time::{Instant, advance, sleep, sleep_until};
use tower::{Layer, Service, ServiceExt, buffer::Buffer, limit::RateLimit, limit::rate::Rate};

use super::Sizes;
use crate::{
    measure::paused,
    peers::{
        self, BUFFERED, GOVERNOR, LEAKY_BUCKET, Peer, RATE_LIMIT, RESILIENCE, Time,
        resilience_layer,
    },
    report::{self, OURS, Section},
    watch::Starts,
};

const BACKPRESSURE: &str = "tower-resilience, backpressure";

/// When the second call comes.
const LATE: Duration = Duration::from_millis(4900);

type Ask = http::Request<Full<Bytes>>;
type Answer = http::Response<Full<Bytes>>;

/// How many callers there are when wakes are late.
const CALLERS: usize = 10;

pub(super) fn measure(sizes: &Sizes, section: &mut Section) {
    let (smallest, too_close): (Vec<_>, Vec<_>) = late_wakes(sizes.starts)
        .into_iter()
        .map(|(name, gaps)| {
            let close = gaps.iter().filter(|gap| **gap < MIN_INTERVAL).count();
            let smallest = gaps.into_iter().min().map(|gap| gap.as_millis() as f64);
            ((name, smallest), (name, Some(close as f64)))
        })
        .unzip();
    let starts = report::count(sizes.starts);
    let interval = MIN_INTERVAL.as_millis();
    section.add(
        format!("least gap of {starts} starts under late wakes (set: {interval})"),
        "ms",
        smallest,
    );
    section.add(format!("starts too close, of {starts}"), "", too_close);
}

pub(super) fn measure_after_quiet() -> Section {
    let mut section = Section::new("A call after quiet, and the next as soon as may be");
    let interval = MIN_INTERVAL.as_millis();
    section.add(
        format!("gap between them (set: {interval})"),
        "ms",
        after_quiet(),
    );
    section
}

/// The gaps between starts while callers come and go and the thread is held up now and then, for up to three intervals.
fn late_wakes(count: usize) -> Vec<(&'static str, Vec<Duration>)> {
    let mut gaps = Vec::new();
    for index in 0.. {
        let starts = Starts::default();
        let name = paused().block_on(async {
            let mut peers = peers::all(MIN_INTERVAL, Time::Tokio, CALLERS, &starts);
            let peer = (index < peers.len()).then(|| peers.swap_remove(index))?;
            let name = peer.name;
            hold_up(peer, count).await;
            Some(name)
        });
        let Some(name) = name else { break };
        let starts = starts.take();
        let pairs = starts.windows(2);
        gaps.push((
            name,
            pairs.map(|pair| pair[1].ended - pair[0].ended).collect(),
        ));
    }
    gaps
}

async fn hold_up(peer: Peer, starts: usize) {
    let blocked = async {
        let mut random = Rng::with_seed(1);
        loop {
            sleep(share(&mut random, Duration::from_secs(20))).await;
            advance(share(&mut random, 3 * MIN_INTERVAL)).await;
        }
    };
    let peer = &peer;
    let callers = (0..CALLERS).map(async |who| {
        let mut random = Rng::with_seed(who as u64);
        for _ in 0..starts / CALLERS {
            // In all a little more than there are turns for, with quiet spells in between.
            sleep(share(&mut random, CALLERS as u32 * 3 * MIN_INTERVAL)).await;
            peer.turn(who).await;
        }
    });
    let callers = futures_util::future::join_all(callers);
    tokio::select! {
        _ = callers => {}
        () = blocked => {}
    }
}

fn share(random: &mut Rng, of: Duration) -> Duration {
    of.mul_f64(random.f64())
}

/// A call at 0 s, one at 4.9 s and one as soon as may be after it: the gap between the last two, in milliseconds.
///
/// A caller of a service has it ready before it has something to send, as clients with a connection do.
fn after_quiet() -> Vec<(&'static str, Option<f64>)> {
    let rate = || Rate::new(1, MIN_INTERVAL);
    let gate = || SearchGateLayer::new(SearchGate::new(MIN_INTERVAL, BACKOFF));
    let resilience = |backpressure| resilience_layer(MIN_INTERVAL, backpressure);
    vec![
        (
            OURS,
            last_gap(async |starts| keep_ready(gate().layer(client(starts))).await),
        ),
        (
            GOVERNOR,
            last_gap(async |starts| take_turns(GOVERNOR, starts).await),
        ),
        (
            LEAKY_BUCKET,
            last_gap(async |starts| take_turns(LEAKY_BUCKET, starts).await),
        ),
        (
            RATE_LIMIT,
            last_gap(async |starts| keep_ready(RateLimit::new(client(starts), rate())).await),
        ),
        (
            BUFFERED,
            last_gap(async |starts| {
                keep_ready(Buffer::new(RateLimit::new(client(starts), rate()), CALLERS)).await;
            }),
        ),
        (
            RESILIENCE,
            last_gap(async |starts| keep_ready(resilience(false).layer(client(starts))).await),
        ),
        (
            BACKPRESSURE,
            last_gap(async |starts| keep_ready(resilience(true).layer(client(starts))).await),
        ),
    ]
}

fn last_gap(calls: impl AsyncFnOnce(&Starts)) -> Option<f64> {
    let starts = Starts::default();
    paused().block_on(calls(&starts));
    let starts = starts.take();
    let [.., before, last] = &*starts else {
        return None;
    };
    Some((last.ended - before.ended).as_millis() as f64)
}

fn client(
    starts: &Starts,
) -> impl Service<Ask, Response = Answer, Error = Infallible, Future: Send> + Clone + Send + use<> {
    let starts = starts.clone();
    tower::service_fn(move |_: Ask| {
        starts.add(0, Instant::now());
        ready(Ok(Answer::default()))
    })
}

async fn keep_ready<S: Service<Ask>>(mut service: S) {
    let late = Instant::now() + LATE;
    for at in [Instant::now(), late, late] {
        let Ok(ready) = service.ready().await else {
            panic!("the service stays ready")
        };
        sleep_until(at).await;
        assert!(
            ready.call(Ask::default()).await.is_ok(),
            "the service answers"
        );
    }
}

async fn take_turns(name: &str, starts: &Starts) {
    let late = Instant::now() + LATE;
    let peers = peers::all(MIN_INTERVAL, Time::Tokio, CALLERS, starts);
    let peer = peers.into_iter().find(|peer| peer.name == name);
    let peer = peer.expect("one of the limiters");
    for at in [Instant::now(), late, late] {
        sleep_until(at).await;
        peer.turn(0).await;
    }
}
