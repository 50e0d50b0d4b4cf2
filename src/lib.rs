//! A tower layer that keeps a client polite to a keyless search provider.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod gate;

pub use crate::gate::{
    BACKOFF, BuildError, LONGEST_BACKOFF, MIN_INTERVAL, Refusal, SEARCH_DEADLINE, SearchGate,
    SearchGateBuilder, Snapshot, Turn, Verdict, time_left,
};
