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
fn dates_are_civil_and_keep_their_text() {
    let at = |text: &str| {
        let row = row(1).replace("2026-07-30T16:53:00.0000000", text);
        read(&html(&row)).results[0].published.clone().unwrap()
    };
    let full = at("2026-07-30T16:53:00.0000000");
    assert_eq!(
        (
            full.date.unwrap().to_string(),
            full.time.unwrap().to_string()
        ),
        ("2026-07-30".into(), "16:53:00".into())
    );
    let day = at("2026-07-30T00:00:00.0000000");
    assert_eq!((day.date, day.time), (full.date, None));
    assert_eq!(at("2026-07-30").date, full.date);
    let odd = at("9999-99-99");
    assert_eq!((&*odd.text, odd.date, odd.time), ("9999-99-99", None, None));
}

#[test]
fn a_file_type_is_taken_off_the_title() {
    let title = r#"<span class="result__type">PDF</span> A <b>paper</b>"#;
    let page = read(&html(&row_of(title, "https://a.example/", "")));
    let result = &page.results[0];
    assert_eq!(
        (&*result.title, result.file_type.as_deref()),
        ("A paper", Some("PDF"))
    );
    assert_eq!(&result.title[result.title_bold[0].clone()], "paper");
}

#[test]
fn a_row_without_a_snippet_is_a_result_and_takes_none_from_its_neighbour() {
    let bare = r#"<div class="result"><h2><a class="result__a" href="https://bare.example/">Bare</a></h2></div>"#;
    let page = read(&html(&format!("{}{bare}{}", row(1), row(2))));
    assert_eq!(page.results[1].snippet, "");
    assert_eq!(page.results[1].published, None);
    assert!(
        page.results[0].snippet.contains("page 1") && page.results[2].snippet.contains("page 2")
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
