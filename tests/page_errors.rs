//! What is no answer, or was cut short, says so and what to do.

#[path = "support/page.rs"]
mod support;

use search_gate::{Page, PageKind, PageReader, Stopped};
use std::collections::HashSet;
use support::{challenge, html, pass, read, row};

#[test]
fn a_page_that_is_none_of_these_is_an_error_that_says_what_to_do() {
    for page in [
        "<html><body><p>Welcome</p></body></html>".to_owned(),
        html(""),
    ] {
        let page = read(&page);
        assert_eq!(page.kind, PageKind::Unrecognised);
        let error = page.into_results().unwrap_err();
        assert!(error.is_unrecognised() && !error.is_challenge());
        assert!(error.to_string().contains("markup"), "{error}");
    }
}

#[test]
fn what_is_not_html_is_unrecognised_and_says_why() {
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x04\x00";
    for (content_type, body, why) in [
        (
            Some("application/json"),
            &b"{\"a\": \"<div class=result>\"}"[..],
            Stopped::NotHtml,
        ),
        (
            Some("text/plain"),
            b"If this error persists, tell us",
            Stopped::NotHtml,
        ),
        (None, b"If this error persists, tell us", Stopped::NotHtml),
        (None, b"{\"a\":\"<a href=x>\"}", Stopped::NotHtml),
        (Some("text/html"), gzip, Stopped::Compressed),
        (None, gzip, Stopped::Compressed),
        (
            Some("text/html; charset=utf-16le"),
            b"<\0h\0t\0m\0l\0",
            Stopped::Encoding,
        ),
        (None, b"\xff\xfe<\0h\0t\0m\0l\0", Stopped::Encoding),
    ] {
        let page = Page::read(200, content_type, body);
        assert_eq!(
            (page.kind, page.stopped),
            (PageKind::Unrecognised, Some(why))
        );
        let error = page.ok().unwrap_err();
        assert!(error.to_string().contains(&why.to_string()), "{error}");
    }
    assert!(Stopped::Compressed.to_string().contains("decompress"));
}

#[test]
fn what_is_not_html_passes_untouched() {
    for body in [
        &b"{\"a\": \"<div class='result result--ad'>x</div>\"}"[..],
        b"\x1f\x8b<a href=\"https://duckduckgo.com/y.js\">x</a>",
    ] {
        let reader = PageReader::new().content_type("application/json");
        assert_eq!(support::read_in(reader, body, &[3]).html, body);
    }
}

#[test]
fn a_page_of_no_known_kind_with_a_status_that_throttles_is_a_throttle() {
    for status in [202, 403, 429] {
        let page = Page::read(status, "text/html", b"<h1>Too Many Requests</h1>");
        let error = page.ok().unwrap_err();
        assert!(error.is_throttled() && !error.is_challenge());
        assert!(!error.is_unrecognised() && !error.is_hidden());
        let says = format!("status {status}: it is throttling");
        assert!(error.to_string().contains(&says), "{error}");
    }
    let other = Page::read(503, "text/html", b"<h1>Unavailable</h1>");
    assert!(!other.ok().unwrap_err().is_throttled());
}

#[test]
fn an_empty_body_is_unrecognised() {
    let page = Page::read(200, "text/html", b"");
    assert_eq!(
        (page.kind, page.truncated, page.stopped),
        (PageKind::Unrecognised, false, None)
    );
    assert!(page.ok().is_err());
}

#[test]
fn a_page_cut_short_keeps_what_was_read_and_says_so() {
    let page = html(&(row(1) + &row(2)));
    let at = page.find("What page 2").unwrap() + 11;
    let read = pass(&page[..at]);
    assert!(read.page.truncated);
    assert_eq!(read.results.len(), 2);
    assert_eq!(read.results[1].snippet, "What page 2");
    assert!(read.html() == &page[..at]);
}

#[test]
fn a_page_cut_short_amid_a_tag_or_a_comment_says_so() {
    for (page, truncated) in [
        ("<p>a</p><a href=", true),
        ("<p>a</p><!-- b", true),
        ("<p>a</p><", true),
        ("<p>a</p>b", false),
        ("<html><p>a</p>", true),
        ("<body><p>a</p>", true),
    ] {
        assert_eq!(read(page).truncated, truncated, "{page}");
    }
}

#[test]
fn an_error_says_what_is_known_of_the_page() {
    let error = |status, page: &str| {
        Page::read(status, "text/html", page.as_bytes())
            .ok()
            .unwrap_err()
    };
    let unknown = error(503, "<p>Sorry</p>");
    assert_eq!((unknown.status(), unknown.stopped()), (Some(503), None));
    assert!(unknown.is_unrecognised() && !unknown.is_hidden() && !unknown.is_challenge());
    let said = unknown.to_string();
    assert!(
        said.contains("status 503") && said.contains("markup"),
        "{said}"
    );
    assert!(!error(200, "<p>Sorry</p>").to_string().contains("status"));

    let cut = error(200, "<html><p>Sorr").to_string();
    assert!(cut.contains("cut off") && !cut.contains("markup"), "{cut}");

    let text = error(200, "Sorry");
    assert_eq!(text.stopped(), Some(Stopped::NotHtml));
    assert!(text.to_string().contains("not html"));

    let hidden = format!("<div hidden>{}{}</div>", row(1), row(2));
    let hidden = error(200, &hidden);
    assert!(hidden.is_hidden() && hidden.is_unrecognised());
    assert!(hidden.to_string().contains("all 2 results"), "{hidden}");

    let challenge = error(202, &challenge());
    assert!(challenge.is_challenge() && !challenge.is_unrecognised() && !challenge.is_hidden());
    assert_eq!(challenge.status(), Some(202));
    assert!(challenge.to_string().contains("with a challenge: "));

    let mut reader = PageReader::new();
    reader.feed("<p>Sorry</p>");
    assert_eq!(reader.finish().ok().unwrap_err().status(), None);
}

#[test]
fn every_reason_to_stop_has_words_of_its_own() {
    let all = [
        Stopped::NotHtml,
        Stopped::Compressed,
        Stopped::Encoding,
        Stopped::PageBytes,
        Stopped::Results,
        Stopped::Depth,
        Stopped::Tag,
        Stopped::ParserMemory,
        Stopped::Parser,
    ];
    let words: HashSet<String> = all.iter().map(Stopped::to_string).collect();
    assert_eq!(words.len(), all.len());
    assert!(!words.contains(""));
}
