//! A web search tool for an agent: words in, JSON for a model out. Errors are sentences that a model can act on, and a refusal comes at once, so that
//! the agent can do something else meanwhile. Needs the feature `client`; the stand-in that it asks needs `test-util`.
//!
//! ```text
//! cargo run --example web_search_tool -- [--live] [WORDS]
//! ```

mod common;

use std::{error::Error as _, time::Duration};

use common::{Failure, Place, println};
use search_gate::{DuckDuckGo, Error, HttpClient};
use serde_json::{Value, json};

struct WebSearch {
    ddg: DuckDuckGo<HttpClient>,
}

impl WebSearch {
    /// What the agent calls.
    async fn search(&self, query: &str, limit: usize) -> Result<Value, String> {
        let page = self
            .ddg
            .search(query)
            .await
            .map_err(|error| sentence(&error))?;
        let results = page.results.iter().take(limit).map(|result| {
            json!({
                "title": result.title,
                "url": result.url,
                "snippet": result.snippet,
                "published": result.published.as_ref().map(|published| &published.text),
            })
        });
        Ok(match page.results.is_empty() {
            true => json!({"results": [], "note": "Nothing was found. Try fewer or other words."}),
            false => json!({"results": results.collect::<Vec<_>>()}),
        })
    }
}

fn sentence(error: &Error) -> String {
    let seconds = error.retry_after().map_or(0, |wait| wait.as_secs());
    if error.is_refused() || error.is_throttled() {
        format!(
            "Web search is resting. Nothing is wrong with the query: search again in {seconds} seconds, not before."
        )
    } else if error.is_timeout() {
        "The search took too long. Search again once; if that fails too, go on without.".to_owned()
    } else if error.is_query() {
        let why = error.source().map(ToString::to_string).unwrap_or_default();
        format!("The query cannot be searched for: {why}.")
    } else if error.is_unrecognised() || error.is_unreadable() {
        "Web search does not work at present, and will not until the program is updated. Go on without.".to_owned()
    } else {
        "The network failed. Search again in a minute.".to_owned()
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (place, words) = Place::from_arguments(
        "Calls an agent's search tool: with words, and in the ways that fail",
    )
    .await?;
    let tool = WebSearch {
        // An agent would rather hear that it is not its turn than wait for a minute.
        ddg: place.client().budget(Duration::from_secs(20)),
    };

    let found = tool.search(&words, 3).await?;
    println!("{found:#}");

    if !place.is_live() {
        println!("\nNothing is found:");
        println!("{}", tool.search("nothing", 3).await?);
        println!("\nThe model sends no words:");
        println!("{}", tool.search("", 3).await.unwrap_err());
        println!("\nThe provider has throttled another search:");
        place.gate.throttled();
        println!("{}", tool.search("tower", 3).await.unwrap_err());
    }
    Ok(())
}
