//! Two processes that take turns at one gate, which they share through a file. Feature: `file`.
//!
//! ```text
//! cargo run --example shared
//! ```

#[path = "common/arguments.rs"]
mod arguments;

use std::{
    env,
    error::Error,
    fs::File,
    io::{self, ErrorKind},
    path::Path,
    process::{self, Command},
    time::Duration,
};

use arguments::Usage;
use search_gate::SearchGate;
use tokio::time::Instant;

const INTERVAL: Duration = Duration::from_millis(200);

/// Set for the processes that take turns: who they are, and the file.
const NAME: &str = "SEARCH_GATE_EXAMPLE_NAME";
const PATH: &str = "SEARCH_GATE_EXAMPLE_PATH";

fn main() -> Result<(), Box<dyn Error>> {
    Usage {
        words: "",
        options: &[],
    }
    .read();
    match (env::var(NAME), env::var_os(PATH)) {
        (Ok(name), Some(path)) => take_turns(&name, path.as_ref()),
        _ => start_two(),
    }
}

fn start_two() -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("search-gate-example-{}", process::id()));
    std::fs::create_dir(&folder)?;
    let path = folder.join("example.gate");
    println!(
        "at {}, a turn every {INTERVAL:?}, in seconds from the first:",
        path.display()
    );
    let ours = env::current_exe()?;
    let start = |name| Command::new(&ours).env(NAME, name).env(PATH, &path).spawn();
    for mut process in [start("one")?, start("two")?] {
        process.wait()?;
    }
    // Looking takes no part: it makes nothing, locks nothing, changes nothing.
    let gate = SearchGate::builder().look_at_file(&path)?;
    println!(
        "next turn in {:?}, {} in the queue",
        gate.next_turn, gate.queued
    );
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn take_turns(name: &str, path: &Path) -> Result<(), Box<dyn Error>> {
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
