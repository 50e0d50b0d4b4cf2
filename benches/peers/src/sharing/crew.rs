//! Processes at work on one gate, and what befalls them.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{
    PROCESSES, Plan,
    check::Findings,
    event::{Counted, Event, now},
    worker::Job,
};

/// The longest that starting a process or hearing from it may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many intervals a process is stopped for at most.
const LONGEST_STOP: f64 = 4.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// Each process has a gate of its own: what is not shared must be found.
    Apart,
    /// Processes are killed, and others started in their place.
    Kill,
    /// Processes are stopped, and go on later.
    Stop,
    /// Callers give up.
    Cancel,
    /// All of them, and back-offs.
    All,
}

pub(super) struct Crew<'a> {
    plan: &'a Plan,
    job: Job,
    members: Vec<Member>,
    tell: Sender<Event>,
    told: Receiver<Event>,
    events: Vec<Event>,
}

struct Member {
    process: Child,
    input: ChildStdin,
}

impl<'a> Crew<'a> {
    /// Lets a crew take turns for the time that is planned, and tells what came of it.
    pub(super) fn work(plan: &'a Plan, job: Job, fault: Fault) -> Findings {
        let (tell, told) = channel();
        let start = || Member::start(&plan.program, &job, tell.clone());
        let members = (0..PROCESSES).map(|_| start()).collect();
        let mut crew = Self {
            plan,
            job,
            members,
            tell,
            told,
            events: Vec::new(),
        };
        crew.hear(|event| event == Event::Ready);
        crew.count();
        let begun = now();
        let (mut kills, mut stops) = (0, 0);
        let end = Instant::now() + plan.time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            thread::sleep(crew.intervals(2.0).min(left));
            let member = fastrand::usize(0..PROCESSES);
            match fault {
                Fault::Kill => kills += crew.kill(member),
                Fault::Stop => stops += crew.stop(member),
                Fault::All if fastrand::bool() => kills += crew.kill(member),
                Fault::All => stops += crew.stop(member),
                Fault::None | Fault::Apart | Fault::Cancel => {}
            }
        }
        let window = begun..now();
        let counted = crew.count();
        let events = crew.dismiss();
        let faults = match fault {
            Fault::None | Fault::Apart => 0,
            Fault::Kill => kills,
            Fault::Stop => stops,
            Fault::Cancel => counted.cancelled,
            // Of the callers of processes that were killed nobody can tell.
            Fault::All => kills + stops,
        };
        Findings::of(&events, plan.interval, &window, counted, faults)
    }

    fn intervals(&self, most: f64) -> Duration {
        self.plan.interval.mul_f64(most * fastrand::f64())
    }

    fn kill(&mut self, member: usize) -> u64 {
        let fresh = Member::start(&self.plan.program, &self.job, self.tell.clone());
        drop(std::mem::replace(&mut self.members[member], fresh));
        1
    }

    fn stop(&self, member: usize) -> u64 {
        let process = Pid::from_child(&self.members[member].process);
        let send = |signal| kill_process(process, signal).expect("the process is there");
        send(Signal::STOP);
        thread::sleep(self.intervals(LONGEST_STOP));
        send(Signal::CONT);
        1
    }

    /// What all members have counted since they were last asked.
    fn count(&mut self) -> Counted {
        for member in &mut self.members {
            let asked = member.input.write_all(b"\n");
            asked.expect("a process of the crew listens");
        }
        let heard = self.hear(|event| matches!(event, Event::Counted(_)));
        let mut sum = Counted::default();
        for event in heard {
            if let Event::Counted(counted) = event {
                sum.granted += counted.granted;
                sum.orders += counted.orders;
                sum.cancelled += counted.cancelled;
            }
        }
        sum
    }

    /// Waits for as many such events as there are members; what else is heard is kept.
    fn hear(&mut self, is_wanted: impl Fn(Event) -> bool) -> Vec<Event> {
        let mut wanted = Vec::new();
        while wanted.len() < PROCESSES {
            let heard = self.told.recv_timeout(PATIENCE);
            let event = heard.expect("every process of the crew tells what it is asked");
            match is_wanted(event) {
                true => wanted.push(event),
                false => self.events.push(event),
            }
        }
        wanted
    }

    fn dismiss(self) -> Vec<Event> {
        let Self {
            members,
            tell,
            told,
            mut events,
            ..
        } = self;
        drop((members, tell));
        events.extend(told);
        events
    }
}

impl Member {
    fn start(program: &Path, job: &Job, tell: Sender<Event>) -> Self {
        let job = serde_json::to_string(job).expect("a job is made of words and numbers");
        let mut process = Command::new(program)
            .args(["sharing-process", &job])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started");
        let input = process.stdin.take().expect("it is piped");
        let output = process.stdout.take().expect("it is piped");
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // One that was cut off when its process was killed says nothing.
                if let Ok(event) = serde_json::from_str(&line) {
                    let _ = tell.send(event);
                }
            }
        });
        Self { process, input }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
