//! A cache outside the gate: what is in it takes no turn, and those who ask the same at the same time share one search. Only pages with results are
//! kept, so that no failure and no "nothing found" outlives its moment. The cache is moka's. Needs the feature `client`; the stand-in that it asks
//! needs `test-util`.
//!
//! ```text
//! cargo run --example cached -- [--live] [WORDS]
//! ```

mod common;

use std::{sync::Arc, time::Duration};

use common::{Failure, Place, println};
use futures_util::future::join_all;
use moka::future::Cache;
use search_gate::{DuckDuckGo, Error, HttpClient, Page, Query};

struct CachedSearch {
    ddg: DuckDuckGo<HttpClient>,
    /// The whole query is the key: region, time and all.
    pages: Cache<Query, Arc<Page>>,
}

/// What is given and not kept.
enum NotKept {
    Nothing(Arc<Page>),
    Failed(Arc<Error>),
}

impl CachedSearch {
    fn new(ddg: DuckDuckGo<HttpClient>) -> Self {
        let pages = Cache::builder().max_capacity(1000);
        let pages = pages.time_to_live(Duration::from_secs(5 * 60)).build();
        Self { ddg, pages }
    }

    async fn search(&self, query: Query) -> Result<Arc<Page>, Arc<Error>> {
        let asked = async {
            match self.ddg.search(query.clone()).await {
                Ok(page) if page.results.is_empty() => Err(NotKept::Nothing(Arc::new(page))),
                Ok(page) => Ok(Arc::new(page)),
                Err(error) => Err(NotKept::Failed(Arc::new(error))),
            }
        };
        match self.pages.try_get_with(query.clone(), asked).await {
            Ok(page) => Ok(page),
            Err(not_kept) => match &*not_kept {
                NotKept::Nothing(page) => Ok(Arc::clone(page)),
                NotKept::Failed(error) => Err(Arc::clone(error)),
            },
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (place, words) = Place::from_arguments(
        "Asks five times for the same at once, which takes one search, and twice for what is not found",
    )
    .await?;
    let search = CachedSearch::new(place.client());

    let query = place.query(&words);
    let searches = (0..5).map(|_| search.search(query.clone()));
    for page in join_all(searches).await {
        println!("{} results", page?.results.len());
    }
    let turns = place.gate.snapshot().counts.granted;
    println!("five searches for the same, turns taken: {turns}");

    if !place.is_live() {
        for _ in 0..2 {
            let page = search.search(place.query("nothing")).await?;
            assert!(page.results.is_empty());
        }
        let turns = place.gate.snapshot().counts.granted - turns;
        println!("two searches that find nothing, turns taken: {turns}");
    }
    Ok(())
}
