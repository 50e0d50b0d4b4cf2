//! The attributes of a tag, as a browser reads them.

use super::markup::is_space;
use memchr::memchr;

/// The bytes that end an attribute's name; those of a tag's name are the same but for the `=`.
pub(super) const ENDS_NAME: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = is_space(byte as u8) || matches!(byte as u8, b'/' | b'>' | b'=');
        byte += 1;
    }
    ends
};

pub(super) struct Attrs<'a> {
    rest: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Attrs<'a> {
    /// Those of the tag in `bytes`, whose name ends at `at`.
    pub(super) const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { rest: bytes, at }
    }

    /// The value of the next attribute, if that begins as `start` does, which ends in a quote.
    #[inline(always)]
    pub(super) fn quoted(&mut self, start: &[u8]) -> Option<&'a [u8]> {
        let value = self.rest.get(self.at..)?.strip_prefix(start)?;
        let length = memchr(b'"', value)?;
        self.at += start.len() + length + 1;
        Some(&value[..length])
    }

    /// The next attribute, if that stands as ` name="value"`.
    #[inline(always)]
    fn usual(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let rest = self.rest.get(self.at..)?.strip_prefix(b" ")?;
        let length = rest.iter().position(|&b| ENDS_NAME[usize::from(b)])?;
        let value = rest[length..].strip_prefix(b"=\"")?;
        if length == 0 {
            return None;
        }
        let value = &value[..memchr(b'"', value)?];
        self.at += length + value.len() + 4;
        Some((&rest[..length], value))
    }

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
        if let Some(usual) = self.usual() {
            return Some(usual);
        }
        if self.skip(|b| is_space(b) || b == b'/')? == b'>' {
            return None;
        }
        let start = self.at;
        // An `=` in first place belongs to the name.
        self.at += 1;
        let mut after = self.skip(|b| !ENDS_NAME[usize::from(b)])?;
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
            let Some(length) = memchr(first, self.rest.get(start..)?) else {
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
