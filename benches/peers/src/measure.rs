//! Time and memory as these comparisons measure them.
//!
//! Time is the CPU time of this thread, so that what else the machine does counts little. Subjects take turns, round after round, so that a
//! machine that slows down slows all of them, and each one's median counts. Each round has another order: what a subject leaves behind in
//! caches and on the heap is paid for by the next one, which must not always be the same.
//!
//! Memory is counted by [`allocation_counter`], which stands in for the allocator of the whole program. Its bookkeeping, some
//! nanoseconds for each allocation, is in all times alike.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};

/// One subject of a comparison: does its work once and tells how long the measured part of it took.
pub type Timed<'a> = (&'static str, Box<dyn FnMut() -> Duration + 'a>);

/// How long `work` keeps this thread busy.
pub fn cpu(work: impl FnOnce()) -> Duration {
    let begun = cpu_clock();
    work();
    cpu_clock() - begun
}

/// The CPU time that this thread has used.
#[must_use]
pub fn cpu_clock() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime)
        .try_into()
        .expect("no thread has used a negative time")
}

/// The median of each subject's times over `rounds` rounds, after one that does not count.
#[must_use]
pub fn medians(rounds: usize, mut subjects: Vec<Timed<'_>>) -> Vec<(&'static str, Duration)> {
    let mut times = vec![Vec::with_capacity(rounds); subjects.len()];
    let mut order: Vec<_> = (0..subjects.len()).collect();
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..=rounds {
        random.shuffle(&mut order);
        for &subject in &order {
            let time = (subjects[subject].1)();
            if round > 0 {
                times[subject].push(time);
            }
        }
    }
    let names = subjects.iter().map(|(name, _)| *name);
    names.zip(times.into_iter().map(median)).collect()
}

/// The middle one; of two in the middle, the later.
///
/// # Panics
///
/// When there is none.
#[must_use]
pub fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// How many bytes `work` has allocated on this thread and not freed.
pub fn bytes_kept<T>(work: impl FnOnce() -> T) -> (i64, T) {
    let mut kept = None;
    let counted = allocation_counter::measure(|| kept = Some(work()));
    (counted.bytes_current, kept.expect("the work was done"))
}

/// A time in nanoseconds, shared by `count`.
#[must_use]
pub fn nanos_each(time: Duration, count: usize) -> f64 {
    time.as_nanos() as f64 / count as f64
}

/// A runtime on this thread, whose CPU time is then that of all its tasks.
#[must_use]
pub fn runtime() -> Runtime {
    build(&mut Builder::new_current_thread())
}

/// The same on a paused clock: it leaps to the next timer when nothing else is to be done.
#[must_use]
pub fn paused() -> Runtime {
    build(Builder::new_current_thread().start_paused(true))
}

fn build(builder: &mut Builder) -> Runtime {
    let built = builder.enable_time().build();
    built.expect("a runtime needs threads and memory")
}
