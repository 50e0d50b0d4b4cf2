//! reqwest 0.13: searches on a client of one's own, and the layer on it for requests of any kind. Needs the feature `reqwest`; the stand-in that it
//! asks needs `client` and `test-util`.
//!
//! ```text
//! cargo run --example reqwest -- [--live] [WORDS]
//! ```

mod common;

use std::time::Duration;

use common::{Failure, Place, println};
use search_gate::{
    DuckDuckGo, SearchGateLayer,
    reqwest::{FinalUrl, ReqwestService},
};
use tower::{Layer, ServiceExt};

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (place, words) = Place::from_arguments(
        "Searches with reqwest 0.13: by the ready client, and through the layer",
    )
    .await?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Proxy, certificates, name resolution: as you have set them.
    let client = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(5))
        .build()?;

    let ddg = DuckDuckGo::with_reqwest(client.clone()).gate(place.gate.clone());
    let page = ddg.search(place.query(&words)).await?;
    println!("{} results:", page.results.len());
    for result in page.results.iter().take(3) {
        println!("{}\n  {}", result.title, result.url);
    }

    let gated = SearchGateLayer::new(place.gate.clone()).layer(ReqwestService::new(client));
    let request = place.query(&words).into_request::<String>()?;
    let response = gated.oneshot(request).await?;
    if let Some(url) = response.extensions().get::<FinalUrl>() {
        println!("\nanswered by {url}");
    }
    // And back, for code that wants reqwest's own type: the page without its ads.
    let response: reqwest::Response = response.map(reqwest::Body::wrap).into();
    let html = response.text().await?;
    println!(
        "{} bytes, ads in it: {}",
        html.len(),
        html.matches("/y.js?").count()
    );
    Ok(())
}
