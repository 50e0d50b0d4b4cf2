//! However a page is cut into chunks, it reads the same, and nothing of it is lost.

#[path = "support/page.rs"]
mod support;

use proptest::prelude::*;
use search_gate::{Limits, PageReader};
use support::{AD_LINK, ad, is_cut_from, lite_row, read_in, row};

fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "<div>",
        "</div>",
        "<div class=\"result\">",
        "<div class=result--ad>",
        "<div hidden>",
        "</a>",
        "<b>",
        "</b>",
        "<p>",
        "<a class='result__a' href='https://a.example/?a&amp;b'>",
        "<a class=result__snippet href=x>",
        "<a class=\"result__url\">",
        "<tr>",
        "<tr class=result-sponsored>",
        "<td class=result-snippet>",
        "<a class=result-link href=//b.example>",
        "</tr>",
        "<span class=link-text>",
        "<span>",
        "</span>",
        "<!-- x -->",
        "<!--",
        "-->",
        "--!>",
        "<script>",
        "</script>",
        "<style>",
        "</style>",
        "<title>",
        "</title>",
        "<form id=challenge-form>",
        "</form>",
        "<",
        ">",
        "</",
        "<!",
        "&am",
        "p;",
        "&#x27;",
        " ",
        "x",
        "é",
        "<select>",
        "</select>",
        "<option>",
        "</option>",
        "<select><option>x</option></select>",
        "<select><option>x</option></option></select>",
        "<svg>",
        "</svg>",
        "<![CDATA[",
        "]]>",
        "<img src='>",
        "'>",
        "<template>",
        "<br/>",
        "\"",
        "'",
        "<div class=no-results>",
        "<span class=did-you-mean>",
        "<div class=zci>",
        "<h1>",
        "<div class=zci__result>",
        "<input type=hidden name=s value=1>",
        "<form action=/html/>",
        "<body>",
        "</body>",
        "<table>",
        "</table>",
        "<plaintext>",
    ];
    prop_oneof![
        12 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        1 => Just(row(1)),
        1 => Just(ad()),
        1 => Just(lite_row(1)),
        1 => Just(format!("<a href=\"{AD_LINK}\">")),
        1 => Just(format!("<a class=result__a href=\"{AD_LINK}\">")),
    ]
}

fn soup() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        Just(vec![1]),
        proptest::collection::vec(1..8_usize, 1..20),
        proptest::collection::vec(1..600_usize, 1..20),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_make_no_difference(page in soup(), sizes in sizes()) {
        let whole = read_in(PageReader::new(), &page, &[]);
        let parts = read_in(PageReader::new(), &page, &sizes);
        prop_assert_eq!(&parts, &whole);
        prop_assert!(is_cut_from(&whole.html, &page));
        if whole.page.ads_dropped == 0 {
            prop_assert_eq!(&whole.html, &page);
        }
        prop_assert_ne!(whole.stopped, Some(search_gate::Stopped::Parser));
    }
}

#[test]
fn a_list_of_options_reads_the_same_whole_and_in_pieces() {
    let list = |options: &str| format!("<select name=kl>{options}</select>");
    let ends_outer = list("<option>a</option></option>");
    let longest = format!("<option value=\"{}\">", "v".repeat(50));
    let pages = [
        // One end tag more than there are options ends the option that the whole page is in.
        format!("<option><html><body>{ends_outer}{}", row(1)),
        format!(
            "<option><div class=result>{ends_outer}<a class=result__a href=\"{AD_LINK}\">x</a></div>"
        ),
        format!("<option><form action=/html/>{ends_outer}<input type=hidden name=s value=1>"),
        list(&longest) + "<a class=result__a href=//a.example>x</a>",
        // No list, but what ends as one does: its option goes on, and texts in options say nothing.
        "<selects><option>a</select>No results.".to_owned(),
        // The end of a comment in a list that is in a comment.
        format!("<select><!-- <select><option>--></select>{}", row(1)),
    ];
    for page in pages {
        for limits in [Limits::default(), Limits::default().tag_bytes(60)] {
            let reader = || PageReader::new().limits(limits.clone());
            let whole = read_in(reader(), page.as_bytes(), &[]);
            let parts = read_in(reader(), page.as_bytes(), &[1]);
            assert!(parts == whole, "{page}");
        }
    }
}

#[test]
fn a_link_cut_in_a_row_that_is_found_to_be_an_ads_stays_cut() {
    let page = format!(
        "<table><tr><td><a class=result-link href=\"{AD_LINK}\">Buy</a></td></tr>
        <tr><td>Further than is held back: <a href=\"{AD_LINK}\">Buy <span class=link-text>shop.example</span></a></td></tr></table>"
    );
    let reader = || PageReader::new().limits(Limits::default().held_bytes(10));
    let whole = read_in(reader(), page.as_bytes(), &[]);
    assert!(!whole.html().contains("y.js"), "{}", whole.html());
    let parts = read_in(reader(), page.as_bytes(), &[1]);
    assert_eq!(parts.html(), whole.html());
}
