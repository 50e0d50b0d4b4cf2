//! A burst of searches without the gate, then the same burst through it. Everything stays on this machine: the provider is the stand-in, which
//! refuses as DuckDuckGo does, from the fifth of a quick run on (some addresses get ten). Needs the feature `test-util`.
//!
//! ```text
//! cargo run --example demo -- [--real-time] [--svg FILE] [--link FILE]
//! ```
//!
//! The picture of the README and of the crate's page is made by
//! `cargo run --example demo -- --svg examples/demo/burst.svg --link examples/demo/burst.md`.

#[path = "../common/mod.rs"]
mod common;
mod picture;

use std::{
    io::{IsTerminal, Write, stdout},
    path::PathBuf,
    time::Duration,
};

use bytes::Bytes;
use clap::{CommandFactory, Parser, error::ErrorKind};
use common::{CALLED, Failure, println};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use http::Request;
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use picture::Run;
use search_gate::{
    BoxError, Page, Query, SearchGate, SearchGateLayer, is_throttle_status,
    testing::{Outcome, StandIn, Throttle},
};
use tokio::time::{Instant, interval};
use tower::{Layer, Service};

const QUERIES: [&str; 12] = [
    "tower middleware",
    "pin projection",
    "streaming html parser",
    "async cancellation safety",
    "token bucket or leaky bucket",
    "half open circuit breaker",
    "happy eyeballs",
    "what is backpressure",
    "futurelock",
    "slow start congestion",
    "monotonic clock suspend",
    "polite web crawler",
];

type Searching = BoxFuture<'static, Result<Option<Page>, BoxError>>;

/// Sends a dozen searches at once, without the gate and with it, to a stand-in for the provider on this machine
#[derive(Parser)]
#[command(bin_name = CALLED)]
struct Arguments {
    /// As in life, and not five times as fast
    #[arg(long)]
    real_time: bool,
    /// Draw what happened
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The drawing as a link definition, for rustdoc
    #[arg(long, value_name = "FILE")]
    link: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    for file in [&arguments.svg, &arguments.link].into_iter().flatten() {
        if let Err(why) = picture::can_be_written(file) {
            Arguments::command().error(ErrorKind::Io, why).exit();
        }
    }
    let scale = if arguments.real_time { 1.0 } else { 0.2 };
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();

    println!(
        "The stand-in for the provider answers four quick requests (an address of the real one: four to ten), then refuses for 46 s."
    );
    println!(
        "Time runs {}.\n",
        if scale < 1.0 {
            "five times as fast as life, and is told as in life"
        } else {
            "as in life"
        }
    );
    println!("Without the gate: {} searches at once", QUERIES.len());
    let provider = provider(scale).await?;
    let bare = client.clone();
    run(&provider, None, move |request| {
        let answer = bare.request(request);
        async move {
            let status = answer.await?.status();
            match is_throttle_status(status.as_u16()) {
                true => Err(format!("status {}", status.as_u16()).into()),
                false => Ok(None),
            }
        }
        .boxed()
    })
    .await?;
    let without = Run::of(&provider);

    println!("\nWith the gate: the same searches at once");
    // Another stand-in, as if from an address that has not yet been refused.
    let provider = self::provider(scale).await?;
    let gate = provider.gate();
    let mut gated = SearchGateLayer::new(gate.clone()).layer(client);
    let pages = run(&provider, Some(&gate), move |request| {
        let answer = gated.call(request);
        async move { Ok(Some(answer.await?.into_body().page().await?)) }.boxed()
    })
    .await?;

    println!("\nWhat came back for “{}”:", QUERIES[0]);
    for result in pages.iter().flat_map(|page| &page.results).take(3) {
        println!(
            "  {}\n    {}\n    {}",
            result.title, result.url, result.snippet
        );
    }
    let results: usize = pages.iter().map(|page| page.results.len()).sum();
    let ads: usize = pages.iter().map(|page| page.ads_dropped).sum();
    println!(
        "In all {results} results on {} pages; {ads} ads dropped",
        pages.len()
    );

    let drawing = picture::svg(&without, &Run::of(&provider))?;
    if let Some(file) = arguments.svg {
        picture::write(&file, &drawing)?;
    }
    if let Some(file) = arguments.link {
        picture::write(&file, &picture::link_definition(&drawing))?;
    }
    let refused = provider.count(Outcome::Refused);
    match refused {
        0 => Ok(()),
        _ => Err(format!("{refused} searches were refused in spite of the gate").into()),
    }
}

async fn provider(scale: f64) -> std::io::Result<StandIn> {
    StandIn::builder()
        .throttle(Throttle::new().burst(4))
        .ads(1)
        .time_scale(scale)
        .start()
        .await
}

/// Sends all queries at once and tells of each answer as it comes.
async fn run(
    provider: &StandIn,
    gate: Option<&SearchGate>,
    mut search: impl FnMut(Request<Full<Bytes>>) -> Searching,
) -> Result<Vec<Page>, BoxError> {
    let begun = Instant::now();
    let second = provider.scaled(Duration::from_secs(1));
    let now = || begun.elapsed().div_duration_f64(second);
    let mut searches = FuturesUnordered::new();
    for text in QUERIES {
        let request = Query::new(text).base_url(provider.url()).into_request()?;
        let searching = search(request);
        searches.push(async move { (text, searching.await) });
    }
    let mut progress = interval(Duration::from_millis(50));
    let (mut pages, mut refused) = (Vec::new(), 0);
    loop {
        tokio::select! {
            answer = searches.next() => {
                let Some((text, answer)) = answer else { break };
                let at = now();
                match answer {
                    Ok(page) => {
                        line(&format!("{at:5.1} s  answered  {text}"), true);
                        pages.extend(page);
                    }
                    Err(error) => {
                        line(&format!("{at:5.1} s  REFUSED   {text}: {error}"), true);
                        refused += 1;
                    }
                }
            }
            _ = progress.tick(), if gate.is_some() && stdout().is_terminal() => {
                let queued = gate.map_or(0, |gate| gate.snapshot().queued);
                let at = now();
                line(&format!("{at:5.1} s  {queued} wait for their turn"), false);
            }
        }
    }
    line("", false);
    let answered = QUERIES.len() - refused;
    let gap = provider.smallest_gap().unwrap_or_default().as_secs_f64();
    println!(
        "  {answered} answered, {refused} refused, in {:.1} s; the closest two arrived {gap:.2} s apart",
        now()
    );
    Ok(pages)
}

/// A line that stays, or one that the next replaces.
fn line(text: &str, stays: bool) {
    let end = if stays { "\n" } else { "" };
    let mut out = stdout();
    if out.is_terminal() {
        let _ = write!(out, "\r\x1b[K{text}{end}").and_then(|()| out.flush());
    } else if stays {
        println!("{text}");
    }
}
