//! What is known of a page at some place in it, and the rules that make data of its tags and texts.

use super::around::{Form, Zero};
use super::cuts::Cuts;
use super::elements::{self, Element, Elements};
use super::hidden::{self, Own};
use super::links::{self, Target};
use super::markup::{self, Name, attr, tag_name};
use super::text::Text;
use super::{Limits, Published, SearchResult, Spelling, Stopped, ZeroClick};
use crate::query::{Endpoint, Query};
use encoding_rs::{Encoding, UTF_8};
use std::collections::VecDeque;

/// What an open element means for the reading. Numbers tell a block or link from an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    None,
    /// A result's or an ad's block of the html page.
    Block(u32),
    /// A row of the lite page's table.
    Row(u32),
    /// A link that may be cut on its own.
    AdLink(u32),
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

    pub(super) results: VecDeque<SearchResult>,
    pub(super) seen: usize,
    /// There are more results than the limits allow.
    full: bool,
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
    pub(super) block: u32,
    pub(super) link: u32,
    pub(super) current: Option<SearchResult>,
    /// A text of the current result was left out because it cannot be seen.
    pub(super) left_out: bool,
    pub(super) field: Option<Field>,
    pub(super) side: Option<Side>,
    pub(super) main_text: Text,
    pub(super) side_text: Text,
    /// The bytes of a text node that goes on in the next slice.
    node: Vec<u8>,

    pub(super) lite: super::lite::Rows,
    pub(super) zero: Zero,
    pub(super) form: Option<Form>,
}

impl Reading {
    pub(super) fn new(limits: Limits, collect: bool, cuts: Cuts) -> Self {
        Self {
            encoding: UTF_8,
            encoding_open: true,
            elements: Elements::default(),
            cuts,
            collect,
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
            block: 0,
            link: 0,
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
            limits,
        }
    }

    pub(super) fn tag(&mut self, raw: &[u8], at: u64, may_hide: bool) -> Result<(), Stopped> {
        if raw.get(1) == Some(&b'/') {
            self.end(raw, at);
            return Ok(());
        }
        self.start(raw, at, may_hide)
    }

    pub(super) fn start(&mut self, raw: &[u8], at: u64, may_hide: bool) -> Result<(), Stopped> {
        self.any_tag = true;
        let tag = markup::name(tag_name(raw));
        if let Some(left) = self.elements.after_start(tag) {
            self.close_to(left, at);
        }
        if tag == elements::A
            && let Some(link) = self.elements.take_link()
        {
            self.closed(link, at);
        }
        if elements::is_block(tag) {
            self.unclosed_ad_link(at);
        }
        let own = if may_hide {
            hidden::own(raw)
        } else {
            Own::default()
        };
        let end = at + raw.len() as u64;
        let role = self.opened(tag, raw, own, at, end);
        let closed_itself =
            elements::is_void(tag) || self.elements.in_foreign() && raw.ends_with(b"/>");
        if closed_itself {
            return Ok(());
        }
        if self.elements.depth() >= self.limits.depth {
            return Err(Stopped::Depth);
        }
        self.elements.push(tag, role, own);
        if self.full {
            Err(Stopped::Results)
        } else {
            Ok(())
        }
    }

