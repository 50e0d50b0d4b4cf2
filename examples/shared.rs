//! Two processes that take turns at one gate, which they share through a file. Needs the feature `file`.
//!
//! ```text
//! cargo run --example shared -- [--keep]
//! ```

mod common;

use std::{
    env,
    fs::File,
    io::{self, ErrorKind},
    path::Path,
    process::Command,
    time::Duration,
};

use clap::Parser;
use common::{CALLED, Failure, println};
use search_gate::SearchGate;
use tempfile::TempDir;
use tokio::time::Instant;

const INTERVAL: Duration = Duration::from_millis(200);

/// Set for the processes that take turns: who they are, and the file.
const NAME: &str = "SEARCH_GATE_EXAMPLE_NAME";
const PATH: &str = "SEARCH_GATE_EXAMPLE_PATH";

/// Starts two processes, which take turns at one gate that they share through a file
#[derive(Parser)]
#[command(bin_name = CALLED)]
struct Arguments {
    /// Leave the file, to be looked at by the example gate_status
    #[arg(long)]
    keep: bool,
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    match (env::var(NAME), env::var_os(PATH)) {
        (Ok(name), Some(path)) => take_turns(&name, path.as_ref()),
        _ => start_two(arguments.keep),
    }
}

fn start_two(keep: bool) -> Result<(), Failure> {
    let mut folder = TempDir::new()?;
    folder.disable_cleanup(keep);
    let path = folder.path().join("example.gate");
    println!(
        "at {}, a turn every {} s, in seconds from the first:",
        path.display(),
        INTERVAL.as_secs_f64()
    );
    let ours = env::current_exe()?;
    let start = |name| Command::new(&ours).env(NAME, name).env(PATH, &path).spawn();
    let mut well = true;
    for mut process in [start("one")?, start("two")?] {
        well &= process.wait()?.success();
    }
    if !well {
        return Err("a process could not take its turns".into());
    }
    // Looking takes no part: it makes nothing, locks nothing, changes nothing.
    let gate = SearchGate::builder().look_at_file(&path)?;
    println!(
        "next turn in {:.1} s, {} in the queue",
        gate.next_turn.as_secs_f64(),
        gate.queued
    );
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn take_turns(name: &str, path: &Path) -> Result<(), Failure> {
    let gate = SearchGate::builder()
        .interval(INTERVAL)
        .shared_file_at(path)
        .build()?;
    for turn in 1..=3 {
        gate.take_turn(Instant::now() + Duration::from_secs(30))
            .await?;
        // One request would start here.
        let time = since_first(path)?.as_secs_f64();
        println!("{time:5.2} s  process {name}, turn {turn}");
    }
    Ok(())
}

/// The first of all processes leaves a file, whose age this is.
fn since_first(gate: &Path) -> io::Result<Duration> {
    let mark = gate.with_extension("first");
    match File::create_new(&mark) {
        Ok(_) => Ok(Duration::ZERO),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let first = mark.metadata()?.modified()?;
            Ok(first.elapsed().unwrap_or_default())
        }
        Err(error) => Err(error),
    }
}
