//! One search, on the live provider or on the stand-in.
//!
//! ```text
//! cargo run --example search -- "tower middleware"
//! cargo run --example search -- --local "tower middleware"      # on this machine, no network
//! ```
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 found, 1 failed, 2 wrong arguments, 3 refused
//! or challenged, 4 timed out, 5 nothing found, 6 page not recognised.

use std::{error::Error as StdError, process::ExitCode};

use bytes::Bytes;
use futures_util::StreamExt;
use http_body_util::Full;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use rustls::crypto::ring::default_provider;
use search_gate::{Error, Query, QueryError, SearchGateLayer, testing::StandIn};
use tower::{ServiceBuilder, ServiceExt};
use tower_http::decompression::DecompressionLayer;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let local = arguments.first().is_some_and(|first| first == "--local");
    if local {
        arguments.remove(0);
    }
    let [text] = &arguments[..] else {
        eprintln!("usage: search [--local] \"what to search for\"");
        return ExitCode::from(2);
    };
    match search(text, local).await {
        Ok(0) => {
            eprintln!("nothing found");
            ExitCode::from(5)
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", sentence(&*error));
            ExitCode::from(exit_code(&*error))
        }
    }
}

/// Prints each result as it arrives, and tells how many there were.
async fn search(text: &str, local: bool) -> Result<usize, Box<dyn StdError>> {
    let stand_in = match local {
        true => Some(StandIn::builder().ads(1).start().await?),
        false => None,
    };
    let mut query = Query::new(text).user_agent("search-gate-example/0.1");
    if let Some(provider) = &stand_in {
        query = query.base_url(provider.url());
    }
    let request = query.into_request::<Full<Bytes>>()?;

    // `ring` is named, so that another crate's choice cannot make this panic; where the machine has no roots, the built-in ones serve.
    let connector = HttpsConnectorBuilder::new();
    let connector = match connector.with_provider_and_native_roots(default_provider()) {
        Ok(connector) => connector,
        Err(_) => HttpsConnectorBuilder::new().with_provider_and_webpki_roots(default_provider())?,
    };
    let connector = connector.https_or_http().enable_all_versions().build();
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::duckduckgo())
        .layer(DecompressionLayer::new())
        .service(Client::builder(TokioExecutor::new()).build(connector));

    let mut results = client.oneshot(request).await?.into_body().results();
    let mut found = 0;
    while let Some(result) = results.next().await {
        let result = result?;
        found += 1;
        println!("{}\n  {}\n  {}\n", result.title, result.url, result.snippet);
    }
    Ok(found)
}

/// The error and what caused it.
fn sentence(error: &(dyn StdError + 'static)) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.dedup();
    causes.join(": ")
}

fn exit_code(error: &(dyn StdError + 'static)) -> u8 {
    if error.is::<QueryError>() {
        return 2;
    }
    match error.downcast_ref::<Error>() {
        Some(error) if error.is_refused() || error.is_throttled() => 3,
        Some(error) if error.is_timeout() => 4,
        Some(error) if error.is_unrecognised() => 6,
        _ => 1,
    }
}
