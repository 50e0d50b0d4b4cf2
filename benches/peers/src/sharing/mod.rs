//! One gate that several processes share: what a turn costs, what it asks of the store, and what everyone loses when processes are killed or
//! stopped, or callers give up.
//!
//! Turns are timed in this process, one kind beside the other. All else is seen of real processes, which this program starts as itself
//! (see [`work`]) on a file in the system's temporary folder, and on a redis-server of its own. Without redis-server on the PATH what needs it is
//! left out.
//!
//! # How turns are counted as lost
//!
//! Callers ask for the next turn as soon as they have had one, so somebody always waits. What could have been had in a time is that time in
//! intervals, as the crew without faults lives them at the same time on the same machine: a little longer than they are set to, since timers
//! come late. What was had less than that is lost. A back-off would hide it, so those are in a crew of their own, which is held to its promises only.
//! One more crew does not share its gate: it shows what would be seen if promises were broken.
//!
//! # What counts as too close
//!
//! Each process notes its starts by the clock that all processes of a machine have in common, once it has been given the turn. That is the wire
//! as far as it can be seen from here, so it is held to what is promised there: the interval less an eighth of it, 250 ms at most. The same slack is left
//! at both ends of a back-off.

mod check;
mod crew;
mod event;
mod faults;
#[allow(
    dead_code,
    missing_debug_implementations,
    unreachable_pub,
    reason = "the crate's own tests use the rest"
)]
#[path = "../../../../src/gate/share/redis/server.rs"]
mod server;
mod store;
mod trips;
mod turns;
mod worker;

use std::{path::PathBuf, time::Duration};

pub use self::worker::{Job, work};
use self::{
    faults::Crews,
    server::RedisServer,
    store::{Folder, Store},
};
use crate::report::{Report, Section};

/// How the shared gates are called in every table. The one in this process is ours as everywhere.
pub const FILE: &str = "search-gate, file";
pub const REDIS: &str = "search-gate, Redis";

/// How many processes share a gate, and how many of each wait for turns all the time.
pub const PROCESSES: usize = 8;
pub const CALLERS: usize = 3;

/// How much is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is started as each of the processes: this program, which does [`work`] when its first argument is `sharing-process`.
    pub program: PathBuf,
    /// Rounds of the turns that are timed, and turns in each of them.
    pub rounds: usize,
    pub batch: usize,
    /// The interval of the gate that the processes share. A quarter of it should be 100 ms or more: the grace of a gate is no less.
    pub interval: Duration,
    /// How long they take turns.
    pub time: Duration,
}

impl Plan {
    /// What the tables are made with.
    #[must_use]
    pub const fn full(program: PathBuf) -> Self {
        Self {
            program,
            rounds: 401,
            batch: 25,
            interval: Duration::from_millis(500),
            time: Duration::from_secs(70),
        }
    }

    /// As little as shows that it works.
    #[must_use]
    pub const fn small(program: PathBuf) -> Self {
        Self {
            program,
            rounds: 3,
            batch: 10,
            interval: Duration::from_millis(500),
            time: Duration::from_secs(8),
        }
    }
}

/// Measures everything.
#[must_use]
pub fn run(plan: &Plan) -> Report {
    let folder = Folder::new();
    let server = RedisServer::start();
    let mut report = Report::default();
    report.add(turns::measure(plan, &folder, server.as_ref()));
    if let Some(server) = &server {
        report.add(trips::measure(server));
    }
    let on_file = Crews::watch(plan, |name| Store::File(folder.file(name)));
    let on_redis = server.as_ref().map(|server| {
        Crews::watch(plan, |name| Store::Redis {
            url: server.url(),
            key: name.to_owned(),
        })
    });
    let crews = [(FILE, Some(on_file)), (REDIS, on_redis)];
    report.add(overload(&crews));
    for (name, crews) in &crews {
        if let Some(crews) = crews {
            report.add(crews.section(plan, name));
        }
    }
    report
}

fn overload(crews: &[(&'static str, Option<Crews>)]) -> Section {
    let waiting = PROCESSES * CALLERS;
    let mut section = Section::new(format!(
        "What a crowd asks of the store: {waiting} callers in {PROCESSES} processes always wait"
    ));
    let orders = crews.iter().map(|(name, crews)| {
        let orders = crews.as_ref().map(Crews::orders_each_turn);
        (*name, orders)
    });
    section.add("store operations for each turn", "", orders);
    section
}
