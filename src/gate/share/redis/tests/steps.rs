//! What a step costs, answers and keeps.

use super::*;

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
async fn the_clock_is_the_servers_and_the_layout_the_first() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let time = fixture.does(&["TIME"]).await;
    let (seconds, micros): (i64, i64) = from_redis_value(time).unwrap();
    let born = fixture.asks(TAKE).await.view.memory.born;
    let since = born - (seconds * 1_000_000 + micros);
    assert!((0..10_000_000).contains(&since), "{since}");
    let layout = fixture.does(&["HGET", KEY, "layout"]).await;
    assert_eq!(layout, Value::BulkString(b"1".to_vec()));
}

#[tokio::test]
async fn the_newer_protocol_will_do() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let client = Client::open(format!("{}?protocol=resp3", server.url())).unwrap();
    let connection = client.get_multiplexed_async_connection().await.unwrap();
    let store = Arc::new(RedisStore::new(connection, "test"));
    granted(&ask(&store, NOTHING, TAKE).await.unwrap());
    let second = ask(&store, NOTHING, TAKE).await.unwrap().outcome;
    assert!(matches!(second, Outcome::Wait { .. }), "{second:?}");
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
