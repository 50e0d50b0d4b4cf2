//! The store on a server that loses, refuses, stalls and dies.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Waker},
    time::Duration,
};

use redis::{
    AsyncConnectionConfig, Client, Cmd, Pipeline, RedisFuture, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
    cmd,
};
use tokio::time::sleep;

use super::{super::store::Store, server::RedisServer, *};
use crate::gate::ledger::{
    Ask, Command, Finding, Grant, Memory, Outcome, Polling, Refused, Throttle, Tick,
};

const SECOND: Tick = 1_000_000_000;
const KEY: &str = "search-gate:test";

fn rules() -> Rules {
    Rules {
        interval: 2 * SECOND,
        burst: 1,
        grace: SECOND / 2,
        backoffs: [60 * SECOND].into(),
        backoff_cap: 900 * SECOND,
        longest_backoff: 900 * SECOND,
        widening: 0,
        lease: 30 * SECOND,
        max_in_flight: usize::MAX,
        max_queued: 100,
        waits_while_closed: false,
        polling: Some(Polling {
            window: 4,
            stagger: SECOND / 500,
            longest_sleep: 4 * SECOND,
        }),
    }
}

/// What one knows who has never seen the gate.
const NOTHING: Memory = Memory {
    born: 0,
    round: 0,
    streak: 0,
    on_trial: false,
    arrival: -SECOND,
    closed: 0,
};

const TAKE: Command = Command::Take {
    ticket: None,
    max_wait: 3600 * SECOND,
    ask: Ask::Spend,
};

const THROTTLED: Command = Command::Throttled(Throttle {
    at_least: 0,
    jitter: 0,
});

/// Counts its commands.
#[derive(Clone)]
struct Counting {
    connection: MultiplexedConnection,
    commands: Arc<AtomicUsize>,
}

impl ConnectionLike for Counting {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        self.commands.fetch_add(1, SeqCst);
        self.connection.req_packed_command(cmd)
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        self.commands.fetch_add(count, SeqCst);
        self.connection.req_packed_commands(pipeline, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }
}

struct Fixture {
    server: RedisServer,
    connection: MultiplexedConnection,
    commands: Arc<AtomicUsize>,
    store: Arc<RedisStore<Counting>>,
}

impl Fixture {
    async fn new() -> Option<Self> {
        let server = RedisServer::start()?;
        let client = Client::open(server.url()).unwrap();
        // So that no bound but the store's own is met.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let connection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await
            .unwrap();
        let commands = Arc::<AtomicUsize>::default();
        let counting = Counting {
            connection: connection.clone(),
            commands: Arc::clone(&commands),
        };
        Some(Self {
            server,
            connection,
            commands,
            store: Arc::new(RedisStore::new(counting, "test")),
        })
    }

    async fn asks(&self, command: Command) -> Answer {
        self.recalls(NOTHING, command).await
    }

    async fn recalls(&self, memory: Memory, command: Command) -> Answer {
        ask(&self.store, memory, command).await.unwrap()
    }

    async fn fails(&self) -> String {
        let error = ask(&self.store, NOTHING, TAKE).await.unwrap_err();
        error.to_string()
    }

    async fn does(&self, words: &[&str]) -> Value {
        let mut command = cmd(words[0]);
        command.arg(&words[1..]);
        let mut connection = self.connection.clone();
        command.query_async(&mut connection).await.unwrap()
    }

    /// For how many milliseconds the hash is kept from now on; negative when it is not there.
    async fn kept_for(&self) -> i64 {
        match self.does(&["PTTL", KEY]).await {
            Value::Int(milliseconds) => milliseconds,
            other => panic!("{other:?}"),
        }
    }
}

async fn ask<C>(
    store: &Arc<RedisStore<C>>,
    memory: Memory,
    command: Command,
) -> Result<Answer, BoxError>
where
    C: ConnectionLike + Clone + Send + Sync + 'static,
{
    let order = Order {
        rules: rules(),
        memory,
        command,
    };
    Arc::clone(store).apply(order).await
}

