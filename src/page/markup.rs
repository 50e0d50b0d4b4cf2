//! The small grammar of tags: names, where a tag ends, attributes.

use memchr::memchr;

/// A tag's name: lower case, packed when it has at most eight bytes, else hashed.
pub(super) type Name = u64;

pub(super) const fn name(bytes: &[u8]) -> Name {
    let mut name = 0;
    let mut i = 0;
    while i < bytes.len() {
        name = longer(name, i, bytes[i]);
        i += 1;
    }
    name
}

const fn longer(name: Name, length: usize, byte: u8) -> Name {
    let byte = byte.to_ascii_lowercase() as u64;
    if length < 8 {
        name << 8 | byte
    } else {
        (name ^ byte).wrapping_mul(0x0100_0000_01b3) | 1 << 63
    }
}

/// Where that byte is. What is sought in markup is near as a rule, too near for `memchr` to pay off at once.
pub(super) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    const NEAR: usize = 24;
    let mut at = 0;
    while at < NEAR {
        if *bytes.get(at)? == byte {
            return Some(at);
        }
        at += 1;
    }
    Some(NEAR + memchr(byte, &bytes[NEAR..])?)
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

/// A whole tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) raw: &'a [u8],
    pub(super) name: Name,
    pub(super) is_end: bool,
    /// Its `class`; empty if there is none.
    pub(super) class: &'a [u8],
    pub(super) href: &'a [u8],
    /// It has an attribute that may hide it.
    pub(super) may_hide: bool,
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
            match *bytes.get(at)? {
                b'>' | b'/' => break,
                byte if is_space(byte) => break,
                byte => name = longer(name, at - start, byte),
            }
            at += 1;
        }
        let mut tag = Self {
            raw: bytes,
            name,
            is_end,
            class: b"",
            href: b"",
            may_hide: false,
        };
        let mut attrs = Attrs { rest: bytes, at };
        let (mut class, mut href) = (None, None);
        for (name, value) in attrs.by_ref() {
            match name.len() {
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
        tag.raw = &bytes[..=attrs.at];
        Some(tag)
    }

    /// The first attribute of that name, as a browser takes it.
    pub(super) fn attr(&self, wanted: &[u8]) -> Option<&'a [u8]> {
        self.attrs()
            .find(|(name, _)| is(name, wanted))
            .map(|(_, value)| value)
    }

    /// All attributes in order; values as they stand in the source.
    pub(super) fn attrs(&self) -> Attrs<'a> {
        let at = self
            .raw
            .iter()
            .skip(1)
            .position(|&b| is_space(b) || b == b'/' || b == b'>');
        Attrs {
            rest: self.raw,
            at: at.map_or(self.raw.len(), |at| at + 1),
        }
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

pub(super) struct Attrs<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Attrs<'a> {
    fn skip(&mut self, skipped: impl Fn(u8) -> bool) -> Option<u8> {
        loop {
            let byte = *self.rest.get(self.at)?;
            if !skipped(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
    }
}

impl<'a> Iterator for Attrs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    /// The next attribute. In the end `at` is on the tag's `>`, or past the bytes if these do not hold it.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.skip(|b| is_space(b) || b == b'/')? == b'>' {
            return None;
        }
        let start = self.at;
        // An `=` in first place belongs to the name.
        self.at += 1;
        let mut after = self.skip(|b| !is_space(b) && !matches!(b, b'/' | b'>' | b'='))?;
        let name = &self.rest[start..self.at];
        if is_space(after) {
            after = self.skip(is_space)?;
        }
        if after != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        let first = self.skip(is_space)?;
        if matches!(first, b'"' | b'\'') {
            let start = self.at + 1;
            let Some(length) = find(first, self.rest.get(start..)?) else {
                self.at = self.rest.len();
                return None;
            };
            self.at = start + length + 1;
            return Some((name, &self.rest[start..start + length]));
        }
        let start = self.at;
        self.skip(|b| !is_space(b) && b != b'>')?;
        Some((name, &self.rest[start..self.at]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ends::TagEnd;
    use super::*;

    #[test]
    fn a_tag_ends_where_it_ends_in_one_piece_or_many() {
        for raw in [
            "<a>",
            "<a/>",
            "<a b>",
            "<a b=c>",
            "<a b=c/>",
            "<a b='>' c>",
            "<a b=\">'\"/c='>'>",
            "<a b = '>'>",
            "<a b=c'>",
            "<a =\">",
            "<a b=>",
            "<a / b=\"x\"y>",
            "</a b='>'>",
        ] {
            let more = format!("{raw} x='>'>");
            let whole = Tag::read(more.as_bytes()).map(|tag| tag.raw);
            assert_eq!(whole, Some(raw.as_bytes()), "{raw}");
            let mut end = TagEnd::default();
            let name = if raw.starts_with("</") { 2 } else { 1 };
            let pieces = more.as_bytes()[name..].chunks(1);
            let found = pieces
                .map(|piece| end.find(piece))
                .position(|end| end.is_some());
            assert_eq!(found.map(|at| name + at + 1), Some(raw.len()), "{raw}");
            for cut in 2..raw.len() {
                assert!(
                    Tag::read(&raw.as_bytes()[..cut]).is_none(),
                    "{raw} at {cut}"
                );
            }
        }
    }

    #[test]
    fn attributes_are_read_as_a_browser_reads_them() {
        let tag = Tag::read(b"<DIV\nCLASS = 'a b'class=c/x hidden =y>").unwrap();
        assert_eq!(tag.name, name(b"div"));
        assert!(tag.has_class(b"b") && !tag.has_class(b"c") && tag.may_hide);
        let attrs: Vec<_> = tag.attrs().map(|(name, _)| name).collect();
        assert_eq!(attrs, [&b"CLASS"[..], b"class", b"hidden"]);
    }
}
