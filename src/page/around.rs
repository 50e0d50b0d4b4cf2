//! What stands around the results: the zero-click box, spelling, forms, the encoding.

use super::Spelling;
use super::hidden::Own;
use super::links::action_path;
use super::markup::{attr, has_class};
use super::reading::{Field, Reading, Role, Side};
use super::text::{attribute, decode};
use crate::query::{Endpoint, Query};
use encoding_rs::Encoding;

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

/// A form that is open.
#[derive(Debug, Default)]
pub(super) struct Form {
    endpoint: Option<Endpoint>,
    fields: Vec<(String, String)>,
    /// It asks for the page before this one.
    previous: bool,
}

/// More hidden fields than any form of the provider has.
const MAX_FIELDS: usize = 64;

impl Reading {
    pub(super) fn form(&mut self, raw: &[u8], at: u64) -> Role {
        self.blocks_end(at);
        self.form_ends();
        let action = attribute(attr(raw, "action").unwrap_or_default(), self.encoding);
        let path = action_path(&action);
        let path = path.as_deref();
        if path == Some("/anomaly.js") || attr(raw, "id") == Some(b"challenge-form") {
            self.challenge = true;
            return Role::None;
        }
        let endpoint = match path {
            Some("/html" | "/html/") => Some(Endpoint::Html),
            Some("/lite" | "/lite/") => Some(Endpoint::Lite),
            _ => None,
        };
        self.endpoint = self.endpoint.or(endpoint);
        let previous = has_class(attr(raw, "class").unwrap_or_default(), "prev_form");
        self.form = Some(Form {
            endpoint,
            previous,
            ..Form::default()
        });
        Role::Form
    }

    pub(super) fn input(&mut self, raw: &[u8]) -> Role {
        let Some(form) = &mut self.form else {
            return Role::None;
        };
        let kind = attr(raw, "type").unwrap_or_default();
        let value = attr(raw, "value").unwrap_or_default();
        if kind.eq_ignore_ascii_case(b"submit") {
            form.previous |= value
                .get(..4)
                .is_some_and(|start| start.eq_ignore_ascii_case(b"prev"));
        }
        let name = attr(raw, "name").unwrap_or_default();
        let fits = form.fields.len() < MAX_FIELDS
            && value.len() <= self.limits.text
            && name.len() <= self.limits.text;
        if kind.eq_ignore_ascii_case(b"hidden") && !name.is_empty() && fits {
            form.fields.push((
                attribute(name, self.encoding),
                attribute(value, self.encoding),
            ));
        }
        Role::None
    }

    pub(super) fn form_ends(&mut self) {
        let Some(form) = self.form.take() else { return };
        let pages = form.fields.iter().any(|(name, _)| name == "s");
        if let Some(endpoint) = form.endpoint
            && pages
            && !form.previous
        {
            self.next = Some(Query::from_form(endpoint, form.fields));
        }
    }

    pub(super) fn meta(&mut self, raw: &[u8]) -> Role {
        let content = attr(raw, "content").unwrap_or_default();
        let label = attr(raw, "charset").or_else(|| charset(content));
        if let Some(encoding) = label.and_then(Encoding::for_label) {
            self.encoding_open = false;
            // A page whose tags could be read is not in UTF-16, whatever it says.
            if encoding.is_ascii_compatible() {
                self.encoding = encoding;
            }
        }
        Role::None
    }

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
            Some(Field::Answer) if self.side.is_none() => {
                self.zero_url(href);
                self.side_starts(Side::More)
            }
            Some(Field::Spelling) if self.side.is_none() => self.side_starts(Side::Suggestion),
            _ => Role::None,
        }
    }

    fn zero_url(&mut self, href: &[u8]) {
        use super::links::{Target, target};
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

/// The charset in a `content` as `text/html; charset=utf-8`.
pub(super) fn charset(content: &[u8]) -> Option<&[u8]> {
    let at = content
        .windows(8)
        .position(|window| window.eq_ignore_ascii_case(b"charset="))?;
    let value = &content[at + 8..];
    let value = value
        .strip_prefix(b"\"")
        .or_else(|| value.strip_prefix(b"'"))
        .unwrap_or(value);
    let end = value
        .iter()
        .position(|b| matches!(b, b'"' | b'\'' | b';' | b' ' | b','))
        .unwrap_or(value.len());
    Some(&value[..end])
}
