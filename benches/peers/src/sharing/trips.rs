//! How often each thing that a caller does goes to Redis, as the server counts it while nobody else asks it anything.

use std::time::Duration;

use redis::{FromRedisValue, aio::MultiplexedConnection, cmd};
use search_gate::{Backoff, SearchGate, Verdict};
use tokio::time::{Instant, sleep, timeout};

use super::{
    server::RedisServer,
    store::{Store, connect},
    turns::runtime,
};
use crate::{peers::FAR, report::Section};

/// Longer than what is told in the background takes to arrive.
const ARRIVED: Duration = Duration::from_millis(50);

pub(super) fn measure(server: &RedisServer) -> Section {
    let mut section = Section::new("What goes to Redis, as the server counts it").without_ratios();
    runtime().block_on(async {
        let mut counter = Counter::new(server).await;
        counter.watch_all(&mut section).await;
    });
    section
}

struct Counter {
    url: String,
    connection: MultiplexedConnection,
}

/// What the server has counted since it was started.
struct Seen {
    answers: u64,
    scripts: u64,
}

impl Counter {
    async fn new(server: &RedisServer) -> Self {
        let url = server.url();
        let connection = connect(&url).await;
        Self { url, connection }
    }

    async fn watch_all(&mut self, section: &mut Section) {
        let far = Instant::now() + FAR;
        let free = self.gate("free", Duration::ZERO).await;
        self.ask::<()>("SCRIPT", "FLUSH").await;
        let take = async || free.take_turn(far).await.expect("the gate is open");
        let name = "the first turn of all, which brings the script";
        self.watch(section, name, &free, take).await;
        self.watch(section, "a turn that is free", &free, take)
            .await;
        let settle = async || {
            let turn = free.turn(far).await.expect("the gate is open");
            turn.settle(Verdict::Answered);
        };
        self.watch(section, "the same, and its verdict", &free, settle)
            .await;

        let paced = self.gate("paced", Duration::from_millis(200)).await;
        paced.take_turn(far).await.expect("the gate is open");
        let wait = async || paced.take_turn(far).await.expect("the gate is open");
        self.watch(section, "a turn that is waited for", &paced, wait)
            .await;

        let slow = self.gate("slow", Duration::from_secs(60)).await;
        slow.take_turn(far).await.expect("the gate is open");
        let give_up = async || {
            let waited = timeout(ARRIVED, slow.take_turn(far)).await;
            assert!(waited.is_err(), "the next turn is a minute away");
        };
        self.watch(section, "a place, and giving it up", &slow, give_up)
            .await;

        let throttle = async || free.throttled();
        self.watch(section, "news of a throttle", &free, throttle)
            .await;
        self.watch(
            section,
            "the trial after it, and its verdict",
            &free,
            settle,
        )
        .await;
    }

    /// A gate whose back-offs are over before anyone looks.
    async fn gate(&self, key: &str, interval: Duration) -> SearchGate {
        let store = Store::Redis {
            url: self.url.clone(),
            key: key.to_owned(),
        };
        let backoff = Backoff::fixed(Duration::from_millis(1));
        let settings = SearchGate::builder().interval(interval).backoff(backoff);
        store.gate(settings).await
    }

    async fn watch(
        &mut self,
        section: &mut Section,
        name: &str,
        gate: &SearchGate,
        work: impl AsyncFn(),
    ) {
        let orders = || gate.snapshot().counts.store_orders;
        sleep(ARRIVED).await;
        let (before, asked) = (self.seen().await, orders());
        work().await;
        sleep(ARRIVED).await;
        let (after, asked) = (self.seen().await, orders() - asked);
        // The first look was answered after it had looked.
        let trips = after.answers - before.answers - 1;
        let scripts = after.scripts - before.scripts;
        let counts = [
            ("store operations", asked),
            ("round trips", trips),
            ("calls of the script", scripts),
        ];
        let counts = counts.map(|(name, count)| (name, Some(count as f64)));
        section.add(name, "", counts);
    }

    async fn ask<T: FromRedisValue>(&mut self, command: &str, what: &str) -> T {
        let mut command = cmd(command);
        let answered = command.arg(what).query_async(&mut self.connection).await;
        answered.expect("the server answers")
    }

    async fn seen(&mut self) -> Seen {
        let told: String = self.ask("INFO", "all").await;
        let number = |before: &str| -> u64 {
            let mut lines = told.lines();
            let rest = lines.find_map(|line| line.strip_prefix(before));
            let digits = rest.map(|rest| rest.split(',').next().unwrap_or(rest));
            digits.map_or(0, |digits| digits.parse().expect("a count"))
        };
        Seen {
            answers: number("total_writes_processed:"),
            scripts: number("cmdstat_evalsha:calls="),
        }
    }
}
