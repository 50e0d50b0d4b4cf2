//! Svg and math in a page: what html they hold, and what html ends them.
//!
//! HTML's standard has a list of tags that are html wherever they stand. Without it, an svg that was left open would swallow the
//! rest of a page: what is no markup there, such as the text of a style, would be read as markup.

use super::elements::{Element, Elements};
use super::markup::Tag;
use super::names::{BR, Name, P, name};
use super::reading::Reading;

/// The elements of svg and math whose content is html.
const HOLD_HTML: [Name; 8] = [
    name(b"foreignobject"),
    name(b"desc"),
    name(b"title"),
    name(b"mi"),
    name(b"mo"),
    name(b"mn"),
    name(b"ms"),
    name(b"mtext"),
];

/// The start tags that are html wherever they stand.
const ALWAYS_HTML: [Name; 44] = [
    name(b"b"),
    name(b"big"),
    name(b"blockquote"),
    name(b"body"),
    name(b"br"),
    name(b"center"),
    name(b"code"),
    name(b"dd"),
    name(b"div"),
    name(b"dl"),
    name(b"dt"),
    name(b"em"),
    name(b"embed"),
    name(b"h1"),
    name(b"h2"),
    name(b"h3"),
    name(b"h4"),
    name(b"h5"),
    name(b"h6"),
    name(b"head"),
    name(b"hr"),
    name(b"i"),
    name(b"img"),
    name(b"li"),
    name(b"listing"),
    name(b"menu"),
    name(b"meta"),
    name(b"nobr"),
    name(b"ol"),
    name(b"p"),
    name(b"pre"),
    name(b"ruby"),
    name(b"s"),
    name(b"small"),
    name(b"span"),
    name(b"strike"),
    name(b"strong"),
    name(b"sub"),
    name(b"sup"),
    name(b"table"),
    name(b"tt"),
    name(b"u"),
    name(b"ul"),
    name(b"var"),
];

const FONT: Name = name(b"font");

impl Element {
    /// Whether it is of svg or math, and its content html.
    pub(super) fn holds_html(&self) -> bool {
        self.is_foreign() && HOLD_HTML.contains(&self.name)
    }
}

impl Elements {
    /// Whether what stands here is svg or math.
    pub(super) fn in_foreign(&self) -> bool {
        self.last_foreign()
            .is_some_and(|name| !HOLD_HTML.contains(&name))
    }

    /// Whether the innermost open element is one of svg or math.
    pub(super) fn is_foreign(&self) -> bool {
        self.last_foreign().is_some()
    }
}

impl Reading {
    /// Ends the svg or math that stands open before a start tag that cannot be in it.
    pub(super) fn html_starts(&mut self, tag: &Tag<'_>, at: u64) {
        let is_html = ALWAYS_HTML.contains(&tag.name)
            || tag.name == FONT
                && tag
                    .attrs_of([b"color", b"face", b"size"])
                    .iter()
                    .any(Option::is_some);
        if is_html {
            self.foreign_ends(at);
        }
    }

    /// The same before an end tag.
    pub(super) fn html_ends(&mut self, name: Name, at: u64) {
        if matches!(name, P | BR) {
            self.foreign_ends(at);
        }
    }

    fn foreign_ends(&mut self, at: u64) {
        while self.elements.in_foreign() {
            self.innermost_ends(at);
        }
    }
}
