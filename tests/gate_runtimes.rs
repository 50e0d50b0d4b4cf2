//! One gate serves callers in several runtimes, at once and one after another, and in one task as well as in many.

mod support;

use std::{pin::pin, sync::mpsc, thread, time::Duration};

use futures_util::{FutureExt, StreamExt, future::join_all, stream::FuturesUnordered};
use search_gate::{BACKOFF, SearchGate};
use support::{INTERVAL, caller, far, gate};
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, advance, sleep},
};

fn runtime(paused: bool) -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(paused)
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_branches_of_one_join_go_in_order() {
    let gate = gate();
    let begun = Instant::now();
    let turn = async |gate: &SearchGate| {
        gate.take_turn(far()).await.unwrap();
        begun.elapsed()
    };
    let starts = tokio::join!(turn(&gate), turn(&gate), turn(&gate), turn(&gate));
    let expected = (Duration::ZERO, INTERVAL, INTERVAL * 2, INTERVAL * 3);
    assert_eq!(starts, expected);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_futures_of_one_task_go_in_order() {
    let gate = gate();
    let begun = Instant::now();
    let turn = async |who: u32| {
        gate.take_turn(far()).await.unwrap();
        (who, begun.elapsed())
    };
    let starts: Vec<_> = (0..100)
        .map(turn)
        .collect::<FuturesUnordered<_>>()
        .collect()
        .await;
    let expected: Vec<_> = (0..100).map(|who| (who, INTERVAL * who)).collect();
    assert_eq!(starts, expected);
    assert_eq!(gate.snapshot().counts.cancelled, 0);
}

#[tokio::test(start_paused = true)]
async fn a_select_in_a_loop_keeps_its_place() {
    let gate = gate();
    let begun = Instant::now();
    gate.take_turn(far()).await.unwrap();
    let mut turn = pin!(gate.take_turn(far()));
    let mut ticks = 0;
    loop {
        tokio::select! {
            biased;
            answer = &mut turn => break answer.unwrap(),
            () = sleep(INTERVAL / 10) => ticks += 1,
        }
    }
    assert_eq!(begun.elapsed(), INTERVAL);
    assert_eq!(ticks, 9);
    assert_eq!(gate.snapshot().counts.cancelled, 0);
}

#[test]
fn runtimes_on_several_threads_share_the_pace() {
    let interval = Duration::from_millis(5);
    let gate = SearchGate::new(interval, BACKOFF);
    let begun = std::time::Instant::now();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let gate = gate.clone();
            thread::spawn(move || {
                runtime(false).block_on(join_all((0..10).map(|_| gate.take_turn(far()))))
            })
        })
        .collect();
    for thread in threads {
        for answer in thread.join().unwrap() {
            answer.unwrap();
        }
    }
    assert!(begun.elapsed() >= interval * 39);
    assert_eq!(gate.snapshot().counts.granted, 40);
}

#[test]
fn a_back_off_told_in_one_runtime_refuses_who_waits_in_another() {
    let gate = gate();
    let elsewhere = gate.clone();
    let (queued, is_queued) = mpsc::channel();
    let waiting = thread::spawn(move || {
        runtime(false).block_on(async {
            elsewhere.take_turn(far()).await.unwrap();
            let mut turn = pin!(elsewhere.take_turn(far()));
            assert!((&mut turn).now_or_never().is_none());
            queued.send(()).unwrap();
            turn.await
        })
    });
    is_queued.recv().unwrap();
    gate.throttled();
    waiting.join().unwrap().unwrap_err();
}

#[test]
fn a_clock_that_ran_ahead_in_another_runtime_holds_the_gate_up_for_one_interval() {
    let gate = runtime(true).block_on(async { gate() });
    runtime(true).block_on(async {
        advance(Duration::from_secs(3600)).await;
        gate.take_turn(far()).await.unwrap();
    });
    runtime(true).block_on(async {
        let begun = Instant::now();
        gate.take_turn(far()).await.unwrap();
        assert!(begun.elapsed() <= INTERVAL + Duration::from_millis(1));
    });
}

#[test]
fn what_a_snapshot_tells_of_a_clock_that_ran_ahead_is_what_a_caller_would_wait() {
    let gate = runtime(true).block_on(async { gate() });
    runtime(true).block_on(async {
        advance(Duration::from_secs(3600)).await;
        gate.take_turn(far()).await.unwrap();
    });
    runtime(true).block_on(async {
        assert_eq!(gate.snapshot().next_turn, INTERVAL);
    });
}

#[test]
fn a_runtime_that_ended_leaves_a_gate_that_works_in_the_next() {
    let gate = runtime(true).block_on(async { gate() });
    for _ in 0..3 {
        runtime(true).block_on(async {
            gate.take_turn(far()).await.unwrap();
            for _ in 0..5 {
                let handle = gate.clone();
                tokio::spawn(async move { handle.take_turn(far()).await });
            }
            tokio::task::yield_now().await;
            assert_eq!(gate.snapshot().queued, 5);
        });
        assert_eq!(gate.snapshot().queued, 0);
    }
}

#[test]
fn a_turn_that_is_free_needs_no_runtime() {
    let gate = gate();
    gate.take_turn(far()).now_or_never().unwrap().unwrap();
    gate.throttled();
    gate.take_turn(far()).now_or_never().unwrap().unwrap_err();
}

#[test]
fn a_caller_that_panics_for_want_of_a_runtime_gives_its_place_up() {
    let gate = gate();
    gate.take_turn(far()).now_or_never().unwrap().unwrap();
    let handle = gate.clone();
    thread::spawn(move || handle.take_turn(far()).now_or_never())
        .join()
        .expect_err("it cannot wait without a timer");
    assert_eq!(gate.snapshot().queued, 0);
}

#[test]
fn a_caller_moved_to_another_runtime_goes_on_waiting_there() {
    let gate = gate();
    let (one, other) = (runtime(true), runtime(true));
    let mut moved = caller(&gate, far());
    one.block_on(async {
        gate.take_turn(far()).await.unwrap();
        assert!(moved.poll().is_pending());
    });
    other.block_on(async {
        assert!(moved.poll().is_pending());
        advance(INTERVAL * 2).await;
        assert!(moved.poll().is_ready());
    });
}

#[test]
fn a_caller_left_over_by_a_runtime_that_ended_can_still_be_refused_or_dropped() {
    let gate = gate();
    let [mut refused, dropped] = runtime(true).block_on(async {
        gate.take_turn(far()).await.unwrap();
        let mut left_over = [caller(&gate, far()), caller(&gate, far())];
        for waiting in &mut left_over {
            assert!(waiting.poll().is_pending());
        }
        left_over
    });
    drop(dropped);
    gate.throttled();
    assert!(refused.is_woken());
    assert!(refused.poll().is_ready());
    assert_eq!(gate.snapshot().queued, 0);
}
