//! The examples, run as they are: each is a process of its own on sockets of this machine. `cargo test` has built them.

mod axum;
mod command_line;
mod demo;
mod gate_status;
mod read_page;
mod run;
mod search;
mod tls;

use std::{path::PathBuf, process::Stdio};

use tokio::process::Command;

/// An example's own process.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let built: PathBuf = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        built
            .with_extension(std::env::consts::EXE_EXTENSION)
            .exists(),
        "{} is not built: run `cargo test`, or `cargo build --examples` before",
        built.display()
    );
    let mut command = Command::new(built);
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// What an example says and how it ends.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

async fn run(command: &mut Command) -> Ran {
    let output = command.output().await.unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
