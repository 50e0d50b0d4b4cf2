//! What stands around the results: the zero-click box and the spelling.

use super::Spelling;
use super::encoding::decode;
use super::hidden::Own;
use super::links::{Target, target};
use super::reading::{Field, Reading, Role, Side};
use memchr::memchr2;

/// Where in a zero-click answer the reading is.
#[derive(Debug, Default)]
pub(super) struct Zero {
    /// In the html page's box.
    pub(super) open: bool,
    /// In the lite page's rows.
    rows: ZeroRows,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ZeroRows {
    #[default]
    None,
    /// "Zero-click info:" has been read, the heading is next.
    Heading,
    /// The heading has been read, the row with the text is next.
    Text,
}

impl Reading {
    pub(super) fn zero_box(&mut self, class: &[u8], own: Own) -> Role {
        if !self.elements.would_see(own) {
            return Role::None;
        }
        if class == b"zci" {
            self.zero.open = true;
            self.zero_click.get_or_insert_default();
            return Role::ZeroBox;
        }
        if self.zero.open {
            self.field_starts(Field::Answer)
        } else {
            Role::None
        }
    }

    pub(super) fn zero_heading(&mut self, own: Own) -> Role {
        if self.elements.would_see(own) {
            self.field_starts(Field::Heading)
        } else {
            Role::None
        }
    }

    pub(super) fn zero_cell(&mut self, own: Own) -> Role {
        if self.zero.rows != ZeroRows::Text || !self.elements.would_see(own) {
            return Role::None;
        }
        self.zero.rows = ZeroRows::None;
        self.field_starts(Field::Answer)
    }

    /// A link that is no part of a result.
    pub(super) fn link_around(&mut self, href: &[u8], own: Own) -> Role {
        if !self.elements.would_see(own) {
            return Role::None;
        }
        match self.field {
            None if self.zero.rows == ZeroRows::Heading => {
                self.zero.rows = ZeroRows::Text;
                self.zero_click.get_or_insert_default();
                self.zero_url(href);
                self.field_starts(Field::Heading)
            }
            Some(Field::Heading) => {
                self.zero_url(href);
                Role::None
            }
            Some(Field::Answer) => {
                self.zero_url(href);
                self.side_starts(Side::More)
            }
            Some(Field::Spelling) => self.side_starts(Side::Suggestion),
            _ => Role::None,
        }
    }

    fn zero_url(&mut self, href: &[u8]) {
        if let Some(zero) = &mut self.zero_click
            && zero.url.is_none()
            && let Target::Web(url) = target(href, self.encoding, self.limits.url)
        {
            zero.url = Some(url);
        }
    }

    pub(super) fn spelling_starts(&mut self, own: Own) -> Role {
        if self.field == Some(Field::Spelling)
            || self.spelling.is_some()
            || !self.elements.would_see(own)
        {
            return Role::None;
        }
        self.field_starts(Field::Spelling)
    }

    pub(super) fn around_ends(&mut self, field: Field, text: String) {
        match field {
            Field::Spelling if !text.is_empty() => {
                self.spelling.get_or_insert_default().text = text
            }
            Field::Heading => {
                if let Some(zero) = &mut self.zero_click {
                    zero.heading = Some(text).filter(|text| !text.is_empty());
                }
            }
            Field::Answer => {
                if let Some(zero) = &mut self.zero_click {
                    zero.text = text;
                }
            }
            _ => {}
        }
    }

    /// The link after an answer's text names its source; any other link's text is the answer's own.
    pub(super) fn more_ends(&mut self, text: &str) {
        match (text.strip_prefix("More at "), &mut self.zero_click) {
            (Some(source), Some(zero)) => zero.source = Some(source.to_owned()),
            _ => self.main_text.push(text),
        }
    }

    pub(super) fn suggestion_ends(&mut self, text: String) {
        let spelling: &mut Spelling = self.spelling.get_or_insert_default();
        if spelling.query.is_none() && !text.is_empty() {
            spelling.query = Some(text);
        }
    }

    /// Whether texts outside of fields matter here: they do until the first result.
    pub(super) fn watches_texts(&self) -> bool {
        self.seen == 0 && self.current.is_none()
    }

    pub(super) fn watched_text(&mut self, node: &[u8]) {
        if memchr2(b'N', b'Z', node).is_none() {
            return;
        }
        let start = node
            .iter()
            .position(|b| !b.is_ascii_whitespace())
            .unwrap_or(node.len());
        let text = &node[start..];
        if !matches!(text.first(), Some(b'N' | b'Z')) {
            return;
        }
        let text = decode(&text[..text.len().min(64)], self.encoding);
        let mut words = text.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("Zero-click"), Some("info:"), None) => self.zero.rows = ZeroRows::Heading,
            (Some("No"), Some("results" | "results."), _)
            | (Some("No"), Some("more"), Some("results" | "results.")) => self.no_results = true,
            _ => {}
        }
    }
}
