//! The layer on hyper's own client, with decompression inside: results are printed as they arrive. Needs no feature; the stand-in that it asks needs
//! `client` and `test-util`.
//!
//! ```text
//! cargo run --example hyper -- [--live] [WORDS]
//! ```

mod common;

use bytes::Bytes;
use common::{Failure, Place, println};
use futures_util::StreamExt;
use http_body_util::Full;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use rustls::crypto::ring::default_provider;
use search_gate::SearchGateLayer;
use tower::{ServiceBuilder, ServiceExt};
use tower_http::decompression::DecompressionLayer;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (place, words) = Place::from_arguments(
        "Searches through the layer on hyper's client, and prints results as they arrive",
    )
    .await?;
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(default_provider())?
        .https_or_http()
        .enable_all_versions()
        .build();
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::new(place.gate.clone()))
        .layer(DecompressionLayer::new())
        .service(Client::builder(TokioExecutor::new()).build(connector));

    let request = place.query(&words).into_request::<Full<Bytes>>()?;
    let response = client.oneshot(request).await?;
    let mut results = response.into_body().results();
    let mut found = 0;
    while let Some(result) = results.next().await {
        let result = result?;
        found += 1;
        println!("{}\n  {}", result.title, result.url);
    }
    let ads = results.page().map_or(0, |page| page.ads_dropped);
    println!("{found} results, ads left out: {ads}");
    Ok(())
}
