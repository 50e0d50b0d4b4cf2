//! Whatever comes, reading stays within its bounds and the body arrives whole.

#[path = "support/page.rs"]
mod support;

use search_gate::{Limits, PageReader, Stopped};
use support::{Read, ad, html, lite, lite_row, read_in, row};

const MEGABYTE: usize = 1024 * 1024;

fn limited(limits: Limits, page: &str) -> Read {
    read_in(PageReader::new().limits(limits), page.as_bytes(), &[])
}

#[test]
fn each_bound_stops_the_reading_and_says_so() {
    let many = html(&(1..=20).map(row).collect::<String>());
    let long = html(&format!("<p title=\"{}\">{}", "x".repeat(5000), row(1)));
    let deep = html(&("<div>".repeat(60) + &row(1)));
    for (limits, page, stopped) in [
        (Limits::default().results(5), &many, Stopped::Results),
        (
            Limits::default().page_bytes(4000),
            &many,
            Stopped::PageBytes,
        ),
        (Limits::default().tag_bytes(4096), &long, Stopped::Tag),
        (Limits::default().depth(40), &deep, Stopped::Depth),
    ] {
        for size in [1000, page.len()] {
            let read = read_in(
                PageReader::new().limits(limits.clone()),
                page.as_bytes(),
                &[size],
            );
            assert_eq!(read.page.stopped, Some(stopped));
            assert_eq!(read.stopped, Some(stopped), "known before the end");
            assert!(read.html() == page);
        }
    }
    let read = limited(Limits::default().results(5), &many);
    assert_eq!((read.results.len(), read.results[4].position), (5, 5));
    let read = limited(Limits::default().results(20), &many);
    assert_eq!((read.results.len(), read.page.stopped), (20, None));
}

#[test]
fn ads_after_the_place_where_reading_stopped_are_passed_on() {
    let page = html(&(ad() + &row(1) + &row(2) + &ad()));
    let read = limited(Limits::default().results(1), &page);
    assert_eq!(read.page.stopped, Some(Stopped::Results));
    assert!(read.html() == page.replacen(ad().trim_start(), "", 1));
}

#[test]
fn long_texts_are_cut_and_long_links_are_no_results() {
    let page = html(&(row(1).replace("What page", &"word ".repeat(5000)) + &row(2)));
    let read = limited(Limits::default().text_bytes(1000), &page);
    assert_eq!(
        read.results[0].snippet.len(),
        999,
        "cut in the white space after a word"
    );
    assert!(read.results[1].snippet.contains("page 2"));
    let page = html(&(row(1).replace("site%2D1", &"x".repeat(9000)) + &row(2)));
    assert_eq!(
        limited(Limits::default(), &page).urls(),
        ["https://site-2.example/page?a=1&b=2"]
    );
}

