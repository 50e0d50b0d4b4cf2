//! A search from the command line, on the live provider or on the stand-in. Needs the feature `client`; the stand-in needs `test-util`.
//!
//! ```text
//! cargo run --example search -- "tower middleware"
//! cargo run --example search -- --local "tower middleware"      # on this machine, no network
//! cargo run --example search -- --help                          # all options
//! ```
//!
//! Results go to standard output, everything else to standard error.

mod common;

use std::{error::Error as StdError, ffi::OsString, process::ExitCode, time::Duration};

use clap::{Parser, builder::NonEmptyStringValueParser, value_parser};
use common::{CALLED, eprintln, println, sentence, stand_in, text};
use futures_util::StreamExt;
use search_gate::{DuckDuckGo, Endpoint, Error, Query, SEARCH_DEADLINE, SearchResult, TimeRange};
use serde_json::json;

const NOTES: &str = "The stand-in finds nothing for the word `nothing`.

Exit codes:
  0 found
  1 failed
  2 wrong arguments
  3 refused or challenged
  4 timed out
  5 nothing found
  6 page not recognised";

/// Searches on the live provider, unless it is given --local
#[derive(Parser)]
#[command(bin_name = CALLED, after_help = NOTES)]
struct Arguments {
    /// Prefer results for a region, as de-de
    #[arg(long, value_name = "CODE", value_parser = NonEmptyStringValueParser::new())]
    region: Option<String>,
    /// Day, week, month, year or YYYY-MM-DD..YYYY-MM-DD
    #[arg(long)]
    time: Option<TimeRange>,
    /// Ask the lite page
    #[arg(long)]
    lite: bool,
    /// Read up to so many pages
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u16).range(1..))]
    pages: u16,
    /// Print a line of JSON for each result
    #[arg(long)]
    json: bool,
    /// How long each page may take, its wait included
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// Ask the stand-in on this machine
    #[arg(long, conflicts_with = "base_url")]
    local: bool,
    /// Ask this server
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// What to search for
    #[arg(required = true)]
    words: Vec<OsString>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
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
async fn search(asked: Arguments) -> Result<usize, Box<dyn StdError>> {
    let mut query = Query::new(text(&asked.words));
    if let Some(code) = asked.region {
        query = query.region(code);
    }
    if let Some(time) = asked.time {
        query = query.time(time);
    }
    if let Some(url) = asked.base_url {
        query = query.base_url(url);
    }
    if asked.lite {
        query = query.endpoint(Endpoint::Lite);
    }
    let mut ddg = DuckDuckGo::new()
        .user_agent("search-gate-example/0.1")
        .budget(asked.timeout.unwrap_or(SEARCH_DEADLINE));
    let stand_in = match asked.local {
        true => Some(stand_in().start().await?),
        false => None,
    };
    if let Some(provider) = &stand_in {
        ddg = ddg.base_url(provider.url()).gate(provider.gate());
    }

    let mut results = ddg.results(query).pages(asked.pages.into());
    let mut found = 0;
    while let Some(result) = results.next().await {
        found += 1;
        print(&result?, asked.json);
    }
    let spelling = results.page().and_then(|page| page.spelling.as_ref());
    if let Some(spelling) = spelling {
        eprintln!("{}", spelling.text);
    }
    Ok(found)
}

fn print(result: &SearchResult, as_json: bool) {
    if !as_json {
        // A terminal may obey control characters.
        let plain = |text: &str| text.replace(char::is_control, "");
        let (title, snippet) = (plain(&result.title), plain(&result.snippet));
        return println!("{title}\n  {}\n  {snippet}\n", result.url);
    }
    let line = json!({
        "title": result.title,
        "url": result.url,
        "snippet": result.snippet,
        "published": result.published.as_ref().map(|published| &published.text),
        "file_type": result.file_type,
    });
    println!("{line}");
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

fn seconds(given: &str) -> Result<Duration, &'static str> {
    let seconds = given.parse().ok().map(Duration::try_from_secs_f64);
    match seconds {
        Some(Ok(seconds)) if !seconds.is_zero() => Ok(seconds),
        _ => Err("it takes seconds, as 60 or 2.5"),
    }
}
