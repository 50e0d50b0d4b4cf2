//! What the html and the lite page have in common.

use crate::REGIONS;
use htmlize::escape_text;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write;

/// Where a note about ads leads.
pub(super) const ABOUT_ADS: &str = "https://duckduckgo.com/duckduckgo-help-pages/company/ads-by-microsoft-on-duckduckgo-private-search";

/// Where the zero-click box leads.
pub(super) const ABOUT_ENTRY: &str = "https://reference.example/wiki/(entry)";

/// The menu of regions, on both pages.
pub(super) fn regions(out: &mut String, class: &str, selected: &str) -> std::fmt::Result {
    let options = [("", "All Regions")]
        .into_iter()
        .chain(REGIONS.iter().copied());
    menu(out, class, "kl", options, selected)
}

/// The menu of times, on both pages.
pub(super) fn times(out: &mut String, class: &str, selected: &str) -> std::fmt::Result {
    let options = [
        ("", "Any Time"),
        ("d", "Past Day"),
        ("w", "Past Week"),
        ("m", "Past Month"),
        ("y", "Past Year"),
    ];
    menu(out, class, "df", options, selected)
}

fn menu<'a>(
    out: &mut String,
    class: &str,
    name: &str,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
    selected: &str,
) -> std::fmt::Result {
    writeln!(out, r#"          <select class="{class}" name="{name}">"#)?;
    for (code, name) in options {
        let mark = if code == selected { "selected" } else { "" };
        writeln!(
            out,
            "            \n              <option value=\"{code}\" {mark}>{name}</option>"
        )?;
    }
    writeln!(out, "          </select>")
}

/// A link that searches for `text` instead.
pub(super) fn instead(text: &str, path: &str) -> String {
    format!(
        r#"<a href="{path}?q={}">{}</a>"#,
        utf8_percent_encode(text, NON_ALPHANUMERIC),
        escape_text(text)
    )
}

/// `text` as markup, with the words of `query` bold.
pub(super) fn bold(text: &str, query: &str) -> String {
    let plain = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    let wanted: Vec<String> = query
        .split_whitespace()
        .map(plain)
        .filter(|word| !word.is_empty())
        .collect();
    let mut out = String::with_capacity(text.len() * 2);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if word.is_empty() || !wanted.contains(&word.to_lowercase()) {
            out.push_str(&escape_text(piece));
            continue;
        }
        let (before, after) = piece.split_once(word).unwrap_or((piece, ""));
        out.push_str(&format!(
            "{}<b>{}</b>{}",
            escape_text(before),
            escape_text(word),
            escape_text(after)
        ));
    }
    out
}
