//! The layer on hyper's own client, with decompression inside: results are printed as they arrive. Features: none.
//!
//! ```text
//! cargo run --example hyper -- [--live] [WORDS]
//! ```

mod common;

use bytes::Bytes;
use common::Place;
use futures_util::StreamExt;
use http_body_util::Full;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use rustls::crypto::ring::default_provider;
use search_gate::{BoxError, SearchGateLayer};
use tower::{ServiceBuilder, ServiceExt};
use tower_http::decompression::DecompressionLayer;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let place = Place::from_arguments().await?;
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(default_provider())?
        .https_or_http()
        .enable_all_versions()
        .build();
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::new(place.gate.clone()))
        .layer(DecompressionLayer::new())
        .service(Client::builder(TokioExecutor::new()).build(connector));

    let request = place
        .query_or("tower middleware")
        .into_request::<Full<Bytes>>()?;
    let response = client.oneshot(request).await?;
    let mut results = response.into_body().results();
    while let Some(result) = results.next().await {
        let result = result?;
        println!("{}\n  {}", result.title, result.url);
    }
    let ads = results.page().map_or(0, |page| page.ads_dropped);
    println!("ads left out: {ads}");
    Ok(())
}
