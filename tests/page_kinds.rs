//! An answer, an empty answer, a challenge and what is none of them are told apart.

#[path = "support/page.rs"]
mod support;

use search_gate::{Page, PageKind, PageReader, is_challenge_page};
use support::{ad, challenge, html, lite, lite_row, read, row, row_of};

fn none_2026() -> &'static str {
    r#"<div class="result results_links results_links_deep web-result result--no-result">
      <div class="links_main"><div class="no-results__container result__title"><span class='no-results'>
      <div class="no-results__message"><h1>No results found for <strong>some words</strong></h1>
      <p><strong>Suggestions</strong>:<ul><li>Check spelling</li></ul></p></div></span></div></div></div>"#
}

fn none_2025(text: &str) -> String {
    format!(
        r#"<div class="result web-result result--no-result"><h2 class="result__title"></h2><div class="no-results">{text}</div>
      <a class="result__url" href=""></a></div>"#
    )
}

fn eof() -> String {
    row_of(
        "EOF",
        "http://www.google.com/search?hl=en&amp;q=some+words",
        "",
    )
}

#[test]
fn every_way_of_saying_that_there_are_no_results_is_known() {
    for (name, page) in [
        ("2026", html(none_2026())),
        ("2025", html(&none_2025("No more results."))),
        ("2025 without text", html(&none_2025(""))),
        ("a span", html("<span class='x no-results'>x</span>")),
        ("a div", html("<div class='x no-results'>x</div>")),
        (
            "a container",
            html("<div class=no-results__container>x</div>"),
        ),
        ("a result", html("<div class='result--no-result x'>x</div>")),
        ("oldest", html(r#"<div class="msg">No  results.</div>"#)),
        ("after an ad", html(&(ad() + none_2026()))),
        ("only an ad", html(&ad())),
        ("EOF", html(&eof())),
        ("EOF and 2025", html(&(eof() + &none_2025("")))),
        (
            "lite",
            lite("<tr><td>No results found for <b>some words</b></td></tr>"),
        ),
        ("lite, old", lite("<tr><td>No more results.</td></tr>")),
    ] {
        let page = read(&page);
        assert_eq!(
            (page.kind, page.results.len()),
            (PageKind::NoResults, 0),
            "{name}"
        );
        assert!(
            page.ok().is_ok_and(|page| page.results.is_empty()),
            "{name}"
        );
    }
}

#[test]
fn the_eof_row_is_never_a_result() {
    let page = read(&html(&(row(1) + &eof())));
    assert_eq!((page.kind, page.results.len()), (PageKind::Results, 1));
    for near in [
        row_of("EOF", "https://a.example/search?q=1", ""),
        row_of("EOF in C", "http://www.google.com/search?q=1", ""),
        row_of("EOF", "http://www.google.com/about", ""),
    ] {
        assert_eq!(read(&html(&near)).results.len(), 1);
    }
}

#[test]
fn a_statement_of_no_results_does_not_undo_results() {
    let page = read(&html(&(row(1) + &none_2025("No more results."))));
    assert_eq!((page.kind, page.results.len()), (PageKind::Results, 1));
}

#[test]
fn a_result_may_say_no_results() {
    let page = read(&html(&row_of(
        "No results",
        "https://a.example/",
        "No results found for me.",
    )));
    assert_eq!((page.kind, page.results.len()), (PageKind::Results, 1));
}

#[test]
fn a_challenge_is_one_whatever_the_status() {
    for status in [200, 202, 403] {
        let page = Page::read(status, "text/html", challenge().as_bytes());
        assert_eq!(
            (page.kind, page.endpoint, page.status),
            (PageKind::Challenge, None, Some(status))
        );
        let error = page.ok().unwrap_err();
        assert!(error.is_challenge() && !error.is_unrecognised());
        assert!(error.to_string().contains("wait"), "{error}");
    }
    assert!(is_challenge_page(&challenge()));
    let by_action = r#"<form action="https://duckduckgo.com/anomaly.js?sv=lite" method="POST">"#;
    assert!(is_challenge_page(by_action));
    assert!(!is_challenge_page(&html(&row(1))) && !is_challenge_page(&html("")));
}

#[test]
fn a_challenge_is_known_when_its_form_has_been_read() {
    let page = challenge();
    let form = page.find(r#"<form id="challenge-form""#).unwrap();
    let end = form + page[form..].find('>').unwrap();
    let mut reader = PageReader::new();
    reader.feed(page.as_bytes()[..page.find("<form").unwrap()].to_vec());
    assert!(!reader.is_challenge());
    reader.feed(page.as_bytes()[page.find("<form").unwrap()..=end].to_vec());
    assert!(reader.is_challenge());
}

#[test]
fn words_of_a_challenge_make_none() {
    let echo = "challenge-form anomaly-modal anomaly.js form#challenge-form";
    let decoys = format!(
        r#"<!-- <form id="challenge-form" action="//duckduckgo.com/anomaly.js"> --><title>{echo}</title>
        <input name="q" value='<form id="challenge-form">'><script>'<form id="challenge-form">'</script>"#
    );
    for page in [
        html(&(decoys.clone() + &row_of(echo, "https://a.example/", echo))),
        html(&(decoys + none_2026())),
    ] {
        let page = read(&page);
        assert_ne!(page.kind, PageKind::Challenge);
        assert!(page.ok().is_ok());
    }
}

#[test]
fn a_page_with_results_or_ads_is_no_challenge() {
    let form = r#"<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>"#;
    assert_eq!(
        read(&html(&(form.to_owned() + &row(1)))).kind,
        PageKind::Results
    );
    assert_eq!(
        read(&html(&(form.to_owned() + &ad()))).kind,
        PageKind::NoResults
    );
    assert_eq!(
        read(&lite(&(form.to_owned() + &lite_row(1)))).kind,
        PageKind::Results
    );
}

#[test]
fn options_say_nothing_about_results() {
    let page = "<form><select><option>No results</option></select></form>";
    for size in [1, page.len()] {
        let read = support::read_in(PageReader::new(), page.as_bytes(), &[size]);
        assert_eq!(read.page.kind, PageKind::Unrecognised);
    }
    for page in ["<select>No results", "<optgroup><option><b>No results"] {
        let expected = if page.contains("<b>") {
            PageKind::NoResults
        } else {
            PageKind::Unrecognised
        };
        assert_eq!(read(page).kind, expected, "{page}");
    }
}

#[test]
fn only_the_words_themselves_say_that_there_are_no_results() {
    for (said, kind) in [
        ("No results", PageKind::NoResults),
        ("\n No\n results. ", PageKind::NoResults),
        ("No results found for it", PageKind::NoResults),
        ("No more results", PageKind::NoResults),
        ("No more results.", PageKind::NoResults),
        ("No more of it", PageKind::Unrecognised),
        ("No result", PageKind::Unrecognised),
        ("More results", PageKind::Unrecognised),
        ("Note: No results", PageKind::Unrecognised),
        ("There are No results", PageKind::Unrecognised),
        ("Nothing more results", PageKind::Unrecognised),
    ] {
        assert_eq!(read(&html(&format!("<p>{said}</p>"))).kind, kind, "{said}");
    }
}
