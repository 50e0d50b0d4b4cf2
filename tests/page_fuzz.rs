//! Whatever is done to a page, reading it does not panic, loses no byte and does not depend on how it arrives in chunks.
//!
//! A test run tries a thousand pages. For longer, by hand, each test as many seconds as you say:
//!
//! ```sh
//! SEARCH_GATE_FUZZ_SECONDS=300 cargo test --test page_fuzz
//! ```
//!
//! Each run takes other pages. What fails is made as small as it gets and printed.

#[path = "support/mutation.rs"]
mod mutation;
#[path = "support/page.rs"]
mod support;

use std::{
    env, fmt,
    time::{Duration, Instant},
};

use mutation::change;
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, TestCaseResult, TestRng, TestRunner},
};
use search_gate::{
    Endpoint, Limits, PageReader, Stopped,
    testing::{ResultPage, challenge_page},
};
use support::{ad, challenge, html, is_cut_from, lite, lite_ad, lite_row, read_in, row};

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

/// Bounds, near to what a page has or far from it. The parser's memory is not among them: what it needs does depend on chunks.
fn limits() -> impl Strategy<Value = Limits> {
    let tight = (
        1..5_usize,
        10..200_usize,
        10..4000_u64,
        4..30_usize,
        60..600_usize,
        100..20_000_u64,
    );
    prop_oneof![
        3 => Just(Limits::default()),
        1 => tight.prop_map(|(results, text, held, depth, tag, page)| {
            Limits::default()
                .results(results)
                .text_bytes(text)
                .url_bytes(text)
                .held_bytes(held)
                .depth(depth)
                .tag_bytes(tag)
                .page_bytes(page)
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
        // A runner goes on to count where it stopped, and has done with its cases then. The short run is the same each time; the long one
        // looks for what is new.
        let mut runner = match seconds {
            0 => TestRunner::new_with_rng(
                config.clone(),
                TestRng::deterministic_rng(config.rng_algorithm),
            ),
            _ => TestRunner::new(config.clone()),
        };
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
