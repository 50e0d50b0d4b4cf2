//! Shows the gate that the processes of a machine share through a file, and disturbs none of them. Needs the feature `file`.
//!
//! ```text
//! cargo run --example gate_status -- [--watch] PATH
//! ```
//!
//! A gate made by `shared_file()` is at `~/.local/state/search-gate/duckduckgo.gate` on Linux.

mod common;

use std::{
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

use clap::Parser;
use common::{CALLED, Failure, println};
use search_gate::{BuildError, SearchGate, Snapshot};

/// Shows the gate that processes share through a file, and disturbs none of them
#[derive(Parser)]
#[command(bin_name = CALLED)]
struct Arguments {
    /// Show it again every second, until interrupted
    #[arg(long)]
    watch: bool,
    /// The gate's file; `shared_file()` makes ~/.local/state/search-gate/duckduckgo.gate on Linux
    path: PathBuf,
}

fn main() -> Result<(), Failure> {
    let Arguments { watch, path } = Arguments::parse();
    loop {
        show(&look(&path)?);
        if !watch {
            return Ok(());
        }
        sleep(Duration::from_secs(1));
        println!();
    }
}

/// How long its back-offs grow and last is what those who share it have set; these are DuckDuckGo's.
fn look(path: &Path) -> Result<Snapshot, BuildError> {
    SearchGate::builder().look_at_file(path)
}

fn show(gate: &Snapshot) {
    let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    let next = match gate.next_turn.is_zero() {
        true => "at once".to_owned(),
        false => format!("in {}", seconds(gate.next_turn)),
    };
    let backoff = match (gate.backoff_left, gate.on_trial) {
        (Some(left), _) => format!("{} left, streak {}", seconds(left), gate.streak),
        (None, true) => format!(
            "over, and not known to have been enough: one request at a time; streak {}",
            gate.streak
        ),
        (None, false) => "none".to_owned(),
    };
    println!("next turn  {next}");
    println!("queue      {}", gate.queued);
    println!("back-off   {backoff}");
    println!("interval   {}", seconds(gate.interval));
}
