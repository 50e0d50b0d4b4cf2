//! Threads that meet at the gate, under a scheduler that decides who runs at every lock: no wake is lost, whatever it decides. A lost one
//! leaves every thread asleep, which the scheduler reports.
//!
//! Built and run with `RUSTFLAGS='--cfg shuttle'`; nothing here waits for time to pass.

use std::{
    future::poll_fn,
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    task::Poll,
    time::Duration,
};

use shuttle::{future::block_on, sync::Arc, thread};
use tokio::time::Instant;

use super::{BACKOFF, SearchGate, Verdict, WhileBackingOff};

const SCHEDULES: usize = 3_000;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

/// Runs `test` under many schedules, half of them drawn evenly and half with few changes of threads, which finds other faults.
fn under_many_schedules(test: impl Fn() + Send + Sync + Clone + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let _entered = runtime.enter();
    shuttle::check_random(test.clone(), SCHEDULES);
    shuttle::check_pct(test, SCHEDULES, 3);
}

fn one_at_a_time() -> SearchGate {
    let gate = SearchGate::builder().interval(Duration::ZERO);
    gate.max_in_flight(1).build().unwrap()
}

/// Waits for a turn and sends for a moment, beside nobody else.
fn take_a_turn(gate: &SearchGate, out: &AtomicUsize) {
    let turn = block_on(gate.turn(far())).unwrap();
    assert_eq!(out.fetch_add(1, SeqCst), 0, "two are out");
    thread::yield_now();
    out.fetch_sub(1, SeqCst);
    turn.settle(Verdict::Answered);
}

#[test]
fn whoever_is_next_hears_of_a_turn_that_is_out_no_more() {
    under_many_schedules(|| {
        let (gate, out) = (one_at_a_time(), Arc::new(AtomicUsize::new(0)));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let (gate, out) = (gate.clone(), Arc::clone(&out));
                thread::spawn(move || {
                    take_a_turn(&gate, &out);
                    take_a_turn(&gate, &out);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(gate.snapshot().counts.granted, 6);
    });
}

#[test]
fn a_caller_that_leaves_as_its_turn_comes_passes_it_on() {
    under_many_schedules(|| {
        let (gate, out) = (one_at_a_time(), Arc::new(AtomicUsize::new(0)));
        let held = block_on(gate.turn(far())).unwrap();
        let leaver = thread::spawn({
            let gate = gate.clone();
            move || {
                let mut polls = 0;
                let mut turn = pin!(gate.turn(far()));
                let turn = block_on(poll_fn(|cx| match turn.as_mut().poll(cx) {
                    Poll::Ready(turn) => Poll::Ready(turn.ok()),
                    Poll::Pending if polls == 1 => Poll::Ready(None),
                    Poll::Pending => {
                        polls += 1;
                        cx.waker().wake_by_ref();
                        Poll::Pending
                    }
                }));
                drop(turn);
            }
        });
        let waiter = thread::spawn(move || take_a_turn(&gate, &out));
        drop(held);
        leaver.join().unwrap();
        waiter.join().unwrap();
    });
}

#[test]
fn everyone_hears_of_a_back_off() {
    under_many_schedules(|| {
        let gate = one_at_a_time();
        let held = block_on(gate.turn(far())).unwrap();
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                let gate = gate.clone();
                thread::spawn(move || block_on(gate.turn(far())).map(drop))
            })
            .collect();
        held.settle(Verdict::Throttled { retry_after: None });
        for waiter in waiters {
            let refused = waiter.join().unwrap().unwrap_err();
            assert!(refused.is_backing_off());
        }
    });
}

#[test]
fn who_may_wait_through_a_back_off_hears_when_it_is_reset() {
    under_many_schedules(|| {
        let gate = SearchGate::builder()
            .interval(Duration::ZERO)
            .backoff(BACKOFF)
            .while_backing_off(WhileBackingOff::Wait);
        let gate = gate.build().unwrap();
        gate.throttled();
        let waiters: Vec<_> = (0..2)
            .map(|_| {
                let gate = gate.clone();
                thread::spawn(move || block_on(gate.take_turn(far())))
            })
            .collect();
        gate.reset();
        for waiter in waiters {
            waiter.join().unwrap().unwrap();
        }
    });
}
