//! Requests through the layer under random orders of polls, drops, answers, back-offs and an inner service that comes and goes.

mod ops;
mod slow;
#[path = "../support/mod.rs"]
mod support;
mod world;

use ops::{Answer, Op, ops};
use proptest::prelude::*;
use support::INTERVAL;
use world::World;

fn paused() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_requests_keep_their_distance_and_no_place_is_lost(ops in ops()) {
        paused().block_on(async {
            let mut world = World::new();
            for op in &ops {
                world.apply(op).await;
                world.check();
            }
            world.finish().await;
        });
    }
}

/// Numbers without a pattern, the same in each run.
fn numbers() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1_u64), |n| {
        Some(
            n.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407),
        )
    })
    .map(|n| (n >> 40) as usize)
}

#[test]
fn ten_thousand_requests_cancelled_wherever_they_are_leave_nothing_behind() {
    paused().block_on(async {
        let mut world = World::new();
        let mut numbers = numbers();
        for _ in 0..10_000 {
            world.apply(&Op::Come(None)).await;
        }
        // A tenth is dropped before its first poll.
        for _ in 0..1_000 {
            world.apply(&Op::Leave(numbers.next().unwrap())).await;
        }
        world.settle().await;
        world.check();
        assert_eq!(world.gate.snapshot().queued, 8_999);
        let mut busy = false;
        while world.requests.len() > 500 {
            for _ in 0..100 {
                world.apply(&Op::Leave(numbers.next().unwrap())).await;
            }
            // The front of the queue, too: those who are due, or sent.
            world.apply(&Op::Leave(0)).await;
            busy = !busy;
            world.apply(&Op::Busy(busy)).await;
            world.apply(&Op::Wait(INTERVAL)).await;
            world.settle().await;
            world.answer(Some(0), Answer::Page);
            world.check();
        }
        assert!(world.seen > 30, "{} were sent", world.seen);
        world.apply(&Op::Throttle).await;
        assert_eq!(world.gate.snapshot().queued, 0);
        world.settle().await;
        world.check();
        world.finish().await;
    });
}
