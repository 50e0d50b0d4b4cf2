//! What is known of a page at some place in it, and the rules that make data of its tags and texts.

use super::around::Zero;
use super::cuts::Cuts;
use super::elements::{self, Element, Elements, Kind};
use super::forms::Form;
use super::hidden::{self, Own};
use super::links::{self, Target};
use super::markup::{Name, Tag};
use super::text::Text;
use super::{Limits, SearchResult, Spelling, Stopped, ZeroClick};
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

    pub(super) lite: super::lite::Rows,
    pub(super) zero: Zero,
    pub(super) form: Option<Form>,
    /// Where the start tags stood.
    #[cfg(test)]
    pub(super) tags: Vec<u64>,
}

impl Reading {
    pub(super) fn new(limits: Limits, collect: bool, cuts: Cuts) -> Self {
        Self {
            encoding: UTF_8,
            encoding_open: true,
            elements: Elements::default(),
            cuts,
            collect,
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
            main_text: Text::new(limits.text),
            side_text: Text::new(limits.text),
            node: Vec::new(),
            lite: super::lite::Rows::default(),
            zero: Zero::default(),
            form: None,
            #[cfg(test)]
            tags: Vec::new(),
            limits,
        }
    }

    #[inline]
    pub(super) fn tag(&mut self, tag: &Tag<'_>, at: u64) -> Result<(), Stopped> {
        if tag.is_end {
            self.end(tag.name, at, at + tag.raw.len() as u64);
            return Ok(());
        }
        self.start(tag, at)
    }

    pub(super) fn start(&mut self, tag: &Tag<'_>, at: u64) -> Result<(), Stopped> {
        if self.full {
            return Err(Stopped::Results);
        }
        self.any_tag = true;
        #[cfg(test)]
        self.tags.push(at);
        if tag.kind == Kind::Block {
            if let Some(left) = self.elements.after_start(tag.name) {
                self.close_to(left, at);
            }
            self.unclosed_ad_link(at);
        } else if tag.name == elements::A
            && let Some(link) = self.elements.take_link()
        {
            self.closed(link, at);
        }
        let own = if tag.may_hide {
            hidden::own(tag)
        } else {
            Own::default()
        };
        let role = self.opened(tag, own, at, at + tag.raw.len() as u64);
        if tag.kind == Kind::Void || self.elements.in_foreign() && tag.raw.ends_with(b"/>") {
            return Ok(());
        }
        if self.elements.depth() >= self.limits.depth {
            return Err(Stopped::Depth);
        }
        self.elements.push(tag.name, role, own);
        Ok(())
    }

    /// An end tag that stands from `at` to `end`.
    pub(super) fn end(&mut self, name: Name, at: u64, end: u64) {
        let Some(left) = self.elements.after_end(name) else {
            return;
        };
        self.close_to(left + 1, at);
        self.last_ends(end);
    }

    /// The innermost open element ends, with an end tag that ends at `end`.
    pub(super) fn last_ends(&mut self, end: u64) {
        if let Some(element) = self.elements.pop() {
            self.closed(element, end);
        }
    }

    fn close_to(&mut self, left: usize, at: u64) {
        while self.elements.depth() > left {
            if let Some(element) = self.elements.pop() {
                self.closed(element, at);
            }
        }
    }

    fn closed(&mut self, element: Element, at: u64) {
        match element.role {
            Role::None => {}
            Role::Block => self.blocks_end(at),
            Role::Row => self.row_ends(at),
            Role::AdLink => self.unclosed_ad_link(at),
            Role::InAd => {
                if self.place == Place::Ad {
                    self.cuts.sure(at);
                }
            }
            Role::Field(field) => {
                if self.field == Some(field) {
                    self.field_ends();
                }
            }
            Role::Side(side) => {
                if self.side == Some(side) {
                    self.side_ends();
                }
            }
            Role::Bold => self.main_text.bold_ends(),
            Role::Form => self.form_ends(),
            Role::ZeroBox => self.zero.open = false,
        }
    }

    fn opened(&mut self, tag: &Tag<'_>, own: Own, at: u64, end: u64) -> Role {
        match tag.name {
            elements::A => self.link(tag, own, at, end),
            elements::DIV => self.div(tag, own, at),
            elements::SPAN => self.span(tag, own, at),
            elements::TR => self.row(tag, at),
            elements::TD => self.cell(tag, own, at),
            elements::FORM => self.form(tag, at),
            elements::INPUT => self.input(tag),
            elements::B | elements::STRONG => {
                self.main_text.bold();
                Role::Bold
            }
            elements::IMG => self.image(tag, own),
            elements::H1 if self.zero.open => self.heading(own),
            elements::META if self.encoding_open => self.meta(tag),
            _ => Role::None,
        }
    }

    /// A link, by what its class says it is.
    fn link(&mut self, tag: &Tag<'_>, own: Own, at: u64, end: u64) -> Role {
        let kind = LinkKind::of(tag);
        if self.place == Place::Ad {
            return if kind == LinkKind::LiteTitle {
                self.lite_ad_title(tag.href)
            } else {
                Role::InAd
            };
        }
        let is_title = matches!(kind, LinkKind::Title | LinkKind::LiteTitle);
        if is_title || links::may_be_ad(tag.href) {
            match links::target(tag.href, self.encoding, self.limits.url) {
                Target::Ad => return self.ad_link(kind, at, end),
                Target::Web(url) if is_title => return self.title(kind, url, own),
                Target::Unusable if is_title => {
                    self.no_ad();
                    return Role::None;
                }
                Target::Web(_) | Target::Unusable => {}
            }
        }
        match kind {
            LinkKind::Snippet => self.result_field(Field::Snippet, own),
            LinkKind::DisplayUrl => self.result_field(Field::DisplayUrl, own),
            LinkKind::Title | LinkKind::LiteTitle | LinkKind::Other => {
                self.link_around(tag.href, own)
            }
        }
    }

    fn title(&mut self, kind: LinkKind, url: String, own: Own) -> Role {
        self.no_ad();
        if kind == LinkKind::LiteTitle {
            self.lite.after_ad = false;
        }
        if !self.elements.would_see(own) {
            self.hidden += 1;
            return Role::None;
        }
        self.left_out = false;
        self.current = Some(SearchResult {
            url,
            ..SearchResult::default()
        });
        self.field_starts(Field::Title)
    }

    /// The block's title leads to no ad, so the block is none.
    fn no_ad(&mut self) {
        self.finish_result();
        self.cuts.release();
        if self.place == Place::Block {
            self.place = Place::Result;
        }
    }
}

/// What a link's class says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkKind {
    Title,
    LiteTitle,
    Snippet,
    DisplayUrl,
    Other,
}

impl LinkKind {
    fn of(tag: &Tag<'_>) -> Self {
        let known = tag.classes().find_map(|token| match token {
            b"result__a" => Some(Self::Title),
            b"result-link" => Some(Self::LiteTitle),
            b"result__snippet" => Some(Self::Snippet),
            b"result__url" => Some(Self::DisplayUrl),
            _ => None,
        });
        known.unwrap_or(Self::Other)
    }
}
