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

use std::{error::Error as StdError, num::NonZeroUsize, process::ExitCode, time::Duration};

use common::{Arguments, Usage, eprintln, println, sentence, stand_in};
use futures_util::StreamExt;
use search_gate::{DuckDuckGo, Endpoint, Error, Query, SearchResult};
use serde_json::json;

const USAGE: Usage = Usage {
    does: "Searches on the live provider, unless it is given --local.",
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
    notes: "The stand-in finds nothing for the word `nothing`.

Exit codes:
  0 found
  1 failed
  2 wrong arguments
  3 refused or challenged
  4 timed out
  5 nothing found
  6 page not recognised",
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
        true => Some(stand_in().start().await?),
        false => None,
    };
    if let Some(provider) = &stand_in {
        ddg = ddg.base_url(provider.url()).gate(provider.gate());
    }

    let mut results = ddg.results(asked.query).pages(asked.pages.get());
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
        if arguments.has("--local") && arguments.has("--base-url") {
            return Err("--local and --base-url name two servers: give one of them".into());
        }
        let pages = arguments.read("--pages", "a number of pages from 1 on", |pages| {
            pages.parse().ok()
        })?;
        let timeout = arguments.read("--timeout", "seconds, as 60 or 2.5", |seconds| {
            let timeout = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
            (!timeout.is_zero()).then_some(timeout)
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
