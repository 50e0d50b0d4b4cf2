//! Small harm done to a page: bytes lost, doubled, moved, flipped, and markup where it does not belong.

use proptest::{
    prelude::*,
    sample::{Index, select},
};

use super::support::{AD_LINK, ad, lite_ad};

/// What is done to a page.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Delete(Index, usize),
    Double(Index, usize),
    Move(Index, usize, Index),
    Splice(Index, String),
    Flip(Index, u8),
    Truncate(Index),
}

impl Change {
    pub(crate) fn apply(&self, page: &mut Vec<u8>) {
        if page.is_empty() {
            return;
        }
        let range = |at: &Index, length: usize| {
            let start = at.index(page.len());
            start..(start + length).min(page.len())
        };
        match self {
            Self::Delete(at, length) => drop(page.drain(range(at, *length))),
            Self::Double(at, length) => {
                let range = range(at, *length);
                let copy = page[range.clone()].to_vec();
                page.splice(range.start..range.start, copy);
            }
            Self::Move(at, length, to) => {
                let piece: Vec<u8> = page.drain(range(at, *length)).collect();
                let to = to.index(page.len() + 1);
                page.splice(to..to, piece);
            }
            Self::Splice(at, markup) => {
                let at = at.index(page.len());
                page.splice(at..at, markup.bytes());
            }
            Self::Flip(at, bit) => {
                let at = at.index(page.len());
                page[at] ^= 1 << bit;
            }
            Self::Truncate(at) => page.truncate(at.index(page.len())),
        }
    }
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        3 => (at(), lengths()).prop_map(|(at, length)| Change::Delete(at, length)),
        2 => (at(), lengths()).prop_map(|(at, length)| Change::Double(at, length)),
        2 => (at(), lengths(), at()).prop_map(|(at, length, to)| Change::Move(at, length, to)),
        4 => (at(), markup()).prop_map(|(at, markup)| Change::Splice(at, markup)),
        2 => (at(), 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        1 => at().prop_map(Change::Truncate),
    ]
}

fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![1..8_usize, 1..80_usize, 1..3000_usize]
}

/// What changes the meaning of what follows, or of what stands around it.
fn markup() -> impl Strategy<Value = String> {
    const FIXED: &[&str] = &[
        "<div>",
        "</div>",
        "<div class=\"result\">",
        "<div class=\"result result--ad\">",
        "<div style=\"display:none\">",
        "<div hidden>",
        "<div class=no-results>",
        "<div class='zci'>",
        "<a class=result__a href=https://a.example/>",
        "<a class=result__snippet href=x>",
        "<a class='result-link' href='//b.example/'>",
        "</a>",
        "<a>",
        "<tr>",
        "</tr>",
        "<tr class=\"result-sponsored\">",
        "<td class='result-snippet'>",
        "</table>",
        "<span>",
        "</span>",
        "<span class=result__type>",
        "<span class=link-text>",
        "<form id=\"challenge-form\" action=\"//duckduckgo.com/anomaly.js\">",
        "<form action=/html/>",
        "<input type=hidden name=q value=x>",
        "</form>",
        "<select>",
        "</select>",
        "<option value=\"",
        "<option>",
        "</option>",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<style>",
        "<style>.result{display:none}</style>",
        "<textarea>",
        "</textarea>",
        "<title>",
        "<noscript>",
        "<template>",
        "<iframe>",
        "<svg>",
        "<math>",
        "<![CDATA[",
        "]]>",
        "<plaintext>",
        "<frameset>",
        "</body>",
        "</html>",
        "<html>",
        "<base href=//c.example>",
        "<meta charset=windows-1251>",
        "<",
        "</",
        "<!",
        "<?",
        "\"",
        "'",
        ">",
        "=",
        "&",
        "&#x",
        "&amp",
        "\0",
        "\u{feff}",
    ];
    prop_oneof![
        12 => select(FIXED).prop_map(str::to_owned),
        1 => Just(format!("<a class=\"result__a\" href=\"{AD_LINK}\">")),
        1 => Just(format!("<a href=\"{AD_LINK}\">")),
        1 => Just(ad()),
        1 => Just(lite_ad(" class=\"result-sponsored\"")),
        1 => (1..400_usize).prop_map(|deep| "<div>".repeat(deep)),
    ]
}
