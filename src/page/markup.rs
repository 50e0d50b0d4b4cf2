//! The small grammar of tags: names, where a tag ends, attributes.

use memchr::memchr;

/// A tag's name: lower case, packed when it has at most eight bytes, else hashed.
pub(super) type Name = u64;

pub(super) const fn name(bytes: &[u8]) -> Name {
    let mut packed: u64 = 0;
    let mut i = 0;
    if bytes.len() <= 8 {
        while i < bytes.len() {
            packed = packed << 8 | bytes[i].to_ascii_lowercase() as u64;
            i += 1;
        }
        return packed;
    }
    packed = 0xcbf2_9ce4_8422_2325;
    while i < bytes.len() {
        packed = (packed ^ bytes[i].to_ascii_lowercase() as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    packed | 1 << 63
}

/// The name in a raw tag, `<name …>` or `</name …>`.
pub(super) fn tag_name(raw: &[u8]) -> &[u8] {
    let start = if raw.get(1) == Some(&b'/') { 2 } else { 1 };
    let rest = raw.get(start..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|&b| is_space(b) || b == b'/' || b == b'>');
    &rest[..end.unwrap_or(rest.len())]
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

/// Finds the `>` that ends a tag, whatever slices the tag comes in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TagEnd {
    state: TagState,
    /// An attribute's name begins like one that can hide an element.
    pub(super) may_hide: bool,
}

#[derive(Debug, Clone, Copy, Default)]
enum TagState {
    #[default]
    Name,
    BeforeAttr,
    Attr,
    AfterAttr,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

impl TagEnd {
    /// The index just past the tag's `>`; `bytes` go on where the last call's ended, the first after the `<`.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        use TagState::{AfterAttr, Attr, BeforeAttr, BeforeValue, Name, Quoted, Unquoted};
        let mut i = 0;
        while let Some(&byte) = bytes.get(i) {
            self.state = match (self.state, byte) {
                (Quoted(quote), _) => {
                    i += memchr(quote, &bytes[i..])?;
                    BeforeAttr
                }
                (BeforeValue, b'"' | b'\'') => Quoted(byte),
                (_, b'>') => return Some(i + 1),
                (Name | BeforeAttr | Attr | AfterAttr, b'/') => BeforeAttr,
                (Name, _) if !is_space(byte) => Name,
                (Attr | AfterAttr, b'=') => BeforeValue,
                (Attr, _) if is_space(byte) => AfterAttr,
                (Attr, _) => Attr,
                (BeforeValue | Unquoted, _) if !is_space(byte) => Unquoted,
                (BeforeAttr | AfterAttr, _) if !is_space(byte) => {
                    self.may_hide |= matches!(byte | 0x20, b'h' | b's' | b'a');
                    Attr
                }
                (Name | Unquoted, _) => BeforeAttr,
                (state, _) => state,
            };
            i += 1;
        }
        None
    }
}

/// The attributes of a raw start tag, in order; values as they stand in the source.
pub(super) struct Attrs<'a> {
    rest: &'a [u8],
}

impl<'a> Attrs<'a> {
    pub(super) fn new(raw: &'a [u8]) -> Self {
        Self {
            rest: &raw[(1 + tag_name(raw).len()).min(raw.len())..],
        }
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        let at = self.rest.iter().position(|&b| !skipped(b));
        self.rest = &self.rest[at.unwrap_or(self.rest.len())..];
    }

    fn take_until(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let at = self
            .rest
            .iter()
            .position(|&b| ends(b))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(at);
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for Attrs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|b| is_space(b) || b == b'/');
        if matches!(self.rest, [] | [b'>', ..]) {
            return None;
        }
        // An `=` in first place belongs to the name.
        let from = self.rest;
        self.rest = &self.rest[1..];
        let rest_of_name = self.take_until(|b| is_space(b) || matches!(b, b'/' | b'>' | b'='));
        let name = &from[..1 + rest_of_name.len()];
        self.skip(is_space);
        if self.rest.first() != Some(&b'=') {
            return Some((name, &[]));
        }
        self.rest = &self.rest[1..];
        self.skip(is_space);
        let value = match self.rest.first() {
            Some(&quote @ (b'"' | b'\'')) => {
                let inner = &self.rest[1..];
                let end = memchr(quote, inner).unwrap_or(inner.len());
                self.rest = inner.get(end + 1..).unwrap_or_default();
                &inner[..end]
            }
            _ => self.take_until(|b| is_space(b) || b == b'>'),
        };
        Some((name, value))
    }
}

/// The first attribute of that name, as a browser takes it.
pub(super) fn attr<'a>(raw: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    Attrs::new(raw)
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()))
        .map(|(_, value)| value)
}

/// Whether a class list holds that class.
pub(super) fn has_class(list: &[u8], class: &str) -> bool {
    list.split(|&b| is_space(b))
        .any(|token| token == class.as_bytes())
}
