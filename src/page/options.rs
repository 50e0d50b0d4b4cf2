//! The lists of regions and dates: a seventh of a page, and a quarter of its tags.
//!
//! Plain options mean nothing to the reader, so a list of them is passed over unparsed. What is not of the plainest form
//! is parsed, so that passing over makes no difference but in time.

use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// The content of the first `select` in `bytes`, if it is a list of plain options and there whole.
///
/// Whether it is the content of a `select` indeed, and not of a comment say, the caller has to find out.
pub(super) fn plain_list(bytes: &[u8]) -> Option<Range<usize>> {
    static SELECT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("<select"));
    let mut from = 0;
    while let Some(found) = SELECT.find(&bytes[from..]) {
        from += found + 1;
        let end = memchr::memchr(b'>', &bytes[from..])?;
        let start = from + end + 1;
        if let Some(length) = options(&bytes[start..]) {
            return Some(start..start + length);
        }
    }
    None
}

/// The length of the options that stand before a `</select>`.
fn options(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut open = false;
    loop {
        at += memchr::memchr(b'<', bytes.get(at..)?)?;
        let tag = &bytes[at..];
        at += if tag.starts_with(b"</select>") {
            return Some(at);
        } else if tag.starts_with(b"</option>") {
            // An end tag too many would end an option around the list, and all that is open in that.
            if !std::mem::take(&mut open) {
                return None;
            }
            b"</option>".len()
        } else {
            open = true;
            option(tag)?
        };
    }
}

/// No tag in a plain list is longer.
pub(super) const LONGEST_TAG: usize = 96;

/// The length of an `<option value="…" selected>`.
fn option(tag: &[u8]) -> Option<usize> {
    let mut rest = tag.strip_prefix(b"<option")?;
    if let Some(value) = rest.strip_prefix(b" value=\"") {
        let end = value.iter().take(64).position(|&b| b == b'"')?;
        rest = &value[end + 1..];
    }
    rest = rest.strip_prefix(b" selected").unwrap_or(rest);
    rest = rest.strip_prefix(b" ").unwrap_or(rest);
    rest = rest.strip_prefix(b">")?;
    Some(tag.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(html: &str) -> Option<&str> {
        plain_list(html.as_bytes()).map(|range| &html[range])
    }

    #[test]
    fn a_list_of_plain_options_is_found() {
        let list = "\n<option value=\"\" >All</option><option value=\"no-no\" selected>Norway</option> <option>x";
        assert_eq!(
            passed(&format!("<p><select name=\"kl\">{list}</select></p>")),
            Some(list)
        );
        assert_eq!(passed("<select><a></select><select> </select>"), Some(" "));
    }

    #[test]
    fn tags_of_a_plain_list_are_short() {
        let list = |length| {
            let value = "v".repeat(length);
            format!("<select><option value=\"{value}\" selected >b</option></select>")
        };
        let longest = list(63);
        let longest = passed(&longest).unwrap();
        assert!(longest.find('>').unwrap() < LONGEST_TAG);
        assert_eq!(passed(&list(64)), None);
    }

    #[test]
    fn what_is_not_plain_or_not_whole_is_left_to_the_parser() {
        for html in [
            "<select><option value=\"a\">b</option>",
            "<select><option value=\"a\"",
            "<select",
            "<select><option value='</select>'>b</option></select>",
            "<select><!-- <option> --></select>",
            "<select><div class=\"result\"></select>",
            "<select><option hidden>b</option></select>",
            "<select></option></select>",
            "<select><option>a</option></option></select>",
            "<SELECT><option></select>",
        ] {
            assert_eq!(passed(html), None, "{html}");
        }
    }
}
