//! reqwest 0.12, which most projects are on: the few lines that make a service of it. Needs no feature; the stand-in that it asks needs `client` and
//! `test-util`.
//!
//! ```text
//! cargo run --example reqwest_012 -- [--live] [WORDS]
//! ```

mod common;

use common::{Failure, Place, println};
use futures_util::{StreamExt, pin_mut};
// In your Cargo.toml it is plain `reqwest`.
use reqwest_012 as reqwest;
use search_gate::DuckDuckGo;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (place, words) = Place::from_arguments("Searches two pages with reqwest 0.12").await?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::new();

    let service = tower::service_fn(move |request: http::Request<String>| {
        let client = client.clone();
        async move {
            let response = client.execute(request.try_into()?).await?;
            Ok::<_, reqwest::Error>(http::Response::<reqwest::Body>::from(response))
        }
    });
    let ddg = DuckDuckGo::with_service(service).gate(place.gate.clone());

    let results = ddg.results(place.query(&words)).pages(2);
    pin_mut!(results);
    let mut found = 0;
    while let Some(result) = results.next().await {
        let result = result?;
        found += 1;
        println!("{found}. {}\n  {}", result.title, result.url);
    }
    println!("{found} results on two pages at most");
    Ok(())
}
