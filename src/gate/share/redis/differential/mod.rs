//! The script against the ledger: the same commands at the same times, and after each the same answer and the same state.

mod draw;
mod model;
mod settings;

use std::{collections::BTreeMap, env};

use fastrand::Rng;

use self::{
    draw::World,
    model::{After, Model, Scripted, Step},
};
use super::server::RedisServer;
use crate::gate::ledger::{Outcome, Refused};

/// How many commands are tried; if that is set, they are drawn anew each time.
const COMMANDS: &str = "SEARCH_GATE_DIFFERENTIAL";

/// From how many commands on each kind of answer is bound to come.
const TELLING: usize = 100_000;

/// How many milliseconds longer than it must the script keeps a state, less what a busy machine may take to tell.
const SLACK: i64 = 10_000 - 200;

#[test]
fn the_script_does_what_the_ledger_does() {
    let Some(server) = RedisServer::start() else {
        return;
    };
    let (commands, seed) = match env::var(COMMANDS) {
        Ok(commands) => (commands.parse().expect("a number"), fastrand::u64(..)),
        Err(_) => (120_000, 0),
    };
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let mut scripted = Scripted::new(&server);
    let mut seen = BTreeMap::<_, usize>::new();
    let (mut applied, mut longest) = (0, 0);
    while applied < commands {
        let steps = World::new(rng.fork()).steps();
        let (ledger, expected) = by_ledger(&steps);
        let run = scripted.apply(&steps);
        if run.after != expected {
            disagree(&mut scripted, steps);
        }
        if run.kept_for > 0 {
            ledger.is_as_new_after((run.kept_for - SLACK) * 1000);
        }
        for after in expected.into_iter().flatten() {
            applied += 1;
            longest = longest.max(after.answer.view.queued);
            *seen.entry(kind(&after.answer.outcome)).or_default() += 1;
        }
    }
    println!("{applied} commands, up to {longest} in a queue: {seen:?}");
    if commands < TELLING {
        return;
    }
    assert!(longest > 16);
    for kind in KINDS {
        let times = seen.get(kind).copied().unwrap_or_default();
        assert!(times > commands / 500, "{kind} only {times} times");
    }
}

const KINDS: [&str; 8] = [
    "go",
    "due",
    "wait",
    "backing off",
    "past deadline",
    "queue full",
    "closed",
    "done",
];

fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Go(_) => "go",
        Outcome::Due(_) => "due",
        Outcome::Wait { .. } => "wait",
        Outcome::Refused(Refused::BackingOff { .. }) => "backing off",
        Outcome::Refused(Refused::PastDeadline { .. }) => "past deadline",
        Outcome::Refused(Refused::QueueFull { .. }) => "queue full",
        Outcome::Closed { .. } => "closed",
        Outcome::Done => "done",
    }
}

fn by_ledger(steps: &[Step]) -> (Model, Vec<Option<After>>) {
    let mut model = Model::default();
    let after = steps.iter().map(|step| model.apply(step)).collect();
    (model, after)
}

/// Tells the fewest steps after which the two disagree.
fn disagree(scripted: &mut Scripted, mut steps: Vec<Step>) -> ! {
    let mut differs = |steps: &[Step]| scripted.apply(steps).after != by_ledger(steps).1;
    let mut size = steps.len();
    while size > 0 {
        let mut at = 0;
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..steps.len().min(at + size));
            match differs(&fewer) {
                true => steps = fewer,
                false => at += size,
            }
        }
        size /= 2;
    }
    let (_, ledger) = by_ledger(&steps);
    let script = scripted.apply(&steps).after;
    for (step, (ledger, script)) in steps.iter().zip(ledger.iter().zip(&script)) {
        println!("{step:?}\n  ledger: {ledger:?}\n  script: {script:?}");
    }
    panic!("the script and the ledger disagree after the steps above");
}
