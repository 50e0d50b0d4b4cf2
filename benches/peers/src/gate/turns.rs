//! A turn that is free: no one waits, nothing is closed.

use std::{convert::Infallible, future::ready, num::NonZeroU32, sync::Arc, time::Duration};

use governor::RateLimiter;
use search_gate::{BACKOFF, SearchGate, Verdict};
use tokio::{runtime::Runtime, time::Instant};
use tower::{Layer, Service, ServiceExt, buffer::Buffer, limit::RateLimit, limit::rate::Rate};

use super::Sizes;
use crate::{
    measure::{self, Timed, cpu, medians, nanos_each},
    peers::{
        BUFFERED, FAR, GOVERNOR, LEAKY_BUCKET, RATE_LIMIT, RESILIENCE, one_in, resilience_layer,
    },
    report::{OURS, Section},
};

/// So short that every turn is free.
pub(super) const AT_ONCE: Duration = Duration::from_nanos(1);

/// For limiters of so many in a period, so many that every turn is free: tokio's timers know nothing under a millisecond.
pub(super) fn rate() -> Rate {
    Rate::new(u64::MAX, Duration::from_secs(1))
}

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section =
        Section::new("A turn that is free at once (CPU time; in brackets the ratio to ours)");
    let runtime = measure::runtime();
    let subjects = subjects(&runtime, sizes.batch);
    let times = medians(sizes.rounds, subjects);
    let with_verdict = "search-gate, turn and verdict";
    let each = |time| Some(nanos_each(time, sizes.batch));
    let of = |wanted: &str| times.iter().find(|(name, _)| *name == wanted);
    let plain = times.iter().filter(|(name, _)| *name != with_verdict);
    section.add(
        "free turn",
        "ns",
        plain.map(|&(name, time)| (name, each(time))),
    );
    section.add(
        "free turn and its verdict",
        "ns",
        of(with_verdict).map(|&(_, time)| (OURS, each(time))),
    );
    section
}

fn subjects(runtime: &Runtime, batch: usize) -> Vec<Timed<'_>> {
    let far = Instant::now() + FAR;
    let gate = SearchGate::new(AT_ONCE, BACKOFF);
    let same = gate.clone();
    let governor = RateLimiter::direct(one_in(AT_ONCE).allow_burst(NonZeroU32::MAX));
    let leaky_bucket = leaky_bucket::RateLimiter::builder()
        .max(usize::MAX / 2)
        .initial(usize::MAX / 2)
        .interval(Duration::from_millis(1))
        .build();
    let leaky_bucket = Arc::new(leaky_bucket);
    let inner = tower::service_fn(|()| ready(Ok::<_, Infallible>(())));
    let mut rate_limit = {
        let _in_runtime = runtime.enter();
        RateLimit::new(inner, rate())
    };
    let mut buffered = {
        let _in_runtime = runtime.enter();
        Buffer::new(RateLimit::new(inner, rate()), 16)
    };
    let mut resilience = resilience_layer(AT_ONCE, false).layer(inner);
    vec![
        each(OURS, runtime, batch, async move || {
            gate.take_turn(far).await.expect("the gate is open");
        }),
        each(
            "search-gate, turn and verdict",
            runtime,
            batch,
            async move || {
                let turn = same.turn(far).await.expect("the gate is open");
                turn.settle(Verdict::Answered);
            },
        ),
        each(GOVERNOR, runtime, batch, async move || {
            governor.until_ready().await
        }),
        each(LEAKY_BUCKET, runtime, batch, async move || {
            leaky_bucket.acquire_one().await
        }),
        each(RATE_LIMIT, runtime, batch, async move || {
            call(&mut rate_limit).await
        }),
        each(BUFFERED, runtime, batch, async move || {
            call(&mut buffered).await
        }),
        each(RESILIENCE, runtime, batch, async move || {
            call(&mut resilience).await
        }),
    ]
}

async fn call<S: Service<()>>(service: &mut S) {
    let Ok(ready) = service.ready().await else {
        panic!("the service stays ready")
    };
    assert!(ready.call(()).await.is_ok(), "the service answers");
}

/// A batch of turns, one after another.
fn each<'a>(
    name: &'static str,
    runtime: &'a Runtime,
    batch: usize,
    mut turn: impl AsyncFnMut() + 'a,
) -> Timed<'a> {
    let run = move || {
        cpu(|| {
            runtime.block_on(async {
                for _ in 0..batch {
                    turn().await;
                }
            });
        })
    };
    (name, Box::new(run))
}
