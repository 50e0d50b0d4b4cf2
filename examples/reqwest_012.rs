//! reqwest 0.12, which most projects are on: the few lines that make a service of it. Features: none.
//!
//! ```text
//! cargo run --example reqwest_012 -- [--live] [WORDS]
//! ```

mod common;

use common::Place;
use futures_util::{StreamExt, pin_mut};
// In your Cargo.toml it is plain `reqwest`.
use reqwest_012 as reqwest;
use search_gate::{BoxError, DuckDuckGo};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let place = Place::from_arguments().await?;
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

    let results = ddg.results(place.query_or("tower middleware")).pages(2);
    pin_mut!(results);
    let mut found = 0;
    while let Some(result) = results.next().await {
        let result = result?;
        found += 1;
        println!("{found}. {}\n  {}", result.title, result.url);
    }
    Ok(())
}