/// Inputs of some megabytes that make a naive reader grow or crawl. The body comes out as it went in.
#[test]
fn hostile_pages_pass_whole_in_bounded_memory() {
    let repeat = |piece: &str| piece.repeat(4 * MEGABYTE / piece.len());
    let result = r#"<div class="result"><a class="result__a" href="https://a.example/">"#;
    for (name, page, stopped) in [
        (
            "a link without an end",
            format!(r#"<a href="{}"#, repeat("x")),
            Some(Stopped::Tag),
        ),
        (
            "a tag without an end",
            format!(r#"<div title="{}"#, repeat("x")),
            Some(Stopped::Tag),
        ),
        (
            "a tag full of `>`",
            format!(r#"<div title="{}"#, repeat(">")),
            Some(Stopped::Tag),
        ),
        (
            "a comment without an end",
            format!("<!--{}", repeat("->x")),
            Some(Stopped::NotHtml),
        ),
        (
            "a declaration without an end",
            format!("<!doctype {}", repeat("x")),
            Some(Stopped::NotHtml),
        ),
        (
            "a name without an end",
            format!("<{}", repeat("x")),
            Some(Stopped::ParserMemory),
        ),
        (
            "attributes without an end",
            format!("<div {}", repeat("a ")),
            Some(Stopped::Tag),
        ),
        (
            "link attributes without an end",
            format!("<a {}", repeat("a ")),
            Some(Stopped::Tag),
        ),
        (
            "a script without an end",
            format!("<script>{}", repeat("</scrip <a ")),
            None,
        ),
        (
            "a style without an end",
            format!("<style>{}", repeat("</styl <a ")),
            None,
        ),
        (
            "a text without an end",
            format!("{result}{}", repeat("a ")),
            None,
        ),
        (
            "a title of comments",
            format!("{result}{}", repeat("<!--x-->")),
            None,
        ),
        ("open elements", repeat("<div>"), Some(Stopped::Depth)),
        (
            "open elements of foreign kind",
            repeat("<svg>"),
            Some(Stopped::Depth),
        ),
        (
            "open elements with long names",
            repeat(&format!("<x{}>", "y".repeat(15_000))),
            Some(Stopped::Depth),
        ),
        (
            "stray end tags",
            repeat("<i></b></u>"),
            Some(Stopped::Depth),
        ),
        ("links in links", repeat("<a><b>"), Some(Stopped::Depth)),
        ("less-than signs", repeat("<"), Some(Stopped::NotHtml)),
        (
            "results without an end",
            repeat(&format!("{result}x")),
            Some(Stopped::Depth),
        ),
        (
            "rows without an end",
            repeat("<tr class=result-sponsored><td class=result-snippet>"),
            None,
        ),
        (
            "elements that begin among comments and end after them",
            repeat(&format!(
                "{}{}{}{}",
                "<!-->".repeat(100),
                "<b>".repeat(200),
                "x".repeat(300),
                "</b>".repeat(200)
            )),
            None,
        ),
        ("null bytes", repeat("\0"), Some(Stopped::NotHtml)),
    ] {
        for size in [MEGABYTE, 4096] {
            let read = read_in(PageReader::new(), page.as_bytes(), &[size]);
            assert_eq!(read.page.stopped, stopped, "{name}");
            if read.page.ads_dropped == 0 {
                assert!(
                    read.html == page.as_bytes(),
                    "{name}: not every byte came out"
                );
            }
        }
    }
}

#[test]
fn more_results_than_anyone_asks_for_are_not_kept() {
    let page = html(
        &r#"<div class="result"><a class="result__a" href="https://a.example/">x</a></div>"#
            .repeat(30_000),
    );
    let read = limited(Limits::default(), &page);
    assert_eq!(
        (read.results.len(), read.page.stopped),
        (10_000, Some(Stopped::Results))
    );
    assert!(read.html() == page);
}

#[test]
fn a_page_in_single_bytes_reads_the_same() {
    let page = html(&(ad() + &row(1) + &row(2)));
    let whole = read_in(PageReader::new(), page.as_bytes(), &[]);
    assert_eq!(read_in(PageReader::new(), page.as_bytes(), &[1]), whole);
    let page = lite(&(lite_row(1) + &lite_row(2)));
    let whole = read_in(PageReader::new(), page.as_bytes(), &[]);
    assert_eq!(read_in(PageReader::new(), page.as_bytes(), &[1]), whole);
}

#[test]
fn html_is_held_back_no_further_than_the_bound() {
    let page = html(&row(1).replacen(
        "<div class=\"links_main",
        &format!("{}<div class=\"links_main", "<p>filler</p>".repeat(400)),
        1,
    ));
    let mut reader = PageReader::new()
        .pass_html(true)
        .limits(Limits::default().held_bytes(1024));
    let (mut fed, mut out, mut most) = (0, 0, 0);
    for piece in page.as_bytes().chunks(100) {
        reader.feed(piece.to_vec());
        fed += piece.len();
        while let Some(slice) = reader.next_html() {
            out += slice.len();
        }
        most = most.max(fed - out);
    }
    assert!(most <= 1024 + 2 * 100, "{most} bytes were held back");
    reader.end();
    assert_eq!(reader.finish().results.len(), 1);
}

#[test]
fn a_reader_goes_on_quietly_after_the_end() {
    let mut reader = PageReader::new().pass_html(true);
    reader.feed("<p>a");
    reader.end();
    reader.feed("b</p>");
    reader.end();
    assert_eq!(reader.next_html().unwrap(), "<p>a");
    assert_eq!(reader.next_html(), None);
}

#[test]
fn readers_can_be_moved_and_shared() {
    fn is<T: Send + Sync + Unpin + std::fmt::Debug>() {}
    is::<PageReader>();
    is::<search_gate::Page>();
    is::<search_gate::PageError>();
}
