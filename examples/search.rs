//! A search from the command line, on the live provider or on the stand-in. Features: `client`.
//!
//! ```text
//! cargo run --example search -- "tower middleware"
//! cargo run --example search -- --local "tower middleware"      # on this machine, no network
//! ```
//!
//! | option | |
//! |---|---|
//! | `--region CODE` | prefer results for a region, as `de-de` |
//! | `--time TIME` | `day`, `week`, `month`, `year` or `YYYY-MM-DD..YYYY-MM-DD` |
//! | `--lite` | ask the lite page |
//! | `--pages N` | read up to so many pages |
//! | `--json` | a line of JSON for each result |
//! | `--timeout SECONDS` | how long each page may take, its wait included |
//! | `--local` | ask the stand-in |
//! | `--base-url URL` | ask this server |
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 found, 1 failed, 2 wrong arguments, 3 refused
//! or challenged, 4 timed out, 5 nothing found, 6 page not recognised.

use std::{
    error::Error as StdError,
    io::{self, ErrorKind, Write},
    num::NonZeroUsize,
    process::ExitCode,
    time::Duration,
};

use futures_util::StreamExt;
use search_gate::{
    BACKOFF, DuckDuckGo, Endpoint, Error, MIN_INTERVAL, Query, SearchGate, SearchResult,
    testing::StandIn,
};
use serde_json::json;

const USAGE: &str = "usage: search [--region CODE] [--time TIME] [--lite] [--pages N] [--json] [--timeout SECONDS] [--local | --base-url URL] WORDS";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match search(arguments).await {
        Ok(0) => {
            eprintln!("nothing found");
            ExitCode::from(5)
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", sentence(&*error));
            ExitCode::from(exit_code(&*error))
        }
    }
}

/// Prints each result as it arrives, and tells how many there were.
async fn search(arguments: Arguments) -> Result<usize, Box<dyn StdError>> {
    let mut ddg = DuckDuckGo::new()
        .user_agent("search-gate-example/0.1")
        .budget(arguments.timeout);
    let stand_in = match arguments.local {
        true => Some(StandIn::builder().ads(1).time_scale(0.01).start().await?),
        false => None,
    };
    if let Some(provider) = &stand_in {
        let (interval, backoff) = (provider.scaled(MIN_INTERVAL), provider.scaled(BACKOFF));
        let gate = SearchGate::new(interval, backoff);
        ddg = ddg.base_url(provider.url()).gate(gate);
    }

    let mut results = ddg.results(arguments.query).pages(arguments.pages.get());
    let mut found = 0;
    while let Some(result) = results.next().await {
        found += 1;
        match print(&result?, arguments.json) {
            // Whoever reads has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(found),
            printed => printed?,
        }
    }
    let spelling = results.page().and_then(|page| page.spelling.as_ref());
    if let Some(spelling) = spelling {
        eprintln!("{}", spelling.text);
    }
    Ok(found)
}

fn print(result: &SearchResult, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if !as_json {
        // A terminal may obey control characters.
        let plain = |text: &str| text.replace(char::is_control, "");
        let (title, snippet) = (plain(&result.title), plain(&result.snippet));
        return writeln!(out, "{title}\n  {}\n  {snippet}\n", result.url);
    }
    let line = json!({
        "title": result.title,
        "url": result.url,
        "snippet": result.snippet,
        "published": result.published.as_ref().map(|published| &published.text),
        "file_type": result.file_type,
    });
    writeln!(out, "{line}")
}

/// The error and what caused it.
fn sentence(error: &(dyn StdError + 'static)) -> String {
    if let Some(refusal) = error.downcast_ref().and_then(Error::refusal) {
        return format!("{error}: {refusal}");
    }
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.dedup();
    causes.join(": ")
}

fn exit_code(error: &(dyn StdError + 'static)) -> u8 {
    match error.downcast_ref::<Error>() {
        Some(error) if error.is_query() => 2,
        Some(error) if error.is_refused() || error.is_throttled() => 3,
        Some(error) if error.is_timeout() => 4,
        Some(error) if error.is_unrecognised() => 6,
        _ => 1,
    }
}

struct Arguments {
    query: Query,
    pages: NonZeroUsize,
    json: bool,
    timeout: Duration,
    local: bool,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self, Box<dyn StdError>> {
        let (mut pages, mut json, mut local) = (NonZeroUsize::MIN, false, false);
        let mut timeout = search_gate::SEARCH_DEADLINE;
        let mut words = Vec::new();
        let mut settings: Vec<Box<dyn FnOnce(Query) -> Query>> = Vec::new();
        while let Some(argument) = given.next() {
            let mut value = || given.next().ok_or(format!("{argument} needs a value"));
            match &*argument {
                "--region" => {
                    let code = value()?;
                    settings.push(Box::new(|query| query.region(code)));
                }
                "--time" => {
                    let time = value()?.parse()?;
                    settings.push(Box::new(|query| query.time(time)));
                }
                "--base-url" => {
                    let url = value()?;
                    settings.push(Box::new(|query| query.base_url(url)));
                }
                "--lite" => settings.push(Box::new(|query| query.endpoint(Endpoint::Lite))),
                "--pages" => pages = value()?.parse()?,
                "--timeout" => timeout = Duration::try_from_secs_f64(value()?.parse()?)?,
                "--json" => json = true,
                "--local" => local = true,
                "--" => words.extend(given.by_ref()),
                option if option.starts_with("--") => {
                    return Err(format!("there is no option {option}").into());
                }
                _ => words.push(argument),
            }
        }
        if words.is_empty() {
            return Err("there is nothing to search for".into());
        }
        let query = Query::new(words.join(" "));
        Ok(Self {
            query: settings.into_iter().fold(query, |query, set| set(query)),
            pages,
            json,
            timeout,
            local,
        })
    }
}
