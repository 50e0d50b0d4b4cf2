//! A server that has lost, or been given, what it should not.

use redis::RedisError;

use super::*;

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
    let error = ask(&fixture.store, NOTHING, TAKE).await.unwrap_err();
    let source = error.source().unwrap();
    assert!(source.is::<RedisError>(), "{source:?}");
    let error = error.to_string();
    assert!(error.contains("choose another key"), "{error}");
    assert!(error.contains(KEY), "{error}");
    let kept = fixture.does(&["GET", KEY]).await;
    assert_eq!(kept, Value::BulkString(b"mine".to_vec()));
}
