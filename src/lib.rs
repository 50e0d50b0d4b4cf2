// The README's links, as they lead here: of several definitions the first holds.
//! [`Error`]: Error
//! [guide]: guide
#![cfg_attr(feature = "test-util", doc = "[`testing::StandIn`]: testing::StandIn")]
#![doc = include_str!("../examples/demo/burst.md")]
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod client;
pub mod gate;
#[cfg(doc)]
pub mod guide;
pub mod layer;
pub mod page;
pub mod query;
mod reasons;
#[cfg(feature = "reqwest")]
pub mod reqwest;
mod telemetry;
#[cfg(feature = "test-util")]
pub mod testing;

#[cfg(feature = "client")]
#[doc(inline)]
pub use crate::client::HttpClient;
#[doc(inline)]
pub use crate::{
    client::{DuckDuckGo, ResultStream},
    gate::{
        BACKOFF, Backoff, BuildError, Changes, Counts, LONGEST_BACKOFF, MIN_INTERVAL, Refusal,
        SEARCH_DEADLINE, SearchGate, SearchGateBuilder, Snapshot, Turn, TurnError, Verdict,
        WhileBackingOff, WhileUnreachable, time_left,
    },
    layer::{
        AsErrors, AsResponses, Cause, Deadline, Error, Gated, REQUEST_LIMIT, Results, SearchBody,
        SearchGateLayer, SearchGateLayerBuilder, THROTTLE_HINT, Throttled,
    },
    page::{
        Limits, Page, PageError, PageKind, PageReader, Published, SearchResult, Spelling, Stopped,
        ZeroClick, is_ad_link, is_challenge_page, is_throttle_status,
    },
    query::{
        ALL_REGIONS, DEFAULT_USER_AGENT, Endpoint, Form, MAX_QUERY_CHARS, Query, QueryError,
        REGIONS, SafeSearch, TimeRange,
    },
};

#[cfg(feature = "metrics")]
pub use crate::telemetry::describe_metrics;
#[cfg(feature = "json")]
#[doc(inline)]
pub use crate::{
    page::{InstantAnswer, InstantError, InstantKind, Topic},
    query::InstantQuery,
};

/// Any error, boxed: what services of unknown kind fail with.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
