//! The gate around an HTTP client that knows nothing of tower: here reqwest, but any will do. Needs no feature; the stand-in that it asks needs
//! `client` and `test-util`.
//!
//! ```text
//! cargo run --example gate_only -- [--live] [WORDS]
//! ```

mod common;

use std::time::Duration;

use common::{Failure, Place, println};
use search_gate::{BoxError, Page, Query, SEARCH_DEADLINE, SearchGate, time_left};
use tokio::time::{Instant, timeout};

async fn search(
    http: &reqwest::Client,
    gate: &SearchGate,
    query: &Query,
) -> Result<Page, BoxError> {
    let form = query.form()?;
    let deadline = Instant::now() + SEARCH_DEADLINE;
    // Waits, or is refused; dropped unsettled, for an error or a timeout, it says nothing of the provider.
    let turn = gate.turn(deadline).await?;
    let limit = time_left(deadline, Duration::from_secs(30));
    let (status, content_type, bytes) = timeout(limit, send(http, form)).await??;
    let page = Page::read(status, &*content_type, &bytes);
    turn.settle(&page); // a challenge closes the gate for everyone
    Ok(page.ok()?)
}

/// Plain types go in and come out, so it does not matter whose they become in here.
async fn send(
    http: &reqwest::Client,
    form: search_gate::Form,
) -> Result<(u16, String, Vec<u8>), reqwest::Error> {
    let mut request = http.post(form.url).body(form.body);
    for (name, value) in form.headers {
        request = request.header(name, value);
    }
    let response = request.send().await?;
    let content_type = response.headers().get("content-type");
    let content_type = String::from_utf8_lossy(content_type.map_or(b"", |value| value.as_bytes()));
    let content_type = content_type.into_owned();
    Ok((
        response.status().as_u16(),
        content_type,
        response.bytes().await?.into(),
    ))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (place, words) =
        Place::from_arguments("Searches with the gate around a client that is no tower service")
            .await?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::new();

    let first = place.query(&words);
    let page = search(&http, &place.gate, &first).await?;
    println!("{} results:", page.results.len());
    for result in page.results.iter().take(3) {
        println!("{}\n  {}", result.title, result.url);
    }
    if let Some(next) = page.next {
        let page = search(&http, &place.gate, &next.asked_as(&first)).await?;
        println!("… and {} on the next page", page.results.len());
    }

    if !place.is_live() {
        place.gate.throttled(); // by another search, say
        let refused = search(&http, &place.gate, &first).await.unwrap_err();
        println!("\nWhile the gate backs off: {refused}");
    }
    Ok(())
}
