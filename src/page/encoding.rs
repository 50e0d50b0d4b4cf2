//! The encoding of a page: where it is named, and what its bytes say in it.

use super::markup::Tag;
use super::reading::{Reading, Role};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

impl Reading {
    pub(super) fn meta(&mut self, tag: &Tag<'_>) -> Role {
        let [label, content] = tag.attrs_of([b"charset", b"content"]);
        let label = label.or_else(|| content.and_then(charset));
        if let Some(encoding) = label.and_then(Encoding::for_label) {
            self.encoding_open = false;
            // A page whose tags could be read is not in UTF-16, whatever it says.
            if encoding.is_ascii_compatible() {
                self.encoding = encoding;
            }
        }
        Role::None
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

/// Decodes bytes of the page; what is malformed becomes U+FFFD.
pub(super) fn decode<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    if encoding == UTF_8
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    encoding.decode_without_bom_handling(bytes).0
}

/// Bytes that are UTF-8 as a rule; what is malformed becomes U+FFFD.
pub(super) fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// An attribute's value as it stands in the source, read.
pub(super) fn attribute(value: &[u8], encoding: &'static Encoding) -> String {
    htmlize::unescape_attribute(decode(value, encoding)).into_owned()
}
