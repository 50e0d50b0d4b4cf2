//! Where tags, comments and raw texts begin and end, whatever slices they come in.

use super::markup::is_space;
use super::names::{Name, PLAINTEXT, name};
use memchr::memchr;

#[derive(Debug, Clone, Copy)]
pub(super) enum Opens {
    Tag,
    Comment,
    Declaration,
    Cdata,
    Text,
}

/// What a `<` begins, by the bytes after it; `None` when they are too few to tell.
#[inline(always)]
pub(super) fn opens(after: &[u8], foreign: bool) -> Option<Opens> {
    const COMMENT: &[u8] = b"!--";
    const CDATA: &[u8] = b"![CDATA[";
    match after {
        [] | [b'/'] => None,
        [b'a'..=b'z' | b'A'..=b'Z', ..] | [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Some(Opens::Tag),
        [b'!', ..] if after.starts_with(COMMENT) => Some(Opens::Comment),
        [b'!', ..] if foreign && after.starts_with(CDATA) => Some(Opens::Cdata),
        [b'!', ..] if COMMENT.starts_with(after) || foreign && CDATA.starts_with(after) => None,
        [b'!' | b'/' | b'?', ..] => Some(Opens::Declaration),
        _ => Some(Opens::Text),
    }
}

/// Finds the `>` that ends a tag, whatever slices the tag comes in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum TagEnd {
    #[default]
    Name,
    BeforeAttr,
    Attr,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

impl TagEnd {
    /// The index just past the tag's `>`; `bytes` go on where the last call's ended, the first at the tag's name.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        use TagEnd::{Attr, BeforeAttr, BeforeValue, Name, Quoted, Unquoted};
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            *self = match (*self, byte) {
                (Quoted(quote), _) => {
                    at += memchr(quote, &bytes[at..])?;
                    BeforeAttr
                }
                (BeforeValue, b'"' | b'\'') => Quoted(byte),
                (_, b'>') => return Some(at + 1),
                (Attr, b'=') => BeforeValue,
                (Name | BeforeAttr | Attr, b'/') => BeforeAttr,
                (Name | Unquoted, _) if is_space(byte) => BeforeAttr,
                (state, _) if is_space(byte) => state,
                (BeforeAttr | Attr, _) => Attr,
                (BeforeValue | Unquoted, _) => Unquoted,
                (Name, _) => Name,
            };
            at += 1;
        }
        None
    }
}

/// Finds the end of a comment or of CDATA, whatever slices it comes in.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommentEnd {
    /// The last three bytes; the `--` that begins a comment may end it too.
    last: [u8; 3],
    seen: usize,
}

impl Default for CommentEnd {
    fn default() -> Self {
        Self {
            last: *b" --",
            seen: 0,
        }
    }
}

impl CommentEnd {
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        self.find_after(bytes, |before, seen| match before {
            [_, b'-', b'-'] => true,
            [b'-', b'-', b'!'] => seen >= 3,
            _ => false,
        })
    }

    pub(super) fn find_cdata(&mut self, bytes: &[u8]) -> Option<usize> {
        self.find_after(bytes, |before, _| matches!(before, [_, b']', b']']))
    }

    /// The index past a `>` that comes after such bytes.
    fn find_after(&mut self, bytes: &[u8], ends: impl Fn([u8; 3], usize) -> bool) -> Option<usize> {
        let found = memchr::memchr_iter(b'>', bytes)
            .find(|&at| ends(self.before(bytes, at), self.seen.saturating_add(at)));
        if found.is_none() {
            self.last = self.before(bytes, bytes.len());
            self.seen = self.seen.saturating_add(bytes.len());
        }
        found.map(|at| at + 1)
    }

    fn before(&self, bytes: &[u8], at: usize) -> [u8; 3] {
        match bytes[..at] {
            [] => self.last,
            [a] => [self.last[1], self.last[2], a],
            [a, b] => [self.last[2], a, b],
            [.., a, b, c] => [a, b, c],
        }
    }
}

/// Whether `bytes` begin with the end tag of that element; `None` when they are too few to tell.
pub(super) fn ends_raw_text(bytes: &[u8], element: Name) -> Option<bool> {
    if *bytes.get(1)? != b'/' || element == PLAINTEXT {
        return Some(false);
    }
    let rest = &bytes[2..];
    let end = rest.iter().position(|b| !b.is_ascii_alphabetic());
    if end.is_none() && rest.len() <= 8 {
        return None;
    }
    let (tag, after) = rest.split_at(end.unwrap_or(rest.len()));
    let ends = after
        .first()
        .is_some_and(|&b| is_space(b) || b == b'/' || b == b'>');
    Some(ends && name(tag) == element)
}
