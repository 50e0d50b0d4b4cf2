//! The limiters, each set to one start an interval, and how a caller waits for its turn at each.

use std::{
    convert::Infallible,
    future::{Future, ready},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use governor::{Quota, RateLimiter, clock::Clock, nanos::Nanos};
use search_gate::{BACKOFF, SearchGate};
use tokio::time::{Instant, sleep};
use tower::{ServiceExt, buffer::Buffer, limit::RateLimit, limit::rate::Rate};
use tower_resilience_ratelimiter::{RateLimiterLayer, WindowType};

use crate::{
    report::OURS,
    watch::{Polls, Starts, Wait},
};

/// How the subjects are called in every table.
pub const GOVERNOR: &str = "governor";
pub const LEAKY_BUCKET: &str = "leaky-bucket";
pub const RATE_LIMIT: &str = "RateLimit";
pub const BUFFERED: &str = "Buffer(RateLimit)";
pub const RESILIENCE: &str = "tower-resilience";

/// Longer than any comparison runs.
pub const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// One limiter that many callers share.
pub struct Peer {
    pub name: &'static str,
    wait: Box<dyn Fn(usize) -> Wait + Send + Sync>,
    /// Where starts are to be noted, if the limiter does not do so itself.
    starts: Option<Starts>,
    /// How often a task that the limiter needs beside its callers' has been polled.
    pub worker_polls: Polls,
}

/// By which clock the subjects go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    Real,
    /// tokio's, which may be paused. governor has no such wait: its own decision is taken, and slept for as its `until_ready` does.
    Tokio,
}

/// All limiters that callers can share, ours first. Must be called within a runtime.
#[must_use]
pub fn all(interval: Duration, time: Time, callers: usize, starts: &Starts) -> Vec<Peer> {
    vec![
        search_gate(interval, callers, starts),
        match time {
            Time::Real => governor_until_ready(interval, starts),
            Time::Tokio => governor_on_tokio(interval, starts),
        },
        leaky_bucket(interval, starts),
        buffered_rate_limit(interval, callers, starts),
        resilience(interval, starts),
    ]
}

fn search_gate(interval: Duration, callers: usize, starts: &Starts) -> Peer {
    let gate = SearchGate::builder()
        .interval(interval)
        .backoff(BACKOFF)
        .max_queued(callers)
        .build()
        .expect("a sound setting");
    Peer::noting(OURS, starts, move || {
        let gate = gate.clone();
        async move {
            let turn = gate.take_turn(Instant::now() + FAR).await;
            turn.expect("no back-off has begun");
        }
    })
}

fn governor_until_ready(interval: Duration, starts: &Starts) -> Peer {
    let limiter = Arc::new(RateLimiter::direct(one_in(interval)));
    Peer::noting(GOVERNOR, starts, move || {
        let limiter = Arc::clone(&limiter);
        async move { limiter.until_ready().await }
    })
}

fn governor_on_tokio(interval: Duration, starts: &Starts) -> Peer {
    let limiter = Arc::new(OnTokio::new(interval));
    Peer::noting(GOVERNOR, starts, move || {
        let limiter = Arc::clone(&limiter);
        async move { limiter.until_ready().await }
    })
}

fn leaky_bucket(interval: Duration, starts: &Starts) -> Peer {
    let limiter = leaky_bucket::RateLimiter::builder()
        .max(1)
        .initial(1)
        .refill(1)
        .interval(interval)
        .build();
    let limiter = Arc::new(limiter);
    Peer::noting(LEAKY_BUCKET, starts, move || {
        Arc::clone(&limiter).acquire_owned(1)
    })
}

fn buffered_rate_limit(interval: Duration, callers: usize, starts: &Starts) -> Peer {
    let starts = starts.clone();
    let starting = tower::service_fn(move |who: usize| {
        starts.add(who, Instant::now());
        ready(Ok::<_, Infallible>(()))
    });
    let limited = RateLimit::new(starting, Rate::new(1, interval));
    let (buffer, worker) = Buffer::pair(limited, callers);
    let polls = Polls::default();
    tokio::spawn(polls.clone().count(worker));
    Peer {
        name: BUFFERED,
        wait: Box::new(move |who| {
            let call = buffer.clone().oneshot(who);
            Box::pin(async move { call.await.expect("the worker runs") })
        }),
        starts: None,
        worker_polls: polls,
    }
}

fn resilience(interval: Duration, starts: &Starts) -> Peer {
    let layer = resilience_layer(interval, false);
    let limited = tower::Layer::layer(
        &layer,
        tower::service_fn(|()| ready(Ok::<_, Infallible>(()))),
    );
    Peer::noting(RESILIENCE, starts, move || {
        let call = limited.clone().oneshot(());
        async move { call.await.expect("its time limit is far") }
    })
}

/// Of its algorithms the one that keeps a gap.
#[must_use]
pub fn resilience_layer(interval: Duration, backpressure: bool) -> RateLimiterLayer {
    let builder = RateLimiterLayer::builder()
        .limit_for_period(1)
        .refresh_period(interval)
        .window_type(WindowType::SlidingLog)
        .timeout_duration(FAR);
    let builder = match backpressure {
        true => builder.backpressure(),
        false => builder,
    };
    builder.build().expect("a sound setting")
}

/// One at a time, and the next an interval later.
#[must_use]
pub fn one_in(interval: Duration) -> Quota {
    let quota = Quota::with_period(interval).expect("no interval is zero");
    quota.allow_burst(NonZeroU32::MIN)
}

/// governor's rule on tokio's clock, and its way to wait.
pub struct OnTokio {
    limiter: RateLimiter<
        governor::state::NotKeyed,
        governor::state::InMemoryState,
        TokioClock,
        governor::middleware::NoOpMiddleware<Nanos>,
    >,
    clock: TokioClock,
}

impl OnTokio {
    #[must_use]
    pub fn new(interval: Duration) -> Self {
        let clock = TokioClock(Instant::now());
        Self {
            limiter: RateLimiter::direct_with_clock(one_in(interval), clock.clone()),
            clock,
        }
    }

    /// Looks, sleeps for as long as the answer says, looks again.
    pub async fn until_ready(&self) {
        while let Err(not_yet) = self.limiter.check() {
            sleep(not_yet.wait_time_from(self.clock.now())).await;
        }
    }
}

#[derive(Debug, Clone)]
struct TokioClock(Instant);

impl Clock for TokioClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}

impl Peer {
    /// A limiter whose callers start in the poll in which their wait is over.
    fn noting<F>(
        name: &'static str,
        starts: &Starts,
        wait: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self {
            name,
            wait: Box::new(move |_| Box::pin(wait())),
            starts: Some(starts.clone()),
            worker_polls: Polls::default(),
        }
    }

    /// The bare wait of caller `who`, as costs are measured.
    #[must_use]
    pub fn wait(&self, who: usize) -> Wait {
        (self.wait)(who)
    }

    /// The wait of caller `who`, and its start noted.
    #[must_use]
    pub fn turn(&self, who: usize) -> Wait {
        let wait = self.wait(who);
        match &self.starts {
            Some(starts) => Box::pin(starts.clone().note(who, wait)),
            None => wait,
        }
    }
}
