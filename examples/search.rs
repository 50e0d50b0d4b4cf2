//! A search from the command line, on the live provider or on the stand-in. Features: `client`.
//!
//! ```text
//! cargo run --example search -- "tower middleware"
//! cargo run --example search -- --local "tower middleware"      # on this machine, no network
//! cargo run --example search -- --help                          # all options
//! ```
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 found, 1 failed, 2 wrong arguments, 3 refused
//! or challenged, 4 timed out, 5 nothing found, 6 page not recognised.

#[path = "common/arguments.rs"]
mod arguments;

use std::{
    error::Error as StdError,
    io::{self, ErrorKind, Write},
    num::NonZeroUsize,
    process::ExitCode,
    time::Duration,
};

use arguments::{Arguments, Usage};
use futures_util::StreamExt;
use search_gate::{
    BACKOFF, DuckDuckGo, Endpoint, Error, MIN_INTERVAL, Query, SearchGate, SearchResult,
    testing::StandIn,
};
use serde_json::json;

const USAGE: Usage = Usage {
    words: "WORDS",
    options: &[
        ("--region CODE", "prefer results for a region, as de-de"),
        (
            "--time TIME",
            "day, week, month, year or YYYY-MM-DD..YYYY-MM-DD",
        ),
        ("--lite", "ask the lite page"),
        ("--pages N", "read up to so many pages"),
        ("--json", "print a line of JSON for each result"),
        (
            "--timeout SECONDS",
            "how long each page may take, its wait included",
        ),
        ("--local", "ask the stand-in on this machine"),
        ("--base-url URL", "ask this server"),
    ],
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let asked = match Asked::read(&USAGE.read()) {
        Ok(asked) => asked,
        Err(why) => USAGE.wrong(why),
    };
    match search(asked).await {
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
async fn search(asked: Asked) -> Result<usize, Box<dyn StdError>> {
    let mut ddg = DuckDuckGo::new()
        .user_agent("search-gate-example/0.1")
        .budget(asked.timeout);
    let stand_in = match asked.local {
        true => Some(StandIn::builder().ads(1).time_scale(0.01).start().await?),
        false => None,
    };
    if let Some(provider) = &stand_in {
        let (interval, backoff) = (provider.scaled(MIN_INTERVAL), provider.scaled(BACKOFF));
        let gate = SearchGate::new(interval, backoff);
        ddg = ddg.base_url(provider.url()).gate(gate);
    }

    let mut results = ddg.results(asked.query).pages(asked.pages.get());
    let mut found = 0;
    while let Some(result) = results.next().await {
        found += 1;
        match print(&result?, asked.json) {
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

/// What is asked for.
struct Asked {
    query: Query,
    pages: NonZeroUsize,
    json: bool,
    timeout: Duration,
    local: bool,
}

impl Asked {
    fn read(arguments: &Arguments) -> Result<Self, Box<dyn StdError>> {
        let words = arguments.text().ok_or("there is nothing to search for")?;
        let mut query = Query::new(words);
        if let Some(code) = arguments.value("--region") {
            query = query.region(code);
        }
        if let Some(time) = arguments.value("--time") {
            let time = time.parse().map_err(|error| format!("--time: {error}"))?;
            query = query.time(time);
        }
        if let Some(url) = arguments.value("--base-url") {
            query = query.base_url(url);
        }
        if arguments.has("--lite") {
            query = query.endpoint(Endpoint::Lite);
        }
        let pages = arguments.read("--pages", "a number of pages from 1 on", |pages| {
            pages.parse().ok()
        })?;
        let timeout = arguments.read("--timeout", "seconds, as 60 or 2.5", |seconds| {
            Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
        })?;
        Ok(Self {
            query,
            pages: pages.unwrap_or(NonZeroUsize::MIN),
            json: arguments.has("--json"),
            timeout: timeout.unwrap_or(search_gate::SEARCH_DEADLINE),
            local: arguments.has("--local"),
        })
    }
}
