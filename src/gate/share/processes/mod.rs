//! Real processes on one store: killed, stopped, cancelled and throttled, with what the store did held against its promises.
//!
//! `SEARCH_GATE_PROCESS_SECONDS` makes every run that long.

mod check;
mod crew;
mod log;
mod worker;

use std::{env, time::Duration};

use self::{
    check::Findings,
    crew::{Crew, Faults},
    worker::Job,
};

const INTERVAL: Duration = Duration::from_millis(50);
const PROCESSES: usize = 8;

fn run_time(short: u64) -> Duration {
    let long = env::var("SEARCH_GATE_PROCESS_SECONDS");
    let seconds = long.map_or(short, |long| long.parse().expect("a number of seconds"));
    Duration::from_secs(seconds)
}

/// Lets a crew work on `store`, and holds what it did to what every run must keep.
fn run(name: &str, store: &str, faults: Faults, short: u64) -> Findings {
    let job = Job {
        store: store.to_owned(),
        interval: INTERVAL,
        backoff: 8 * INTERVAL,
        cancels: faults.cancels,
        throttles: faults.throttles,
    };
    let crew = Crew::start(job, PROCESSES);
    let time = run_time(short);
    let findings = crew.work(time, faults);
    println!("{name}: {findings:?}");
    assert_eq!(findings.too_close, 0, "two starts were too close");
    assert_eq!(findings.in_backoff, 0, "a start inside a back-off");
    assert!(findings.starts > 10, "hardly anyone started");
    // What it takes for processes to come up, and a gap that is still open at the end.
    let rest = time.saturating_sub(findings.span);
    assert!(rest < Duration::from_secs(3), "nobody started for {rest:?}");
    findings
}

/// Nothing goes wrong: then everyone starts in the order of asking, and hardly any time is lost.
fn without_faults(name: &str, store: &str) {
    let findings = run(name, store, Faults::default(), 5);
    assert_eq!(findings.out_of_order, 0);
    assert_eq!(findings.lost_reach, 0);
    // A crowded machine wakes late, which costs time and nothing else.
    assert!(findings.idle_turns < findings.starts / 2);
}

fn with_every_fault(name: &str, store: &str) {
    let faults = Faults {
        kills: true,
        stops: true,
        cancels: true,
        throttles: true,
    };
    let findings = run(name, store, faults, 8);
    assert!(findings.kills > 0 && findings.stops > 0);
    // One of twelve turns is throttled.
    assert!(findings.backoffs > 0 || findings.starts < 100);
    // A place that nobody looks after lapses: it never bars the others for longer than a back-off and a few looks.
    let longest = 8 * INTERVAL + 16 * INTERVAL;
    assert!(
        findings.longest_idle < longest,
        "{:?}",
        findings.longest_idle
    );
}

#[cfg(feature = "file")]
mod on_a_file {
    use super::{crew::Folder, with_every_fault, without_faults};

    #[test]
    fn processes_take_turns() {
        let folder = Folder::new();
        without_faults("file, no faults", &folder.store());
    }

    #[test]
    fn processes_that_die_stop_and_give_up_break_nothing() {
        let folder = Folder::new();
        with_every_fault("file, all faults", &folder.store());
    }
}

#[cfg(feature = "redis")]
mod on_redis {
    use super::{with_every_fault, without_faults};
    use crate::gate::share::redis::server::RedisServer;

    #[test]
    fn processes_take_turns() {
        if let Some(server) = RedisServer::start() {
            without_faults("redis, no faults", &server.url());
        }
    }

    #[test]
    fn processes_that_die_stop_and_give_up_break_nothing() {
        if let Some(server) = RedisServer::start() {
            with_every_fault("redis, all faults", &server.url());
        }
    }
}
