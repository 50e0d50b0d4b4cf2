//! Where the examples search: on a stand-in for the provider, on this machine, or on the live provider if `--live` was given.

use std::{ffi::OsString, io};

use clap::{Args, CommandFactory, FromArgMatches, Parser};
use search_gate::{
    BACKOFF, DuckDuckGo, HttpClient, MIN_INTERVAL, Query, SearchGate,
    testing::{StandIn, StandInBuilder},
};

use super::{CALLED, println, text};

const USER_AGENT: &str = "search-gate-example/0.1";

/// Whom an example asks.
#[derive(Args)]
pub struct Provider {
    /// Ask the live provider, not the stand-in on this machine
    #[arg(long)]
    live: bool,
}

#[derive(Parser)]
#[command(bin_name = CALLED, after_help = "The stand-in finds nothing for the word `nothing`.")]
struct Arguments {
    #[command(flatten)]
    provider: Provider,
    /// What to search for
    #[arg(default_value = "tower middleware")]
    words: Vec<OsString>,
}

/// A provider on this machine. It lives a hundred times as fast as the real one.
pub fn stand_in() -> StandInBuilder {
    StandIn::builder()
        .page(|page| match page.query() {
            "nothing" => page.results(0),
            _ => page,
        })
        .ads(1)
        .time_scale(0.01)
}

pub struct Place {
    /// The gate for it, as fast as it.
    pub gate: SearchGate,
    stand_in: Option<StandIn>,
}

impl Place {
    /// Where and for what the command line of an example that searches says. `--help` tells what it `does`.
    pub async fn from_arguments(does: &'static str) -> io::Result<(Self, String)> {
        let command = Arguments::command().about(does);
        let matches = command.get_matches();
        let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|wrong| wrong.exit());
        let place = Self::new(&arguments.provider).await?;
        Ok((place, text(&arguments.words)))
    }

    pub async fn new(provider: &Provider) -> io::Result<Self> {
        let (gate, stand_in) = if provider.live {
            (SearchGate::duckduckgo(), None)
        } else {
            let stand_in = stand_in().start().await?;
            let interval = stand_in.scaled(MIN_INTERVAL);
            (SearchGate::new(interval, BACKOFF), Some(stand_in))
        };
        Ok(Self { gate, stand_in })
    }

    pub fn query(&self, text: &str) -> Query {
        let query = Query::new(text).user_agent(USER_AGENT);
        match self.base_url() {
            Some(url) => query.base_url(url),
            None => query,
        }
    }

    /// A client that searches there.
    pub fn client(&self) -> DuckDuckGo<HttpClient> {
        let ddg = DuckDuckGo::new()
            .gate(self.gate.clone())
            .user_agent(USER_AGENT);
        match self.base_url() {
            Some(url) => ddg.base_url(url),
            None => ddg,
        }
    }

    fn base_url(&self) -> Option<String> {
        self.stand_in.as_ref().map(StandIn::url)
    }

    pub fn tell_interval(&self) {
        let seconds = self.gate.snapshot().interval.as_secs_f64();
        match &self.stand_in {
            Some(_) => println!(
                "a search every {seconds} s: the provider is a stand-in, which lives a hundred times as fast"
            ),
            None => println!("a search every {seconds} s"),
        }
    }

    pub fn is_live(&self) -> bool {
        self.stand_in.is_none()
    }
}
