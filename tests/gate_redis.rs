//! Gates of several programs on one redis-server, which each test starts for itself.
#![cfg(all(unix, feature = "redis"))]

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the store's own tests use the rest"
)]
#[path = "../src/gate/share/redis/server.rs"]
mod server;

use std::time::Duration;

use redis::{
    AsyncCommands, Client,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use search_gate::{SearchGate, SearchGateBuilder, WhileUnreachable};
use tokio::time::{Instant, sleep};

use self::server::RedisServer;

const INTERVAL: Duration = Duration::from_millis(200);

/// How much closer than the interval two starts may come on the wire: a turn is used no later than an eighth of it after it was given.
const SLACK: Duration = Duration::from_millis(25);

/// The gate of one more program.
async fn gate(server: &RedisServer, set: fn(SearchGateBuilder) -> SearchGateBuilder) -> SearchGate {
    let client = Client::open(server.url()).unwrap();
    let config = ConnectionManagerConfig::new().set_number_of_retries(1);
    let connection = ConnectionManager::new_with_config(client, config);
    let builder = SearchGate::builder()
        .interval(INTERVAL)
        .backoff(Duration::from_secs(60))
        .shared_redis(connection.await.unwrap(), "duckduckgo");
    set(builder).build().unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[tokio::test]
async fn programs_take_turns() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let mut callers = Vec::new();
    for _ in 0..3 {
        let gate = gate(&server, |builder| builder).await;
        callers.push(tokio::spawn(async move {
            let mut starts = Vec::new();
            for _ in 0..3 {
                gate.take_turn(soon()).await.unwrap();
                starts.push(Instant::now());
            }
            starts
        }));
    }
    let mut starts = Vec::new();
    for caller in callers {
        starts.extend(caller.await.unwrap());
    }
    starts.sort_unstable();
    for pair in starts.windows(2) {
        let apart = pair[1] - pair[0];
        assert!(apart >= INTERVAL - SLACK, "{apart:?}");
    }
}

#[tokio::test]
async fn a_back_off_of_one_program_refuses_the_others_and_outlives_the_servers_memory() {
    let Some(mut server) = RedisServer::start() else {
        return;
    };
    let one = gate(&server, |builder| builder).await;
    let other = gate(&server, |builder| {
        builder.while_unreachable(WhileUnreachable::Refuse)
    });
    let other = other.await;
    one.throttled();
    while other.turn(soon()).await.is_ok() {}
    server.run();
    let client = Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let mut is_kept = false;
    while !is_kept {
        let refused = other.turn(soon()).await.unwrap_err();
        assert!(refused.is_backing_off() || refused.is_unreachable());
        sleep(Duration::from_millis(50)).await;
        is_kept = connection.exists("search-gate:duckduckgo").await.unwrap();
    }
    let third = gate(&server, |builder| builder).await;
    let refused = third.turn(soon()).await.unwrap_err();
    assert!(refused.is_backing_off());
}

#[tokio::test]
async fn a_program_that_would_rather_not_go_alone_is_refused_while_the_server_is_gone() {
    let Some(mut server) = RedisServer::start() else {
        return;
    };
    let gate = gate(&server, |builder| {
        builder.while_unreachable(WhileUnreachable::Refuse)
    });
    let gate = gate.await;
    gate.take_turn(soon()).await.unwrap();
    server.kill();
    let refused = gate.turn(soon()).await.unwrap_err();
    assert!(refused.is_unreachable(), "{refused}");
    server.run();
    while gate.take_turn(soon()).await.is_err() {
        sleep(Duration::from_millis(50)).await;
    }
}

/// A connection to a server that does not run.
fn to_nobody() -> ConnectionManager {
    let client = Client::open("redis://127.0.0.1:1/").unwrap();
    let config = ConnectionManagerConfig::new().set_number_of_retries(1);
    ConnectionManager::new_lazy_with_config(client, config).unwrap()
}

#[tokio::test]
async fn a_program_that_starts_while_the_server_is_down_paces_itself() {
    let gate = SearchGate::builder().shared_redis(to_nobody(), "duckduckgo");
    let gate = gate.interval(INTERVAL).build().unwrap();
    let begun = Instant::now();
    for _ in 0..2 {
        gate.take_turn(soon()).await.unwrap();
    }
    assert!(begun.elapsed() >= INTERVAL);
    assert!(gate.snapshot().out_of_reach);
}

#[tokio::test]
async fn an_empty_key_is_refused() {
    let gate = SearchGate::builder().shared_redis(to_nobody(), "");
    let error = gate.build().unwrap_err().to_string();
    assert!(error.contains("key") && error.contains("empty"), "{error}");
}
