//! Whatever is done to a page, reading it does not panic, loses no byte and does not depend on how it arrives in chunks.
//!
//! A test run tries a thousand pages. For longer, by hand, each test as many seconds as you say:
//!
//! ```sh
//! SEARCH_GATE_FUZZ_SECONDS=300 cargo test --test page_fuzz
//! ```
//!
//! Each run takes other pages. What fails is made as small as it gets and printed.

#[path = "support/page.rs"]
mod support;

use std::{
    env, fmt,
    time::{Duration, Instant},
};

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, TestCaseResult, TestRunner},
};
use search_gate::{
    Endpoint, Limits, PageReader, Stopped,
    testing::{ResultPage, challenge_page},
};
use support::{AD_LINK, ad, challenge, html, is_cut_from, lite, lite_ad, lite_row, read_in, row};

/// What is done to a page.
#[derive(Debug, Clone)]
enum Change {
    Delete(Index, usize),
    Double(Index, usize),
    Move(Index, usize, Index),
    Splice(Index, String),
    Flip(Index, u8),
    Truncate(Index),
}

impl Change {
    fn apply(&self, page: &mut Vec<u8>) {
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

fn change() -> impl Strategy<Value = Change> {
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

fn made_page() -> impl Strategy<Value = Vec<u8>> {
    let endpoint = select(&[Endpoint::Html, Endpoint::Lite][..]);
    (endpoint, 0..4_usize, 0..3_usize, any::<[bool; 3]>()).prop_map(
        |(endpoint, results, ads, [wrapped, zero_click, spelling])| {
            let mut page = ResultPage::new("some words")
                .endpoint(endpoint)
                .results(results)
                .ads(ads)
                .wrapped(wrapped);
            if zero_click {
                page = page.zero_click("Words are what texts are made of.");
            }
            if spelling {
                page = page.spelling("sum words");
            }
            page.to_html().into_bytes()
        },
    )
}

/// Pages with little around their rows, so that more of what is done to them hits a row.
fn bare_page() -> impl Strategy<Value = Vec<u8>> {
    let pages = [
        html(&(ad() + &row(1) + &row(2))),
        html(&(row(1) + &ad())),
        lite(
            &(lite_ad(" class=\"result-sponsored\"") + &lite_row(1) + &lite_ad("") + &lite_row(2)),
        ),
        ad() + &row(1),
        lite_ad("") + &lite_row(1),
    ];
    select(pages.to_vec()).prop_map(String::into_bytes)
}

fn challenge_pages() -> impl Strategy<Value = Vec<u8>> {
    let pages = [
        challenge_page(Endpoint::Html, "some words"),
        challenge_page(Endpoint::Lite, "some words"),
        challenge(),
    ];
    select(pages.to_vec()).prop_map(String::into_bytes)
}

fn mutated_page() -> impl Strategy<Value = Page> {
    let page = prop_oneof![4 => bare_page(), 3 => made_page(), 1 => challenge_pages()];
    (page, vec(change(), 0..8)).prop_map(|(mut page, changes)| {
        for change in changes {
            change.apply(&mut page);
        }
        Page(page)
    })
}

/// Bytes of a page, shown as text where they are text.
#[derive(Clone, PartialEq, Eq)]
struct Page(Vec<u8>);

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Lengths of chunks, over and over.
fn chunks() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        Just(vec![1]),
        vec(1..8_usize, 1..20),
        vec(1..600_usize, 1..20),
        vec(1..20_000_usize, 1..4),
    ]
}

/// Bounds, near to what a page has or far from it. Two that are kept by the chunk are not among them: the parser's memory and the page's
/// length.
fn limits() -> impl Strategy<Value = Limits> {
    let tight = (
        1..5_usize,
        10..200_usize,
        10..4000_u64,
        4..30_usize,
        60..600_usize,
    );
    prop_oneof![
        3 => Just(Limits::default()),
        1 => tight.prop_map(|(results, text, held, depth, tag)| {
            Limits::default()
                .results(results)
                .text_bytes(text)
                .url_bytes(text)
                .held_bytes(held)
                .depth(depth)
                .tag_bytes(tag)
        }),
    ]
}

/// As many cases as a test run may take, or as many seconds as the environment says.
fn fuzz<S: Strategy>(cases: u32, strategy: &S, check: impl Fn(S::Value) -> TestCaseResult) {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let seconds = env::var("SEARCH_GATE_FUZZ_SECONDS").map_or(0, |text| {
        text.parse()
            .expect("SEARCH_GATE_FUZZ_SECONDS is a number of seconds")
    });
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut tried = 0;
    loop {
        // A runner goes on to count where it stopped, and has done with its cases then.
        let mut runner = TestRunner::new(config.clone());
        if let Err(failure) = runner.run(strategy, &check) {
            panic!("{failure}");
        }
        tried += cases;
        if Instant::now() >= until {
            break;
        }
    }
    println!("{tried} cases");
}

fn check(page: &[u8], chunks: &[usize], limits: &Limits) -> TestCaseResult {
    let reader = || PageReader::new().limits(limits.clone());
    let whole = read_in(reader(), page, &[]);
    let parts = read_in(reader(), page, chunks);
    prop_assert_eq!(&parts.results, &whole.results);
    prop_assert_eq!(&parts.page, &whole.page);
    prop_assert_eq!(parts.stopped, whole.stopped);
    prop_assert_ne!(whole.stopped, Some(Stopped::Parser));
    let html = Page(whole.html);
    prop_assert_eq!(&Page(parts.html), &html);
    prop_assert!(
        is_cut_from(&html.0, page),
        "bytes out of nowhere: {:?}",
        html
    );
    if whole.page.ads_dropped == 0 {
        prop_assert_eq!(&html.0, page, "bytes are lost without an ad");
    }
    Ok(())
}

#[test]
fn mutated_pages_lose_nothing_and_read_the_same_in_any_chunks() {
    let strategy = (mutated_page(), chunks(), limits());
    fuzz(1000, &strategy, |(page, chunks, limits)| {
        check(&page.0, &chunks, &limits)
    });
}

#[test]
fn random_bytes_lose_nothing_and_read_the_same_in_any_chunks() {
    let strategy = (vec(any::<u8>(), 0..3000).prop_map(Page), chunks(), limits());
    fuzz(1000, &strategy, |(bytes, chunks, limits)| {
        check(&bytes.0, &chunks, &limits)
    });
}
