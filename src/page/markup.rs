//! The small grammar of tags: where one ends, and what it says.

use super::attrs::{Attrs, ENDS_NAME};
use super::names::{Kind, Name, kind, longer};

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

/// The length of the plain end tag of that name, `/name>`, that `after` begins with.
#[inline]
pub(super) fn plain_end(after: &[u8], name: Name) -> Option<usize> {
    let (b'/', rest) = after.split_first()? else {
        return None;
    };
    let word = u64::from_be_bytes(*rest.first_chunk()?);
    let unused = name.leading_zeros() / 8;
    let is_packed = (1..8).contains(&unused);
    let ends = is_packed && word >> (8 * (unused - 1)) == name << 8 | u64::from(b'>');
    ends.then(|| 10 - unused as usize)
}

/// A whole tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) raw: &'a [u8],
    pub(super) name: Name,
    pub(super) is_end: bool,
    pub(super) kind: Kind,
    /// Its `class`; empty if there is none.
    pub(super) class: &'a [u8],
    pub(super) href: &'a [u8],
    pub(super) src: &'a [u8],
    /// It has an attribute that may hide it.
    pub(super) may_hide: bool,
    /// It has attributes other than these.
    has_more: bool,
}

impl<'a> Tag<'a> {
    /// Reads the tag that `bytes`, at a `<` and a letter or slash, begin with; `None` when they do not hold it whole.
    #[inline(always)]
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let is_end = bytes.get(1) == Some(&b'/');
        let start = if is_end { 2 } else { 1 };
        let mut name = 0;
        let mut at = start;
        loop {
            let byte = *bytes.get(at)?;
            if ENDS_NAME[usize::from(byte)] && byte != b'=' {
                break;
            }
            name = longer(name, at - start, byte);
            at += 1;
        }
        let mut tag = Self {
            raw: bytes,
            name,
            is_end,
            kind: if is_end { Kind::Other } else { kind(name) },
            class: b"",
            href: b"",
            src: b"",
            may_hide: false,
            has_more: false,
        };
        if bytes[at] == b'>' {
            tag.raw = &bytes[..=at];
            return Some(tag);
        }
        let mut attrs = Attrs::new(bytes, at);
        let (mut class, mut href, mut src) = (None, None, None);
        loop {
            // Nearly all tags have no more than these two, and written so.
            if let Some(value) = attrs.quoted(b" class=\"") {
                class.get_or_insert(value);
                continue;
            }
            if let Some(value) = attrs.quoted(b" href=\"") {
                href.get_or_insert(value);
                continue;
            }
            let Some((name, value)) = attrs.next() else {
                break;
            };
            tag.has_more = true;
            match name.len() {
                3 if is(name, b"src") => _ = src.get_or_insert(value),
                4 if is(name, b"href") => _ = href.get_or_insert(value),
                5 if is(name, b"class") => _ = class.get_or_insert(value),
                5 if is(name, b"style") => tag.may_hide = true,
                6 if is(name, b"hidden") => tag.may_hide = true,
                11 if is(name, b"aria-hidden") => tag.may_hide = true,
                _ => {}
            }
        }
        if bytes.get(attrs.at) != Some(&b'>') {
            return None;
        }
        tag.class = class.unwrap_or_default();
        tag.href = href.unwrap_or_default();
        tag.src = src.unwrap_or_default();
        tag.raw = &bytes[..=attrs.at];
        Some(tag)
    }

    /// The value of the attribute of that name, other than `class` and `href`.
    pub(super) fn attr(&self, wanted: &[u8]) -> Option<&'a [u8]> {
        if !self.has_more {
            return None;
        }
        let [value] = self.attrs_of([wanted]);
        value
    }

    /// The values of the attributes of those names. The first of a name counts, as a browser takes it.
    pub(super) fn attrs_of<const N: usize>(&self, wanted: [&[u8]; N]) -> [Option<&'a [u8]>; N] {
        let mut found = [None; N];
        for (name, value) in self.attrs() {
            for (found, wanted) in found.iter_mut().zip(wanted) {
                if is(name, wanted) {
                    found.get_or_insert(value);
                }
            }
        }
        found
    }

    /// All attributes in order; values as they stand in the source.
    pub(super) fn attrs(&self) -> Attrs<'a> {
        let at = self
            .raw
            .iter()
            .skip(1)
            .position(|&b| is_space(b) || b == b'/' || b == b'>');
        Attrs::new(self.raw, at.map_or(self.raw.len(), |at| at + 1))
    }

    pub(super) fn has_class(&self, class: &[u8]) -> bool {
        self.classes().any(|token| token == class)
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = &'a [u8]> {
        self.class.split(|&b| is_space(b))
    }
}

fn is(name: &[u8], wanted: &[u8]) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests;