fn granted(answer: &Answer) -> Grant {
    match answer.outcome {
        Outcome::Go(grant) => grant,
        ref other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn turns_come_an_interval_apart_and_lengths_are_nanoseconds() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    granted(&fixture.asks(TAKE).await);
    let Outcome::Wait { sleep, .. } = fixture.asks(TAKE).await.outcome else {
        panic!("the interval is not over");
    };
    assert!((SECOND..=2 * SECOND).contains(&sleep), "{sleep}");
    let view = fixture.asks(TAKE).await.view;
    assert_eq!(view.interval, 2 * SECOND);
    assert_eq!(view.queued, 2);
    assert!((SECOND..=2 * SECOND).contains(&view.memory.arrival));
    assert!((5 * SECOND..=6 * SECOND).contains(&view.next_turn));
}

#[tokio::test]
async fn each_step_is_one_round_trip_once_the_script_is_known() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.asks(TAKE).await;
    let before = fixture.commands.load(SeqCst);
    for command in [TAKE, THROTTLED, Command::Started, Command::Reset] {
        fixture.asks(command).await;
    }
    assert_eq!(fixture.commands.load(SeqCst) - before, 4);
}

#[tokio::test]
async fn a_server_that_has_forgotten_the_script_is_given_it_again() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    granted(&fixture.asks(TAKE).await);
    fixture.does(&["SCRIPT", "FLUSH"]).await;
    let again = fixture.asks(TAKE).await.outcome;
    assert!(matches!(again, Outcome::Wait { .. }), "{again:?}");
}

#[tokio::test]
async fn a_lost_interval_is_brought_back_by_who_remembers_it() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let memory = fixture.asks(TAKE).await.view.memory;
    fixture.does(&["FLUSHALL"]).await;
    let answer = fixture.recalls(memory, TAKE).await;
    let Outcome::Wait { sleep, .. } = answer.outcome else {
        panic!("too early: {answer:?}");
    };
    assert!((SECOND..=2 * SECOND).contains(&sleep), "{sleep}");
    assert_ne!(answer.view.memory.born, memory.born);
}

#[tokio::test]
async fn a_lost_back_off_is_brought_back_by_who_remembers_it() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let memory = fixture.asks(THROTTLED).await.view.memory;
    assert_eq!(memory.closed, 60 * SECOND);
    fixture.does(&["FLUSHALL"]).await;
    let answer = fixture.recalls(memory, TAKE).await;
    let refused = Outcome::Refused(Refused::BackingOff { left: 60 * SECOND });
    assert_eq!(answer.outcome, refused);
    assert_eq!(answer.view.memory.streak, 1);
    // Who remembers nothing is held by it too.
    let other = fixture.asks(TAKE).await.outcome;
    assert!(matches!(
        other,
        Outcome::Refused(Refused::BackingOff { .. })
    ));
}

#[tokio::test]
async fn news_of_a_turn_that_a_lost_state_gave_closes_the_gate() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let grant = granted(&fixture.asks(TAKE).await);
    fixture.does(&["FLUSHALL"]).await;
    let throttled = Finding::Throttled(Throttle {
        at_least: 70 * SECOND,
        jitter: 0,
    });
    let answer = fixture.asks(Command::Settle(grant, throttled)).await;
    assert!(matches!(
        answer.outcome,
        Outcome::Closed { is_new: true, .. }
    ));
    assert_eq!(answer.view.memory.closed, 70 * SECOND);
}

#[tokio::test]
async fn what_nobody_remembers_is_lost_with_the_state() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.asks(THROTTLED).await;
    fixture.does(&["FLUSHALL"]).await;
    granted(&fixture.asks(TAKE).await);
}

#[tokio::test]
async fn who_writes_into_the_state_costs_one_interval() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    for (field, value) in [("arrival", "soon"), ("places", "1:2"), ("round", "-1")] {
        fixture.does(&["DEL", KEY]).await;
        fixture.asks(Command::Started).await;
        fixture.does(&["HSET", KEY, field, value]).await;
        let answer = fixture.asks(TAKE).await;
        let Outcome::Wait { sleep, .. } = answer.outcome else {
            panic!("too early: {answer:?}");
        };
        assert_eq!(sleep, 2 * SECOND);
    }
}

#[tokio::test]
async fn another_layout_is_left_as_it_is() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.asks(TAKE).await;
    fixture.does(&["HSET", KEY, "layout", "2"]).await;
    let before = fixture.does(&["HGETALL", KEY]).await;
    let error = fixture.fails().await;
    assert!(error.contains("another version"), "{error}");
    assert!(error.contains(KEY), "{error}");
    assert_eq!(fixture.does(&["HGETALL", KEY]).await, before);
}

