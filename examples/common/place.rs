//! Where the examples search: on a stand-in for the provider, on this machine, or on the live provider if `--live` was given.

use std::io;

use search_gate::{
    BACKOFF, DuckDuckGo, HttpClient, MIN_INTERVAL, Query, SearchGate,
    testing::{StandIn, StandInBuilder},
};

use super::{Arguments, Usage, println};

const USER_AGENT: &str = "search-gate-example/0.1";

const LIVE: (&str, &str) = (
    "--live",
    "ask the live provider, not the stand-in on this machine",
);

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
    arguments: Arguments,
}

impl Place {
    /// Where the command line of an example that searches says. `--help` tells what it `does`.
    pub async fn from_arguments(does: &'static str) -> io::Result<Self> {
        let usage = Usage {
            does,
            words: "[WORDS]",
            options: &[LIVE],
            notes: "Without WORDS it searches for `tower middleware`. The stand-in finds nothing for the word `nothing`.",
        };
        Self::new(usage.read()).await
    }

    /// The same for an example that serves.
    pub async fn of_server(does: &'static str) -> io::Result<Self> {
        let usage = Usage {
            does,
            words: "",
            options: &[LIVE, ("--serve", "stay up")],
            notes: "",
        };
        Self::new(usage.read()).await
    }

    async fn new(arguments: Arguments) -> io::Result<Self> {
        let (gate, stand_in) = if arguments.has("--live") {
            (SearchGate::duckduckgo(), None)
        } else {
            let stand_in = stand_in().start().await?;
            let interval = stand_in.scaled(MIN_INTERVAL);
            (SearchGate::new(interval, BACKOFF), Some(stand_in))
        };
        Ok(Self {
            gate,
            stand_in,
            arguments,
        })
    }

    /// The words in the arguments, or these.
    pub fn words_or(&self, words: &str) -> String {
        self.arguments.text().unwrap_or_else(|| words.to_owned())
    }

    /// The query in the arguments, or this one.
    pub fn query_or(&self, text: &str) -> Query {
        self.query(&self.words_or(text))
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

    /// Whether a server is to stay up.
    pub fn serves(&self) -> bool {
        self.arguments.has("--serve")
    }
}
