//! What is known of a page at some place in it.
//!
//! The rules that make data of tags and texts add to it what they know: [`tags`](super::tags), [`html`](super::html),
//! [`lite`](super::lite), [`anchors`](super::anchors), [`around`](super::around), [`forms`](super::forms), [`encoding`](super::encoding),
//! [`fields`](super::fields).

use super::around::Zero;
use super::cuts::Cuts;
use super::elements::Elements;
use super::forms::Form;
use super::lite::Rows;
use super::text::Text;
use super::{Limits, SearchResult, Spelling, ZeroClick};
use crate::query::{Endpoint, Query};
use encoding_rs::{Encoding, UTF_8};
use std::collections::{HashSet, VecDeque};

/// What an open element means for the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    None,
    /// A result's or an ad's block of the html page.
    Block,
    /// A row of the lite page's table.
    Row,
    /// A link that may be cut on its own.
    AdLink,
    /// A link within an ad.
    InAd,
    Field(Field),
    Side(Side),
    Bold,
    Form,
    ZeroBox,
}

/// The text that is being put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Title,
    Snippet,
    DisplayUrl,
    Date,
    Heading,
    Answer,
    Spelling,
}

/// A part of a field that is wanted apart from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Badge,
    More,
    Suggestion,
}

/// Where in the list of results the reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Outside,
    /// In a block that may yet turn out to be an ad.
    Block,
    /// In a block whose title has been read.
    Result,
    Ad,
}

#[derive(Debug)]
pub(super) struct Reading {
    pub(super) limits: Limits,
    pub(super) encoding: &'static Encoding,
    /// Whether the page may still name its encoding.
    pub(super) encoding_open: bool,
    pub(super) elements: Elements,
    pub(super) cuts: Cuts,
    pub(super) collect: bool,
    /// The addresses of the results so far, hashed, if each is to come once.
    pub(super) unique: Option<HashSet<u64>>,

    pub(super) results: VecDeque<SearchResult>,
    pub(super) seen: usize,
    /// There are more results than the limits allow.
    pub(super) full: bool,
    pub(super) ads: usize,
    pub(super) hidden: usize,
    pub(super) challenge: bool,
    pub(super) no_results: bool,
    pub(super) any_tag: bool,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) zero_click: Option<ZeroClick>,
    pub(super) spelling: Option<Spelling>,
    pub(super) next: Option<Query>,

    pub(super) place: Place,
    pub(super) current: Option<SearchResult>,
    /// A text of the current result was left out because it cannot be seen.
    pub(super) left_out: bool,
    pub(super) field: Option<Field>,
    pub(super) side: Option<Side>,
    pub(super) main_text: Text,
    pub(super) side_text: Text,
    /// The bytes of a text node that goes on in the next slice.
    pub(super) node: Vec<u8>,

    pub(super) lite: Rows,
    pub(super) zero: Zero,
    pub(super) form: Option<Form>,
    /// Where the start tags stood.
    #[cfg(test)]
    pub(super) tags: Vec<u64>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            encoding: UTF_8,
            encoding_open: true,
            elements: Elements::default(),
            cuts: Cuts::default(),
            collect: true,
            unique: None,
            results: VecDeque::new(),
            seen: 0,
            full: false,
            ads: 0,
            hidden: 0,
            challenge: false,
            no_results: false,
            any_tag: false,
            endpoint: None,
            zero_click: None,
            spelling: None,
            next: None,
            place: Place::Outside,
            current: None,
            left_out: false,
            field: None,
            side: None,
            main_text: Text::default(),
            side_text: Text::default(),
            node: Vec::new(),
            lite: Rows::default(),
            zero: Zero::default(),
            form: None,
            #[cfg(test)]
            tags: Vec::new(),
        }
    }
}

impl Reading {
    pub(super) fn limit(&mut self, limits: Limits, pass_html: bool) {
        self.cuts = Cuts::new(pass_html, limits.held);
        self.limits = limits;
    }
}
