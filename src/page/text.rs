//! Texts as a person reads them: decoded, entities resolved, white space collapsed.

use encoding_rs::{Encoding, UTF_8};
use memchr::{memchr, memmem};
use std::borrow::Cow;
use std::ops::Range;

/// Decodes bytes of the page; what is malformed becomes U+FFFD.
pub(super) fn decode<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    if encoding == UTF_8 {
        return String::from_utf8_lossy(bytes);
    }
    encoding.decode_without_bom_handling(bytes).0
}

/// An attribute's value as it stands in the source, read.
pub(super) fn attribute(value: &[u8], encoding: &'static Encoding) -> String {
    htmlize::unescape_attribute(decode(value, encoding)).into_owned()
}

/// A text that is put together from the nodes of an element.
#[derive(Debug, Default)]
pub(super) struct Text {
    buf: String,
    /// White space has been read that no word has followed yet.
    gap: bool,
    limit: usize,
    bold: Vec<Range<usize>>,
    bold_from: Option<usize>,
    bold_depth: usize,
}

impl Text {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Adds one text node.
    pub(super) fn node(&mut self, node: &[u8], encoding: &'static Encoding) {
        let text = decode(node, encoding);
        if memchr(b'&', node).is_some() {
            self.push(&htmlize::unescape(text))
        } else {
            self.push(&text)
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        if is_plain(text.as_bytes()) {
            let words = text.trim_matches(' ');
            self.gap |= text.starts_with(' ');
            self.words(words);
            self.gap |= text.ends_with(' ') && !words.is_empty();
            return;
        }
        let mut rest = text;
        loop {
            let words = rest.trim_start();
            self.gap |= words.len() != rest.len();
            if words.is_empty() {
                return;
            }
            let end = words.find(char::is_whitespace).unwrap_or(words.len());
            self.words(&words[..end]);
            rest = &words[end..];
        }
    }

    fn words(&mut self, words: &str) {
        if words.is_empty() || self.buf.len() >= self.limit {
            return;
        }
        if self.gap && !self.buf.is_empty() {
            self.buf.push(' ');
        }
        self.gap = false;
        if self.bold_depth > 0 {
            self.bold_from.get_or_insert(self.buf.len());
        }
        let mut end = words.len().min(self.limit.saturating_sub(self.buf.len()));
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        self.buf.push_str(&words[..end]);
        if end < words.len() {
            // Full: nothing that comes later may follow a cut word.
            self.limit = self.buf.len();
        }
    }

    pub(super) fn bold(&mut self) {
        self.bold_depth += 1;
    }

    pub(super) fn bold_ends(&mut self) {
        self.bold_depth = self.bold_depth.saturating_sub(1);
        if self.bold_depth > 0 {
            return;
        }
        if let Some(from) = self.bold_from.take() {
            self.bold.push(from..self.buf.len());
        }
    }

    /// Takes the text out and leaves an empty one that keeps its room.
    pub(super) fn take(&mut self, limit: usize) -> (String, Vec<Range<usize>>) {
        self.bold_depth = self.bold_depth.min(1);
        self.bold_ends();
        let text = self.buf.as_str().to_owned();
        let bold = self.bold.as_slice().to_vec();
        self.clear(limit);
        (text, bold)
    }

    pub(super) fn clear(&mut self, limit: usize) {
        self.buf.clear();
        self.bold.clear();
        self.bold_from = None;
        self.bold_depth = 0;
        self.gap = false;
        self.limit = limit;
    }
}

/// Whether a text holds no white space but single blanks, judged quickly: a yes is sure, a no need not be.
fn is_plain(text: &[u8]) -> bool {
    let plain = text
        .iter()
        .fold(true, |plain, b| plain & (b' '..0x7f).contains(b));
    plain && memmem::find(text, b"  ").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(nodes: &[&str]) -> String {
        let mut text = Text::new(100);
        for node in nodes {
            text.node(node.as_bytes(), UTF_8);
        }
        text.take(100).0
    }

    #[test]
    fn white_space_collapses_over_nodes() {
        assert_eq!(text(&["  a ", " b\n", "c  d "]), "a b c d");
        assert_eq!(text(&["a", "b"]), "ab");
        assert_eq!(text(&["a&nbsp;", "\u{a0} b\u{3000}c"]), "a b c");
        assert_eq!(text(&[" ", "a"]), "a");
    }

    #[test]
    fn each_node_is_decoded_on_its_own() {
        assert_eq!(text(&["&am", "p; &lt;&amp;lt;"]), "&amp; <&lt;");
    }

    #[test]
    fn bold_ranges_hold_the_words_and_not_the_blanks_around_them() {
        let mut text = Text::new(100);
        text.push("a ");
        text.bold();
        text.push(" b c ");
        text.bold_ends();
        text.push("d");
        let (text, bold) = text.take(100);
        assert_eq!(
            bold.iter()
                .map(|range| &text[range.clone()])
                .collect::<Vec<_>>(),
            ["b c"]
        );
    }

    #[test]
    fn a_text_is_cut_at_its_limit_between_characters() {
        let mut text = Text::new(5);
        text.push("aäää more");
        assert_eq!(text.take(5).0, "aää");
    }
}
