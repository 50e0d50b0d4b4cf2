//! A server that stalls or dies, and callers without a runtime.

use std::sync::mpsc;

use tokio::runtime::Runtime;

use super::*;

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

/// A runtime that is not this thread's, and a server; `None` where no server is to be had.
fn of_one_worker() -> Option<(Runtime, Fixture)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let fixture = runtime.block_on(Fixture::new())?;
    Some((runtime, fixture))
}

/// Until it is dropped, the runtime's worker has no time to hear an answer before nobody waits for it any more.
fn keep_busy(runtime: &Runtime) -> mpsc::Sender<()> {
    let (busy, is_busy) = mpsc::channel();
    let (free, is_free) = mpsc::channel();
    runtime.spawn(async move {
        busy.send(()).unwrap();
        is_free.recv().unwrap_err();
    });
    is_busy.recv().unwrap();
    free
}

#[test]
fn what_is_told_outside_of_the_runtime_is_done_in_it() {
    let Some((runtime, fixture)) = of_one_worker() else {
        return;
    };
    let order = Order {
        rules: rules(),
        memory: NOTHING,
        command: THROTTLED,
    };
    let mut applying = Arc::clone(&fixture.store).apply(order.clone());
    let mut cx = Context::from_waker(Waker::noop());
    let free = keep_busy(&runtime);
    assert!(applying.as_mut().poll(&mut cx).is_pending());
    drop((applying, free));
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

#[test]
fn a_store_that_was_made_outside_of_a_runtime_knows_the_one_it_was_used_in() {
    let Some((runtime, fixture)) = of_one_worker() else {
        return;
    };
    let store = Arc::new(RedisStore::new(fixture.connection.clone(), "test"));
    let told = |command| {
        Arc::clone(&store).apply(Order {
            rules: rules(),
            memory: NOTHING,
            command,
        })
    };
    runtime.block_on(told(TAKE)).unwrap();
    let mut cx = Context::from_waker(Waker::noop());
    let free = keep_busy(&runtime);
    assert!(told(THROTTLED).as_mut().poll(&mut cx).is_pending());
    drop(free);
    runtime.block_on(async {
        let is_closed = async || fixture.asks(TAKE).await.view.memory.closed > 0;
        while !is_closed().await {
            sleep(Duration::from_millis(5)).await;
        }
    });
}
