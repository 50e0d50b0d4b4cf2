//! A tower layer that keeps a client polite to a keyless search provider.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod query;
#[cfg(feature = "test-util")]
pub mod testing;

pub use query::{
    ALL_REGIONS, DEFAULT_USER_AGENT, Endpoint, Form, MAX_QUERY_CHARS, Query, QueryError, REGIONS,
    SafeSearch, TimeRange,
};
