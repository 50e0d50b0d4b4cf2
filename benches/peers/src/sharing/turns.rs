//! A turn that is free, in this process and in each store, beside the least that any store of its kind could do.

use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::FileExt,
    time::{Duration, Instant},
};

use redis::{aio::MultiplexedConnection, cmd};
use search_gate::SearchGate;
use tokio::runtime::{Builder, Runtime};

use super::{
    FILE, Folder, Plan, REDIS, RedisServer,
    store::{Store, connect},
};
use crate::{
    peers::FAR,
    report::{OURS, Section},
};

/// The file's record read and written without a lock; and the least that the server does for the same connection.
const READ_AND_WRITE: &str = "read and write";
const PING: &str = "PING";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// What timing itself takes.
    Nothing,
    Here,
    File,
    Redis,
    ReadAndWrite,
    Ping,
}

const SUBJECTS: [(Subject, &str); 6] = [
    (Subject::Nothing, ""),
    (Subject::Here, OURS),
    (Subject::File, FILE),
    (Subject::Redis, REDIS),
    (Subject::ReadAndWrite, READ_AND_WRITE),
    (Subject::Ping, PING),
];

/// Each subject with something to do its work on.
struct Bench {
    here: SearchGate,
    file: SearchGate,
    /// The same gate's connection beside it.
    redis: Option<(SearchGate, MultiplexedConnection)>,
    floor: File,
    record: Vec<u8>,
    far: tokio::time::Instant,
}

/// A subject's times, the shortest first.
struct Times(Vec<Duration>);

pub(super) fn runtime() -> Runtime {
    let built = Builder::new_current_thread().enable_all().build();
    built.expect("a runtime needs threads and memory")
}

pub(super) fn measure(plan: &Plan, folder: &Folder, server: Option<&RedisServer>) -> Section {
    let times = runtime().block_on(async {
        let mut bench = Bench::new(folder, server).await;
        bench.time_all(plan).await
    });
    let of = |wanted: Subject| {
        let place = SUBJECTS.iter().position(|(subject, _)| *subject == wanted);
        &times[place.expect("one of the subjects")]
    };
    let left_out = match server {
        Some(_) => "",
        None => "; left out: Redis, as there is no redis-server",
    };
    let mut section = Section::new(format!(
        "A turn that is free at once, by the wall clock, with files on {} (in brackets the ratio to one that is not shared){left_out}",
        folder.file_system()
    ));
    let nothing = of(Subject::Nothing).share(0.5);
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let subjects = SUBJECTS.iter().zip(&times).skip(1);
        let values = subjects.map(|((_, name), times)| {
            let time = times.share(share).zip(nothing);
            (*name, time.map(|(time, nothing)| (time - nothing).max(0.0)))
        });
        section.add(format!("free turn, {name}"), "ns", values);
    }
    let beside = |subject, floor| Some(of(subject).share(0.5)? / of(floor).share(0.5)?);
    section.add(
        "p50 beside that of one read and one write, or one PING",
        "×",
        [
            (FILE, beside(Subject::File, Subject::ReadAndWrite)),
            (REDIS, beside(Subject::Redis, Subject::Ping)),
        ],
    );
    section
}

impl Bench {
    async fn new(folder: &Folder, server: Option<&RedisServer>) -> Self {
        // Zero spaces nothing, so that every turn is free.
        let settings = || SearchGate::builder().interval(Duration::ZERO);
        let path = folder.file("turns");
        let file = Store::File(path.clone()).gate(settings()).await;
        let far = tokio::time::Instant::now() + FAR;
        file.take_turn(far).await.expect("the gate is open");
        let redis = match server {
            None => None,
            Some(server) => {
                let connection = connect(&server.url()).await;
                let gate = settings().shared_redis(connection.clone(), "turns").build();
                Some((gate.expect("the settings are sound"), connection))
            }
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        Self {
            here: settings().build().expect("the settings are sound"),
            file,
            redis,
            floor: options.open(folder.file("floor")).expect("a file"),
            record: fs::read(path).expect("the gate's file"),
            far,
        }
    }

    /// In each round a batch of each subject, in another order each time: what one leaves behind in caches must not always be the same one's gain.
    async fn time_all(&mut self, plan: &Plan) -> Vec<Times> {
        let mut times = vec![Vec::with_capacity(plan.rounds * plan.batch); SUBJECTS.len()];
        let mut order: Vec<_> = (0..SUBJECTS.len()).collect();
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..=plan.rounds {
            random.shuffle(&mut order);
            for &index in &order {
                for _ in 0..plan.batch {
                    let time = self.time(SUBJECTS[index].0).await;
                    // The first round does not count.
                    if round > 0 {
                        times[index].extend(time);
                    }
                }
            }
        }
        times.into_iter().map(Times::new).collect()
    }

    async fn time(&mut self, subject: Subject) -> Option<Duration> {
        let begun = Instant::now();
        match subject {
            Subject::Nothing => {}
            Subject::Here => self.take(&self.here).await,
            Subject::File => self.take(&self.file).await,
            Subject::Redis => self.take(&self.redis.as_ref()?.0).await,
            Subject::ReadAndWrite => self.read_and_write(),
            Subject::Ping => {
                let connection = &mut self.redis.as_mut()?.1;
                let answered = cmd("PING").exec_async(connection).await;
                answered.expect("the server answers");
            }
        }
        Some(begun.elapsed())
    }

    async fn take(&self, gate: &SearchGate) {
        let taken = gate.take_turn(self.far).await;
        taken.expect("the gate is open");
    }

    fn read_and_write(&self) {
        let mut page = [0; 4096];
        let read = self.floor.read_at(&mut page, 0);
        let written = self.floor.write_all_at(&self.record, 0);
        read.and(written).expect("the file is there");
    }
}

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time that this share of all are within, in nanoseconds.
    fn share(&self, share: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        let place = (last as f64 * share).round() as usize;
        Some(self.0[place].as_nanos() as f64)
    }
}
