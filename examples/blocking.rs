//! Searching from code that is not async: a runtime of one's own, and as many threads as one likes. Features: `client`.
//!
//! ```text
//! cargo run --example blocking [-- --live] ["words"]
//! ```

mod common;

use std::{error::Error as StdError, thread};

use common::Place;
use search_gate::{DuckDuckGo, Error, HttpClient, Page, Query};
use tokio::runtime::Runtime;

/// A client whose searches block. Threads share it.
struct Searcher {
    runtime: Runtime,
    ddg: DuckDuckGo<HttpClient>,
}

impl Searcher {
    fn search(&self, query: Query) -> Result<Page, Error> {
        self.runtime.block_on(self.ddg.search(query))
    }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let runtime = Runtime::new()?;
    let place = runtime.block_on(Place::from_arguments())?;
    let ddg = DuckDuckGo::new().gate(place.gate.clone());
    let searcher = Searcher { runtime, ddg };

    let queries = [
        place.query_or("tower middleware"),
        place.query("pin projection"),
    ];
    thread::scope(|scope| {
        let searches = queries.map(|query| {
            let text = query.text().to_owned();
            let search = || searcher.search(query);
            (text, scope.spawn(search))
        });
        for (text, search) in searches {
            let page = search.join().expect("a search does not panic")?;
            println!("{text}: {} results, the first is", page.results.len());
            for result in page.results.iter().take(1) {
                println!("  {} {}", result.title, result.url);
            }
        }
        Ok(())
    })
}