    fn end(&mut self, raw: &[u8], at: u64) {
        let tag = markup::name(tag_name(raw));
        let Some(left) = self.elements.after_end(tag) else {
            return;
        };
        self.close_to(left + 1, at);
        if let Some(element) = self.elements.pop() {
            self.closed(element, at + raw.len() as u64);
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
            Role::Block(block) if block == self.block => self.blocks_end(at),
            Role::Row(row) if row == self.block => self.row_ends(at),
            Role::AdLink(link) if link == self.link => self.unclosed_ad_link(at),
            Role::None | Role::Block(_) | Role::Row(_) | Role::AdLink(_) => {}
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

    fn opened(&mut self, tag: Name, raw: &[u8], own: Own, at: u64, end: u64) -> Role {
        match tag {
            elements::A => self.link(raw, own, at, end),
            elements::DIV => self.div(raw, own, at, end),
            elements::SPAN => self.span(raw, own, at, end),
            elements::TR => self.row(raw, at, end),
            elements::TD => self.cell(raw, own, at, end),
            elements::FORM => self.form(raw, at),
            elements::INPUT => self.input(raw),
            elements::B | elements::STRONG if self.field.is_some() && self.side.is_none() => {
                self.main_text.bold();
                Role::Bold
            }
            elements::IMG => self.image(raw, own),
            elements::H1 if self.zero.open => self.heading(own),
            elements::META if self.encoding_open => self.meta(raw),
            _ => Role::None,
        }
    }

    /// A link, by what its class says it is.
    fn link(&mut self, raw: &[u8], own: Own, at: u64, end: u64) -> Role {
        let class = attr(raw, "class").unwrap_or_default();
        let kind = LinkKind::of(class);
        if self.place == Place::Ad {
            return if kind == LinkKind::LiteTitle {
                self.lite_ad_title()
            } else {
                Role::InAd
            };
        }
        let is_title = matches!(kind, LinkKind::Title | LinkKind::LiteTitle);
        let href = attr(raw, "href").unwrap_or_default();
        if is_title || memchr::memmem::find(href, b"y.js").is_some() {
            match links::target(href, self.encoding, self.limits.url) {
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
            LinkKind::Title | LinkKind::LiteTitle | LinkKind::Other => self.link_around(href, own),
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

    pub(super) fn result_field(&mut self, field: Field, own: Own) -> Role {
        let Some(current) = &self.current else {
            return Role::None;
        };
        let taken = match field {
            Field::Snippet => !current.snippet.is_empty(),
            Field::DisplayUrl => current.display_url.is_some(),
            Field::Date => current.published.is_some(),
            _ => false,
        };
        if taken || !self.elements.would_see(own) {
            Role::None
        } else {
            self.field_starts(field)
        }
    }

    pub(super) fn field_starts(&mut self, field: Field) -> Role {
        self.field_ends();
        self.field = Some(field);
        self.main_text.clear(self.limits.text);
        Role::Field(field)
    }

    pub(super) fn side_starts(&mut self, side: Side) -> Role {
        self.side = Some(side);
        self.side_text.clear(self.limits.text);
        Role::Side(side)
    }

    fn field_ends(&mut self) {
        self.side_ends();
        let Some(field) = self.field.take() else {
            return;
        };
        let (text, bold) = self.main_text.take(self.limits.text);
        let some = (!text.is_empty()).then_some(());
        match (field, &mut self.current) {
            (Field::Title, Some(result)) => (result.title, result.title_bold) = (text, bold),
            (Field::Snippet, Some(result)) => (result.snippet, result.snippet_bold) = (text, bold),
            (Field::DisplayUrl, Some(result)) => result.display_url = some.map(|()| text),
            (Field::Date, Some(result)) => result.published = some.map(|()| Published::new(text)),
            (Field::Heading | Field::Answer | Field::Spelling, _) => self.around_ends(field, text),
            (_, None) => {}
        }
    }

    fn side_ends(&mut self) {
        let Some(side) = self.side.take() else { return };
        let (text, _) = self.side_text.take(self.limits.text);
        match side {
            Side::Badge => {
                if let Some(result) = &mut self.current
                    && !text.is_empty()
                {
                    result.file_type = Some(text);
                }
            }
            Side::More => self.more_ends(&text),
            Side::Suggestion => self.suggestion_ends(text),
        }
    }

    /// A piece of a text node, the `last` of it or not.
    pub(super) fn text(&mut self, piece: &[u8], last: bool) {
        let wanted = self.field.is_some() || self.watches_texts();
        if !wanted {
            self.node.clear();
            return;
        }
        if !last || !self.node.is_empty() {
            let room = (4 * self.limits.text).saturating_sub(self.node.len());
            self.node.extend_from_slice(&piece[..piece.len().min(room)]);
            if last {
                let node = std::mem::take(&mut self.node);
                self.text_node(&node);
                self.node = node;
                self.node.clear();
            }
        } else if !piece.is_empty() {
            self.text_node(piece);
        }
    }

    fn text_node(&mut self, node: &[u8]) {
        if !self.elements.seen() {
            self.left_out |= self.field == Some(Field::Title);
            return;
        }
        if self.field.is_none() {
            return self.watched_text(node);
        }
        match self.side {
            Some(Side::Badge | Side::More) => self.side_text.node(node, self.encoding),
            Some(Side::Suggestion) => {
                self.side_text.node(node, self.encoding);
                self.main_text.node(node, self.encoding);
            }
            None => self.main_text.node(node, self.encoding),
        }
    }

    /// Ends the current result, if there is one, and hands it out.
    pub(super) fn finish_result(&mut self) {
        if self.current.is_some()
            && matches!(
                self.field,
                Some(Field::Title | Field::Snippet | Field::DisplayUrl | Field::Date)
            )
        {
            self.field_ends();
        }
        let Some(mut result) = self.current.take() else {
            return;
        };
        if result.title.is_empty() && self.left_out {
            self.hidden += 1;
        } else if links::is_eof(&result.title, &result.url) {
            self.no_results = true;
        } else if self.seen == self.limits.results {
            self.full = true;
        } else {
            self.seen += 1;
            result.position = self.seen;
            if self.collect {
                self.results.push_back(result);
            }
        }
    }

    /// The page is over, or reading stops: hands out what there is.
    pub(super) fn finish(&mut self) {
        self.text(b"", true);
        if self
            .field
            .is_some_and(|field| field == Field::Answer || field == Field::Spelling)
        {
            self.field_ends();
        }
        self.finish_result();
        self.form_ends();
        self.cuts.give_up();
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
    fn of(class: &[u8]) -> Self {
        class
            .split(|&b| markup::is_space(b))
            .find_map(|token| match token {
                b"result__a" => Some(Self::Title),
                b"result-link" => Some(Self::LiteTitle),
                b"result__snippet" => Some(Self::Snippet),
                b"result__url" => Some(Self::DisplayUrl),
                _ => None,
            })
            .unwrap_or(Self::Other)
    }
}
