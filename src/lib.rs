//! A tower layer that keeps a client polite to a keyless search provider.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod page;

pub use page::{
    Endpoint, Limits, NextPage, Page, PageError, PageKind, PageReader, Published, SearchResult,
    Spelling, Stopped, ZeroClick, is_ad_link, is_challenge_page,
};