#[tokio::test]
async fn a_key_that_holds_something_else_is_named_and_left_as_it_is() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.does(&["SET", KEY, "mine"]).await;
    let error = fixture.fails().await;
    assert!(error.contains("choose another key"), "{error}");
    assert!(error.contains(KEY), "{error}");
    let kept = fixture.does(&["GET", KEY]).await;
    assert_eq!(kept, Value::BulkString(b"mine".to_vec()));
}

#[tokio::test]
async fn a_server_that_stalls_costs_a_quarter_of_a_second() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.asks(TAKE).await;
    fixture.server.suspend();
    // The connection itself would wait for ever.
    let error = fixture.fails().await;
    assert_eq!(error, "Redis has not answered within 250ms");
    fixture.server.go_on();
    let after = fixture.asks(TAKE).await.outcome;
    assert!(matches!(after, Outcome::Wait { .. }), "{after:?}");
}

#[tokio::test]
async fn a_server_that_dies_is_found_again_when_it_is_back() {
    let Some(mut server) = RedisServer::start() else {
        return;
    };
    let client = Client::open(server.url()).unwrap();
    let config = ConnectionManagerConfig::new().set_number_of_retries(1);
    let connection = ConnectionManager::new_with_config(client, config);
    let store = Arc::new(RedisStore::new(connection.await.unwrap(), "test"));
    let memory = ask(&store, NOTHING, THROTTLED).await.unwrap().view.memory;
    server.kill();
    for _ in 0..3 {
        ask(&store, memory, TAKE).await.unwrap_err();
    }
    server.run();
    let answer = loop {
        match ask(&store, memory, TAKE).await {
            Ok(answer) => break answer,
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    };
    let refused = Outcome::Refused(Refused::BackingOff { left: 60 * SECOND });
    assert_eq!(answer.outcome, refused);
}

#[tokio::test]
async fn an_idle_hash_expires_and_one_that_remembers_a_back_off_does_not_yet() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.asks(Command::Reset).await;
    let kept = fixture.kept_for().await;
    assert!((0..=10_000).contains(&kept), "{kept}");
    fixture.asks(TAKE).await;
    let kept = fixture.kept_for().await;
    assert!(
        (30_000..=40_000).contains(&kept),
        "a turn may be out: {kept}"
    );
    fixture.asks(THROTTLED).await;
    let kept = fixture.kept_for().await;
    assert!((960_000..=970_000).contains(&kept), "{kept}");
    fixture.does(&["PEXPIRE", KEY, "1"]).await;
    while fixture.kept_for().await >= 0 {
        sleep(Duration::from_millis(5)).await;
    }
    granted(&fixture.asks(TAKE).await);
}

#[tokio::test]
async fn a_queue_is_bounded() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    granted(&fixture.asks(TAKE).await);
    for _ in 0..100 {
        let outcome = fixture.asks(TAKE).await.outcome;
        assert!(matches!(outcome, Outcome::Wait { .. }), "{outcome:?}");
    }
    let outcome = fixture.asks(TAKE).await.outcome;
    let Outcome::Refused(Refused::QueueFull { next }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!((0..=2 * SECOND).contains(&next));
}

#[test]
fn what_is_told_outside_of_the_runtime_is_done_in_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let Some(fixture) = runtime.block_on(Fixture::new()) else {
        return;
    };
    let order = Order {
        rules: rules(),
        memory: NOTHING,
        command: THROTTLED,
    };
    let mut applying = Arc::clone(&fixture.store).apply(order.clone());
    let mut cx = Context::from_waker(Waker::noop());
    assert!(applying.as_mut().poll(&mut cx).is_pending());
    drop(applying);
    runtime.block_on(async {
        while fixture.kept_for().await < 0 {
            sleep(Duration::from_millis(5)).await;
        }
        let outcome = fixture.asks(TAKE).await.outcome;
        assert!(matches!(
            outcome,
            Outcome::Refused(Refused::BackingOff { .. })
        ));
    });
    // Once the runtime is gone there is an error, and no panic.
    let Fixture { store, server, .. } = fixture;
    drop(runtime);
    let mut applying = store.apply(order);
    assert!(matches!(
        applying.as_mut().poll(&mut cx),
        std::task::Poll::Ready(Err(_))
    ));
    drop(server);
}
