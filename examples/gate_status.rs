//! Shows the gate that the processes of a machine share through a file, and disturbs none of them. Feature: `file`.
//!
//! ```text
//! cargo run --example gate_status -- [--watch] PATH
//! ```
//!
//! A gate made by `shared_file()` is at `~/.local/state/search-gate/duckduckgo.gate` on Linux.

#[path = "common/arguments.rs"]
mod arguments;

use std::{error::Error, iter, path::Path, thread::sleep, time::Duration};

use arguments::Usage;
use search_gate::{SearchGate, Snapshot};

const USAGE: Usage = Usage {
    words: "PATH",
    options: &[("--watch", "show it again every second, until interrupted")],
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = USAGE.read();
    let [path] = &arguments.words[..] else {
        USAGE.wrong("name the file of one shared gate");
    };
    show(&look(path.as_ref())?);
    while arguments.has("--watch") {
        sleep(Duration::from_secs(1));
        println!();
        show(&look(path.as_ref())?);
    }
    Ok(())
}

/// How long its back-offs grow and last is what those who share it have set; these are DuckDuckGo's.
fn look(path: &Path) -> Result<Snapshot, Box<dyn Error>> {
    SearchGate::builder().look_at_file(path).map_err(|error| {
        // The error says what to do, its sources what happened.
        let sources = iter::successors(error.source(), |&error| error.source());
        let causes: String = sources.map(|source| format!(": {source}")).collect();
        format!("{error}{causes}").into()
    })
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
