//! What a person would not see: `hidden`, `aria-hidden` and inline styles.

use super::markup::Tag;
use cssparser::{CowRcStr, Delimiter, ParseError, Parser, ParserInput, Token};

/// What an element's own attributes say about its being seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Own {
    /// It and all it holds is not shown.
    pub(super) gone: bool,
    /// `visibility`, which what it holds may set back; none if it is as around it.
    pub(super) visible: Option<bool>,
}

pub(super) fn own(tag: &Tag<'_>) -> Own {
    let mut own = Own::default();
    let mut style = None;
    for (name, value) in tag.attrs() {
        if name.eq_ignore_ascii_case(b"hidden") {
            own.gone = true;
        } else if name.eq_ignore_ascii_case(b"aria-hidden") {
            own.gone |= decoded(value).trim().eq_ignore_ascii_case("true");
        } else if name.eq_ignore_ascii_case(b"style") {
            style.get_or_insert(value);
        }
    }
    if let Some(style) = style {
        let shown = style_of(&decoded(style));
        own.gone |= shown.gone;
        own.visible = shown.visible;
    }
    own
}

fn decoded(value: &[u8]) -> String {
    htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned()
}

struct Winner<T> {
    value: Option<T>,
    important: bool,
}

impl<T> Winner<T> {
    const NONE: Self = Self {
        value: None,
        important: false,
    };

    fn offer(&mut self, value: Option<T>, important: bool) {
        // A declaration with a value that is none is dropped by browsers, it does not undo an earlier one.
        if value.is_some() && (important || !self.important) {
            *self = Self { value, important };
        }
    }
}

/// The outcome of an inline style: the last valid declaration wins, `!important` ones first.
fn style_of(style: &str) -> Own {
    let mut input = ParserInput::new(style);
    let mut parser = Parser::new(&mut input);
    let mut display = Winner::NONE;
    let mut visibility = Winner::NONE;
    while !parser.is_exhausted() {
        let _ = parser.parse_until_after(Delimiter::Semicolon, |parser| {
            let property = parser.expect_ident_cloned()?;
            parser.expect_colon()?;
            let (words, important) = words(parser)?;
            if property.eq_ignore_ascii_case("display") {
                display.offer(display_gone(&words), important);
            } else if property.eq_ignore_ascii_case("visibility") {
                visibility.offer(visibility_of(&words), important);
            } else if property.eq_ignore_ascii_case("all") {
                display.offer(wide(&words).map(|()| false), important);
            }
            Ok::<_, ParseError<'_, ()>>(())
        });
    }
    Own {
        gone: display.value == Some(true),
        visible: match visibility.value {
            Some(Visibility::Visible) => Some(true),
            Some(Visibility::Hidden) => Some(false),
            Some(Visibility::Inherited) | None => None,
        },
    }
}

type Words<'i> = Vec<CowRcStr<'i>>;

fn words<'i>(parser: &mut Parser<'i, '_>) -> Result<(Words<'i>, bool), ParseError<'i, ()>> {
    let mut words = Vec::new();
    let mut important = false;
    while !parser.is_exhausted() {
        match parser.next()?.clone() {
            Token::Ident(word) if !important => words.push(word),
            // `var()` is valid whatever comes of it; what it comes to is not known here.
            Token::Function(name) if name.eq_ignore_ascii_case("var") && !important => {
                parser.parse_nested_block(|inner| {
                    while inner.next().is_ok() {}
                    Ok::<_, ParseError<'_, ()>>(())
                })?;
                words.push("unset".into());
            }
            Token::Delim('!') if !important => {
                parser.expect_ident_matching("important")?;
                important = true;
            }
            _ => return Err(parser.new_custom_error(())),
        }
    }
    Ok((words, important))
}

fn is_any(word: &str, of: &[&str]) -> bool {
    of.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn wide(words: &[CowRcStr<'_>]) -> Option<()> {
    let [word] = words else { return None };
    is_any(
        word,
        &["inherit", "initial", "unset", "revert", "revert-layer"],
    )
    .then_some(())
}

/// Whether `display` takes the element away; `None` when the value is no value of `display`.
fn display_gone(words: &[CowRcStr<'_>]) -> Option<bool> {
    const BOX: [&str; 4] = ["block", "inline", "run-in", "list-item"];
    const INNER: [&str; 7] = ["flow", "flow-root", "table", "flex", "grid", "ruby", "math"];
    const ALONE: [&str; 21] = [
        "contents",
        "inline-block",
        "inline-table",
        "inline-flex",
        "inline-grid",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "table-row",
        "table-cell",
        "table-column-group",
        "table-column",
        "table-caption",
        "ruby-base",
        "ruby-text",
        "ruby-base-container",
        "ruby-text-container",
        "-webkit-box",
        "-webkit-flex",
        "-webkit-inline-box",
        "-webkit-inline-flex",
    ];
    match words {
        [word] if word.eq_ignore_ascii_case("none") => Some(true),
        [word] if is_any(word, &BOX) || is_any(word, &INNER) || is_any(word, &ALONE) => Some(false),
        [_] => wide(words).map(|()| false),
        [_, ..]
            if words.len() <= 3
                && words
                    .iter()
                    .all(|word| is_any(word, &BOX) || is_any(word, &INNER)) =>
        {
            Some(false)
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Copy)]
enum Visibility {
    Visible,
    Hidden,
    Inherited,
}

/// What `visibility` comes to; `None` when the value is no value of it.
fn visibility_of(words: &[CowRcStr<'_>]) -> Option<Visibility> {
    match words {
        [word] if is_any(word, &["hidden", "collapse"]) => Some(Visibility::Hidden),
        [word] if is_any(word, &["visible", "initial"]) => Some(Visibility::Visible),
        [_] => wide(words).map(|()| Visibility::Inherited),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_read_as_a_browser_reads_them() {
        for hiding in [
            "display:none",
            "DISPLAY : None ;",
            "display:/*x*/none",
            "dis\\70lay:none",
            "display:n\\6f ne",
            "display:none;display:bogus",
            "display:none !important;display:block",
            "color:red;;display:none",
            "x:{display:block};display:none",
            "display:none;display:block none",
            "background:url(a;b);display:none",
            "display:none;display:calc(1px)",
            "display:none;display:!important block",
            "display:none;display:!important",
        ] {
            assert!(style_of(hiding).gone, "{hiding}");
        }
        for showing in [
            "display:block",
            "display:none;display:block",
            "display:none;display:inline flow-root",
            "display:none;display:list-item",
            "display:none;display:FLEX",
            "display:none;display:inline-block",
            "display:none;display:revert",
            "content:'display:none'",
            "/*display:none*/",
            "x-display:none",
            "display:none none",
            "display:'none'",
            "display:none;display:var(--x)",
            "display:block!important;display:none",
            "display:none !important none",
            "display:none !important !important",
            "display:none !important var(--x)",
        ] {
            assert!(!style_of(showing).gone, "{showing}");
        }
        assert_eq!(style_of("visibility:hidden").visible, Some(false));
        assert_eq!(
            style_of("visibility:hidden;visibility:no").visible,
            Some(false)
        );
        assert_eq!(
            style_of("visibility:hidden;visibility:visible").visible,
            Some(true)
        );
        assert_eq!(
            style_of("visibility:hidden;visibility:inherit").visible,
            None
        );
        assert_eq!(style_of("backface-visibility:hidden").visible, None);
    }
}
