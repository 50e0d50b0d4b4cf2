//! A search API: `GET /search?q=` gives JSON, `GET /stream?q=` shows results as they are read, as server-sent events, `GET /gate` tells how the gate
//! stands. A caller that goes away frees its place, and a refusal is a 429 with `Retry-After`. It asks itself, tells what it got, and ends, unless it
//! is to stay up. Needs the feature `client`; the stand-in that it asks needs `test-util`.
//!
//! ```text
//! cargo run --example axum -- [--live] [--serve]
//! ```

mod api;
#[path = "../common/mod.rs"]
mod common;

use std::{net::Ipv4Addr, time::Duration};

use api::app;
use clap::Parser;
use common::{CALLED, Failure, Place, Provider, println};
use reqwest::{Client, Response};
use search_gate::BoxError;
use tokio::{
    net::TcpListener,
    time::{error::Elapsed, sleep, timeout},
};

/// Serves a search API on this machine: /search, /stream and /gate. Asks it, tells the answers, and ends
#[derive(Parser)]
#[command(bin_name = CALLED)]
struct Arguments {
    #[command(flatten)]
    provider: Provider,
    /// Stay up
    #[arg(long)]
    serve: bool,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let place = Place::new(&arguments.provider).await?;
    let app = app(place.client(), place.gate.clone());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    println!("serving on {url}");
    place.tell_interval();
    if arguments.serve {
        return Ok(axum::serve(listener, app).await?);
    }
    tokio::spawn(async move { axum::serve(listener, app).await });

    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::new();
    let get = |path: &str| client.get(format!("{url}{path}")).send();

    tell("search", get("/search?q=tower&limit=2").await?).await?;
    let mut events = get("/stream?q=tower").await?;
    let mut text = String::new();
    while let Some(chunk) = events.chunk().await? {
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    let results = text.matches("event: result").count();
    println!("stream: {results} results as events");
    if place.is_live() {
        return Ok(());
    }

    // The next turn is far off: a caller waits for it, and goes away.
    place.gate.set_interval(Duration::from_secs(60))?;
    println!(
        "From here on a search every 60 s: the next waits, and one after it would wait for twice that."
    );
    let waiting = tokio::spawn(get("/search?q=waiting"));
    until_queued(&place, 1).await?;
    tell("gate, with a caller that waits", get("/gate").await?).await?;
    waiting.abort();
    until_queued(&place, 0).await?;
    tell("gate, without it", get("/gate").await?).await?;

    place.gate.throttled();
    tell(
        "search, while the gate backs off",
        get("/search?q=tower").await?,
    )
    .await?;
    tell("stream, while it does", get("/stream?q=tower").await?).await?;
    Ok(())
}

async fn until_queued(place: &Place, callers: usize) -> Result<(), Elapsed> {
    let queued = async {
        while place.gate.snapshot().queued != callers {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), queued).await
}

async fn tell(what: &str, response: Response) -> Result<(), BoxError> {
    let retry_after = match response.headers().get("retry-after") {
        Some(seconds) => format!(", retry after {} s", seconds.to_str()?),
        None => String::new(),
    };
    println!("{what}: {}{retry_after}", response.status());
    println!("  {}", response.text().await?);
    Ok(())
}
