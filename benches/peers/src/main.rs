//! `cargo run --release --manifest-path benches/peers/Cargo.toml -- gate` (or `day`, `pages`, `sharing`; with `--json` for programs).

use std::{env, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};
use search_gate_peers::{
    day, gate,
    pages::{self, corpus, saved},
    report::Form,
    sharing,
};

/// Compares search-gate with its peers, in one run.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// One JSON object a line: figure, subject, value, unit, ratio to ours.
    #[arg(long, global = true)]
    json: bool,
    /// Tables as they stand in documents.
    #[arg(long, global = true, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Turns: what they cost, how that grows, and whether order and spacing hold.
    Gate,
    /// A simulated day of searches, on a clock that leaps.
    Day,
    /// Pages: what reading them costs, and what is read.
    Pages {
        /// Saved pages (.html, .httprr) instead of made ones.
        folder: Option<PathBuf>,
    },
    /// One gate for several processes, through a file and through Redis: turns, operations of the store, faults. Takes some three minutes.
    Sharing,
    /// One of those processes.
    #[command(hide = true)]
    SharingProcess { job: sharing::Job },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let form = match (cli.json, cli.markdown) {
        (true, _) => Form::Json,
        (_, true) => Form::Markdown,
        _ => Form::Table,
    };
    let report = match cli.command {
        Command::Gate => gate::run(&gate::Sizes::full()),
        Command::Day => day::run(&day::Plan::full()),
        Command::Pages { folder } => {
            let sizes = pages::Sizes::full();
            let groups = match &folder {
                None => corpus::made(sizes.long),
                Some(folder) => match saved::groups(folder) {
                    Ok(groups) => groups,
                    Err(error) => {
                        eprintln!("pages cannot be read in {}: {error}", folder.display());
                        return ExitCode::FAILURE;
                    }
                },
            };
            pages::run(&sizes, &groups)
        }
        Command::Sharing => match env::current_exe() {
            Ok(program) => sharing::run(&sharing::Plan::full(program)),
            Err(error) => {
                eprintln!("this program does not know where it is, to start itself: {error}");
                return ExitCode::FAILURE;
            }
        },
        Command::SharingProcess { job } => {
            sharing::work(&job);
            return ExitCode::SUCCESS;
        }
    };
    match report.print(&mut std::io::stdout().lock(), form) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the report could not be printed: {error}");
            ExitCode::FAILURE
        }
    }
}
