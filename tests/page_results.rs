//! What is read of the results.

#[path = "support/page.rs"]
mod support;

use search_gate::{Endpoint, PageKind, PageReader};
use support::{html, lite, lite_row, pass, read, row, row_of, wrapped};

#[test]
fn a_result_is_read_with_all_its_parts() {
    let page = read(&html(&(row(1) + &row(2))));
    assert_eq!(
        (page.kind, page.endpoint, page.results.len()),
        (PageKind::Results, Some(Endpoint::Html), 2)
    );
    assert_eq!(
        (
            page.ads_dropped,
            page.hidden_dropped,
            page.truncated,
            page.stopped
        ),
        (0, 0, false, None)
    );
    let result = &page.results[1];
    assert_eq!(result.title, "Page number 2");
    assert_eq!(result.url, "https://site-2.example/page?a=1&b=2");
    assert_eq!(
        result.snippet,
        "What page 2 tells about the words asked for, and 'more'."
    );
    assert_eq!(result.display_url.as_deref(), Some("site.example/page"));
    assert_eq!(result.icon.as_deref(), Some("//icons.example/site.ico"));
    assert_eq!(result.file_type, None);
    assert_eq!(result.position, 2);
    assert_eq!(
        result
            .title_bold
            .iter()
            .map(|bold| &result.title[bold.clone()])
            .collect::<Vec<_>>(),
        ["number"]
    );
    assert_eq!(
        result
            .snippet_bold
            .iter()
            .map(|bold| &result.snippet[bold.clone()])
            .collect::<Vec<_>>(),
        ["words"]
    );
}

#[test]
fn the_lite_page_gives_the_same_parts() {
    let page = read(&lite(&(lite_row(1) + &lite_row(2))));
    assert_eq!(
        (page.kind, page.endpoint, page.results.len()),
        (PageKind::Results, Some(Endpoint::Lite), 2)
    );
    let result = &page.results[1];
    assert_eq!(result.title, "Page number 2");
    assert_eq!(result.url, "https://site-2.example/");
    assert_eq!(result.snippet, "What page 2 tells about the words.");
    assert_eq!(result.display_url.as_deref(), Some("site-2.example/page"));
    assert_eq!(
        result.published.as_ref().map(|published| &*published.text),
        Some("2026-01-20T09:43:00.0000000")
    );
}

#[test]
fn a_title_that_leads_nowhere_is_no_result() {
    for href in [
        "",
        "#",
        "javascript:void(0)",
        "ftp://a.example/",
        "//duckduckgo.com/l/?uddg=data%3Atext",
    ] {
        let page = read(&html(&format!(
            "{}{}{}",
            row(1),
            row_of("Nowhere", href, "Lost"),
            row(2)
        )));
        let titles: Vec<_> = page.results.iter().map(|result| &*result.title).collect();
        assert_eq!(titles, ["Page number 1", "Page number 2"], "{href}");
        assert!(
            page.results
                .iter()
                .all(|result| !result.snippet.contains("Lost"))
        );
    }
}

#[test]
fn a_result_comes_out_as_soon_as_its_block_has_arrived() {
    let rows = [row(1), row(2)];
    let page = html(&rows.concat());
    let end_of_first = page.find(&rows[1]).unwrap();
    let mut reader = PageReader::new();
    reader.feed(page.as_bytes()[..end_of_first].to_vec());
    assert_eq!(reader.next_result().unwrap().title, "Page number 1");
    assert!(reader.next_result().is_none());
    reader.feed(page.as_bytes()[end_of_first..].to_vec());
    assert_eq!(reader.next_result().unwrap().position, 2);
    assert!(reader.finish().results.is_empty());
}

#[test]
fn results_taken_while_reading_are_those_of_the_whole_page() {
    let page = html(&(row(1) + &row(2) + &row(3)));
    let taken = pass(&page);
    assert_eq!(taken.results, read(&page).results);
    assert!(taken.page.results.is_empty());
    assert_eq!(taken.page.kind, PageKind::Results);
}

#[test]
fn links_are_unwrapped_once() {
    let target = "https://a.example/Miami%2C+FL?x=%2B&copy=1";
    let page = read(&html(&row_of("A", &wrapped(target), "")));
    assert_eq!(page.results[0].url, target);
}

#[test]
fn duplicates_stay_unless_they_are_not_wanted() {
    let page = html(&(row(1) + &row(2) + &row(1)));
    assert_eq!(read(&page).results.len(), 3);
    let mut reader = PageReader::new().skip_duplicates(true);
    reader.feed(page);
    let page = reader.finish();
    let positions: Vec<_> = page
        .results
        .iter()
        .map(|result| (&*result.title, result.position))
        .collect();
    assert_eq!(positions, [("Page number 1", 1), ("Page number 2", 2)]);
}

#[test]
fn results_that_are_not_collected_are_counted() {
    let mut reader = PageReader::new().collect_results(false);
    assert!(!reader.has_results());
    let page = html(&(row(1) + &row(2)));
    let (first, rest) = page.split_at(page.find("number</b> 2").unwrap());
    reader.feed(first.to_owned());
    assert!(reader.has_results());
    reader.feed(rest.to_owned());
    assert_eq!(reader.next_result(), None);
    let page = reader.finish();
    assert_eq!((page.kind, page.results.len()), (PageKind::Results, 0));
    let mut reader = PageReader::new();
    reader.feed(html(&row(1)));
    assert!(reader.next_result().is_some() && reader.has_results());
}

#[test]
fn only_titles_lead_to_results() {
    for link in [
        r#"<a href="https://shop.example/y.js">x</a>"#,
        r#"<a class="result__url" href="https://shop.example/y.js">x</a>"#,
    ] {
        let page = read(&html(&(link.to_owned() + &row(1))));
        assert_eq!(page.results.len(), 1, "{link}");
    }
    let page = row_of("A", "https://a.example/", "What it is").replace(
        r#"class="result__snippet" href=""#,
        r#"class="result__snippet" href="/about/y.js?"#,
    );
    let page = read(&html(&page));
    assert_eq!(page.results[0].snippet, "What it is");
}

#[test]
fn several_titles_in_a_block_are_several_results() {
    let page = read(&html(
        r#"<div class="result"><a class="result__a" href="https://a.example/">A</a>
        <a class="result__a" href="https://b.example/">B</a><a class="result__snippet">of B</a>
        <a class="result__a" href="/nowhere">C</a><a class="result__snippet">of C</a></div>"#,
    ));
    let results: Vec<_> = page
        .results
        .iter()
        .map(|result| (&*result.title, &*result.snippet))
        .collect();
    assert_eq!(results, [("A", ""), ("B", "of B")]);
}

#[test]
fn a_block_ends_where_what_follows_the_results_begins() {
    for follows in [
        "<div class=nav-link>",
        "<div class=feedback-btn>",
        "<form action=/about>",
        "<div class=result>",
    ] {
        let page = format!(
            "<div class=result><a class=result__a href=//a.example>a</a>{follows}<a class=result__snippet>no</a></div></div>"
        );
        let mut reader = PageReader::new();
        reader.feed(page[..page.find("<a class=result__snippet").unwrap()].to_owned());
        assert_eq!(reader.next_result().unwrap().title, "a", "{follows}");
        assert_eq!(read(&page).results[0].snippet, "", "{follows}");
    }
}
