//! Texts as a person reads them: entities resolved, white space collapsed, bold words known.

use super::encoding::{decode, utf8};
use encoding_rs::Encoding;
use memchr::memchr;
use std::ops::Range;

/// A text that is put together from the nodes of an element. It takes none before it is [cleared](Self::clear) for them.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// UTF-8.
    buf: Vec<u8>,
    /// Room for [`resolve`].
    resolved: Vec<u8>,
    /// White space has been read that no word has followed yet.
    gap: bool,
    limit: usize,
    bold: Vec<Range<usize>>,
    bold_from: Option<usize>,
    bold_depth: usize,
}

impl Text {
    /// Adds one text node.
    pub(super) fn node(&mut self, node: &[u8], encoding: &'static Encoding) {
        let words = node.trim_ascii();
        self.gap |= node.first().is_some_and(u8::is_ascii_whitespace);
        if words.is_empty() {
            return;
        }
        let odd = oddity(words);
        if odd == 0 {
            self.words(words);
        } else {
            let mut resolved = std::mem::take(&mut self.resolved);
            if odd == REFERENCE && resolve(words, &mut resolved).is_some() {
                self.words(&resolved);
            } else {
                self.push(&htmlize::unescape(decode(words, encoding)));
            }
            resolved.clear();
            self.resolved = resolved;
        }
        self.gap |= node.last().is_some_and(u8::is_ascii_whitespace);
    }

    /// Adds text with all its white space, which is collapsed.
    pub(super) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (mut start, mut at) = (0, 0);
        while let Some(found) = bytes[at..].iter().position(|&byte| may_be_space(byte)) {
            at += found;
            let width = space_width(&bytes[at..]);
            let single = bytes[at] == b' '
                && at > start
                && bytes.get(at + 1).is_some_and(|&next| !may_be_space(next));
            if width == 0 || single {
                at += 1;
                continue;
            }
            self.words(&bytes[start..at]);
            self.gap = true;
            at += width;
            start = at;
        }
        self.words(&bytes[start..]);
    }

    /// Adds words that are parted by single blanks, in UTF-8.
    fn words(&mut self, words: &[u8]) {
        if words.is_empty() || self.buf.len() >= self.limit {
            return;
        }
        let blank = self.gap && !self.buf.is_empty();
        let room = self.limit - self.buf.len() - usize::from(blank);
        let fitting = if words.len() <= room {
            words
        } else {
            cut(words, room)
        };
        if !fitting.is_empty() {
            if blank {
                self.buf.push(b' ');
            }
            if self.bold_depth > 0 {
                self.bold_from.get_or_insert(self.buf.len());
            }
            self.buf.extend_from_slice(fitting);
        }
        self.gap = false;
        if fitting.len() < words.len() {
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
        let text = utf8(self.buf.as_slice().to_vec());
        let bold = self.bold.as_slice().to_vec();
        self.clear(limit);
        (text, bold)
    }

    /// Begins anew, with room for `limit` bytes.
    pub(super) fn clear(&mut self, limit: usize) {
        self.buf.clear();
        self.bold.clear();
        self.bold_from = None;
        self.bold_depth = 0;
        self.gap = false;
        self.limit = limit;
    }
}

/// As many of the words as fit, cut between characters.
fn cut(words: &[u8], room: usize) -> &[u8] {
    let is_start = |&at: &usize| words[at] & 0xc0 != 0x80;
    let end = (0..=room).rev().find(is_start).unwrap_or(0);
    words[..end].trim_ascii_end()
}

/// Adds a text with its references resolved; `None` when it has others than the usual ones, to ASCII that is no white space.
fn resolve(text: &[u8], resolved: &mut Vec<u8>) -> Option<()> {
    const USUAL: [(&[u8], u8); 5] = [
        (b"#x27;", b'\''),
        (b"amp;", b'&'),
        (b"quot;", b'"'),
        (b"lt;", b'<'),
        (b"gt;", b'>'),
    ];
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest) {
        let (before, reference) = (&rest[..at], &rest[at + 1..]);
        let (name, character) = USUAL.iter().find(|(name, _)| reference.starts_with(name))?;
        resolved.extend_from_slice(before);
        resolved.push(*character);
        rest = &reference[name.len()..];
    }
    resolved.extend_from_slice(rest);
    Some(())
}

/// What has to be minded in a text: nothing in ASCII words with single blanks between them.
fn oddity(text: &[u8]) -> u8 {
    let [first, after @ ..] = text else {
        return 0;
    };
    let before = &text[..after.len()];
    oddity_of(b"x", &[*first]) | oddity_of(before, after)
}

/// There may be a character reference.
const REFERENCE: u8 = 2;

#[inline(always)]
fn oddity_of(before: &[u8], after: &[u8]) -> u8 {
    before.iter().zip(after).fold(0, |odd, (&a, &b)| {
        let is_odd = b.wrapping_sub(b' ') > b'~' - b' ' || a | b == b' ';
        let reference = u8::from(b == b'&') * REFERENCE;
        odd | u8::from(is_odd) | reference
    })
}

/// Whether white space may begin with that byte.
fn may_be_space(byte: u8) -> bool {
    const STARTS: [bool; 256] = {
        let mut starts = [false; 256];
        let mut at = 0;
        while at < 256 {
            starts[at] = matches!(at, 0x09..=0x0d | 0x20 | 0xc2 | 0xe1 | 0xe2 | 0xe3);
            at += 1;
        }
        starts
    };
    STARTS[usize::from(byte)]
}

/// How many bytes the white space takes that `text` begins with, no-break spaces included.
fn space_width(text: &[u8]) -> usize {
    match text {
        [b'\t'..=b'\r' | b' ', ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
