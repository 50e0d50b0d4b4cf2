//! The store on a server that loses, refuses, stalls and dies.

mod losses;
mod outages;
mod steps;

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
    cmd, from_redis_value,
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
    arrival: Tick::MIN,
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
