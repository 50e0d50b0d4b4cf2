//! A back-off that begins while many wait: everyone is woken and told. The floors only wake.

use std::{future::Future, sync::Arc, time::Duration};

use search_gate::SearchGate;
use tokio::{
    sync::{Notify, watch},
    task::{JoinSet, yield_now},
    time::Instant,
};

use super::Sizes;
use crate::{
    measure::{cpu_clock, median, nanos_each, runtime},
    peers::FAR,
    report::{self, OURS, Section},
    watch::Polls,
};

/// What a round takes: the call itself, and until the last of those who waited has been told.
type Times = [Duration; 2];

/// Lets so many wait, then begins.
type Round = fn(usize) -> Times;

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section = Section::new(
        "A back-off that begins, beside what can only wake (CPU time for each that waits)",
    );
    let subjects: [(_, Round); 3] = [(OURS, search_gate), ("Notify", notify), ("watch", watch)];
    for &count in &sizes.waiters {
        let mut times = subjects.map(|_| [vec![], vec![]]);
        for _ in 0..sizes.crowd_rounds {
            for ((_, round), [call, all]) in subjects.iter().zip(&mut times) {
                let [took, until_all] = round(count);
                call.push(took);
                all.push(until_all);
            }
        }
        let [call, all]: [Vec<_>; 2] = [0, 1].map(|part| {
            let times = times.iter().map(|times| median(times[part].clone()));
            let each = times.map(|time| Some(nanos_each(time, count)));
            subjects.iter().map(|(name, _)| *name).zip(each).collect()
        });
        let count = report::count(count);
        section.add(format!("the call, {count} wait"), "ns", call);
        section.add(format!("until all {count} are told"), "ns", all);
    }
    section
}

fn search_gate(count: usize) -> Times {
    let gate = SearchGate::builder().max_queued(count).build();
    let gate = gate.expect("a sound setting");
    let far = Instant::now() + FAR;
    let waiting = gate.clone();
    let wait = move || {
        let gate = waiting.clone();
        async move { assert!(gate.take_turn(far).await.is_err(), "a back-off begins") }
    };
    runtime().block_on(async {
        gate.take_turn(far).await.expect("the gate is open");
        round(count, wait, || gate.throttled()).await
    })
}

fn notify(count: usize) -> Times {
    let notify = Arc::new(Notify::new());
    let wait = || Arc::clone(&notify).notified_owned();
    runtime().block_on(round(count, wait, || notify.notify_waiters()))
}

fn watch(count: usize) -> Times {
    let sender = watch::Sender::new(());
    let wait = || {
        let mut receiver = sender.subscribe();
        async move { receiver.changed().await.expect("the sender is there") }
    };
    runtime().block_on(round(count, wait, || {
        sender.send_replace(());
    }))
}

/// Lets `count` tasks wait, then begins.
async fn round<F>(count: usize, wait: impl Fn() -> F, begin: impl FnOnce()) -> Times
where
    F: Future<Output = ()> + Send + 'static,
{
    let polls = Polls::default();
    let mut tasks = JoinSet::new();
    for _ in 0..count {
        tasks.spawn(polls.clone().count(wait()));
    }
    while polls.so_far() < count as u64 {
        yield_now().await;
    }
    let before = cpu_clock();
    begin();
    let called = cpu_clock();
    tasks.join_all().await;
    [called - before, cpu_clock() - before]
}
