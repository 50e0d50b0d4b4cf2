//! Where the examples search: on a stand-in for the provider, on this machine, or on the live provider if `--live` was given.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each example uses its own part of it"
)]

use search_gate::{
    BACKOFF, DuckDuckGo, HttpClient, MIN_INTERVAL, Query, SearchGate, testing::StandIn,
};

const USER_AGENT: &str = "search-gate-example/0.1";

pub struct Place {
    /// The gate for it. The stand-in lives a hundred times as fast as the provider, and this gate keeps up with it.
    pub gate: SearchGate,
    stand_in: Option<StandIn>,
    words: Vec<String>,
    serve: bool,
}

impl Place {
    pub async fn from_arguments() -> std::io::Result<Self> {
        let (flags, words) = std::env::args()
            .skip(1)
            .partition::<Vec<_>, _>(|argument| argument.starts_with("--"));
        let has = |flag: &str| flags.iter().any(|given| given == flag);
        if let Some(unknown) = flags
            .iter()
            .find(|flag| !matches!(&***flag, "--live" | "--serve"))
        {
            return Err(std::io::Error::other(format!(
                "unknown argument {unknown}; there are --live and, for servers, --serve"
            )));
        }
        let (gate, stand_in) = if has("--live") {
            (SearchGate::duckduckgo(), None)
        } else {
            let stand_in = StandIn::builder()
                .page(|page| match page.query() {
                    "nothing" => page.results(0),
                    _ => page,
                })
                .ads(1)
                .time_scale(0.01)
                .start()
                .await?;
            let interval = stand_in.scaled(MIN_INTERVAL);
            (SearchGate::new(interval, BACKOFF), Some(stand_in))
        };
        Ok(Self {
            gate,
            stand_in,
            words,
            serve: has("--serve"),
        })
    }

    /// The words in the arguments, or these.
    pub fn words_or(&self, words: &str) -> String {
        match &self.words[..] {
            [] => words.to_owned(),
            given => given.join(" "),
        }
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

    pub fn is_live(&self) -> bool {
        self.stand_in.is_none()
    }

    /// Whether a server is to stay up.
    pub fn serves(&self) -> bool {
        self.serve
    }
}
