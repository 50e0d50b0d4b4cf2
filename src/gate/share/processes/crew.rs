//! Several processes at work on one store, and what befalls them.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{
    check::Findings,
    log::Entry,
    worker::{Job, NAME},
};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) kills: bool,
    /// Processes are stopped for up to four intervals.
    pub(super) stops: bool,
    pub(super) cancels: bool,
    pub(super) throttles: bool,
}

/// A folder that is gone when it is dropped.
#[derive(Debug)]
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(super) fn store(&self) -> String {
        self.0.path().join("crew.gate").display().to_string()
    }

    fn log(&self) -> PathBuf {
        self.0.path().join("log")
    }
}

#[derive(Debug)]
pub(super) struct Crew {
    folder: Folder,
    job: Job,
    members: Vec<Child>,
    kills: usize,
    stops: usize,
}

impl Crew {
    pub(super) fn start(job: Job, processes: usize) -> Self {
        let folder = Folder::new();
        let members = (0..processes).map(|_| spawn(&job, &folder.log()));
        Self {
            members: members.collect(),
            folder,
            job,
            kills: 0,
            stops: 0,
        }
    }

    /// Lets them work for `time`, then tells what came of it.
    pub(super) fn work(mut self, time: Duration, faults: Faults) -> Findings {
        let end = Instant::now() + time;
        while Instant::now() < end {
            thread::sleep(self.job.interval.mul_f64(fastrand::f64()));
            let member = fastrand::usize(0..self.members.len());
            match fastrand::u8(0..4) {
                0 if faults.kills => self.kill(member),
                1 if faults.stops => self.stop(member),
                _ => {}
            }
        }
        let (kills, stops) = (self.kills, self.stops);
        self.dismiss();
        let findings = Findings::of(read(&self.folder.log()), self.job.interval);
        Findings {
            kills,
            stops,
            ..findings
        }
    }

    fn kill(&mut self, member: usize) {
        let fresh = spawn(&self.job, &self.folder.log());
        let mut dead = std::mem::replace(&mut self.members[member], fresh);
        dead.kill().unwrap();
        dead.wait().unwrap();
        self.kills += 1;
    }

    fn stop(&mut self, member: usize) {
        let member = Pid::from_child(&self.members[member]);
        kill_process(member, Signal::STOP).unwrap();
        thread::sleep(self.job.interval.mul_f64(4.0 * fastrand::f64()));
        kill_process(member, Signal::CONT).unwrap();
        self.stops += 1;
    }

    fn dismiss(&mut self) {
        for mut member in self.members.drain(..) {
            let _ = member.kill();
            let _ = member.wait();
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.dismiss();
    }
}

fn spawn(job: &Job, log: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", NAME])
        .envs(job.variables(log))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn read(log: &Path) -> Vec<Entry> {
    let mut log = BufReader::new(fs::File::open(log).unwrap());
    let (mut entries, mut line) = (Vec::new(), String::new());
    while log.read_line(&mut line).unwrap() > 0 {
        entries.extend(Entry::parse(&line));
        line.clear();
    }
    entries
}
