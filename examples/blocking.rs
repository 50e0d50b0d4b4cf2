//! Searching from code that is not async: a runtime of one's own, and as many threads as one likes. Needs the feature `client`; the stand-in that it
//! asks needs `test-util`.
//!
//! ```text
//! cargo run --example blocking -- [--live] [WORDS]
//! ```

mod common;

use std::thread;

use common::{Failure, Place, println};
use search_gate::{DuckDuckGo, Error, HttpClient, SearchResult};
use tokio::runtime::Runtime;

/// A client whose searches block. Threads share it, and the gate puts them in their order.
struct Searcher {
    runtime: Runtime,
    ddg: DuckDuckGo<HttpClient>,
}

impl Searcher {
    fn search(&self, query: &str, limit: usize) -> Result<Vec<SearchResult>, Error> {
        let page = self.runtime.block_on(self.ddg.search(query))?;
        Ok(page.results.into_iter().take(limit).collect())
    }
}

fn main() -> Result<(), Failure> {
    let runtime = Runtime::new()?;
    let (place, words) = runtime.block_on(Place::from_arguments(
        "Searches from two threads that are not async",
    ))?;
    let ddg = place.client();
    let searcher = Searcher { runtime, ddg };

    let queries = [&*words, "pin projection"];
    thread::scope(|scope| {
        let searches = queries.map(|query| {
            let search = || searcher.search(query, 3);
            (query, scope.spawn(search))
        });
        for (query, search) in searches {
            let results = search.join().expect("a search does not panic")?;
            println!("{query}: {} results", results.len());
            for result in results {
                println!("  {} {}", result.title, result.url);
            }
        }
        Ok(())
    })
}
