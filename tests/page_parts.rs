//! What belongs to a result, and what only stands near it.

#[path = "support/page.rs"]
mod support;

use search_gate::{Limits, PageKind, PageReader};
use support::{html, read, row, row_of};

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
fn the_first_of_each_part_of_a_result_counts() {
    let part = |tag: &str, class: &str, text: &str| format!("<{tag} class={class}>{text}</{tag}>");
    let page = read(&format!(
        "<div class=result><a class=result__a href=//a.example>a</a>{}{}{}{}{}{}{}{}{}</div>",
        part("a", "result__snippet", " "),
        part("a", "result__snippet", "one"),
        part("div", "result__snippet", "two"),
        part("a", "result__url", " "),
        part("a", "result__url", "one"),
        part("a", "result__url", "two"),
        part("span", "timestamp", " "),
        part("span", "timestamp", "one"),
        part("span", "timestamp", "two"),
    ));
    let result = &page.results[0];
    assert_eq!(
        (&*result.snippet, result.display_url.as_deref()),
        ("one", Some("one"))
    );
    assert_eq!(result.published.as_ref().unwrap().text, "one");
    assert_eq!(result.url, "https://a.example/");
    let page = read(&html(&row(1).replace(
        "a class=\"result__snippet\"",
        "div class=\"result__snippet\"",
    )));
    assert!(page.results[0].snippet.starts_with("What page 1"));
}

#[test]
fn parts_outside_a_result_are_none() {
    let page = read(&html(
        "<a class=result__snippet>x</a><a class=result__url>x</a><span class=timestamp>x</span><img class=result__icon__img src=x>",
    ));
    assert_eq!((page.kind, page.results.len()), (PageKind::Unrecognised, 0));
    assert_eq!((page.zero_click, page.spelling), (None, None));
}

#[test]
fn a_badge_without_a_text_is_no_file_type() {
    for (badge, kind) in [
        ("<span class=result__type> </span>", None),
        ("<span class=result__type>PDF</span>", Some("PDF")),
        ("<span class=result__type><b>P</b>DF", Some("PDF A")),
        ("<span class=result__other>PDF</span>", None),
    ] {
        let page = read(&html(&row_of(
            &format!("{badge} A"),
            "https://a.example/",
            "",
        )));
        let result = &page.results[0];
        assert_eq!(result.file_type.as_deref(), kind, "{badge}");
        assert!(result.title_bold.is_empty(), "{badge}");
    }
    let page = row_of(
        "A",
        "https://a.example/",
        "<span class=result__type>PDF</span> b",
    );
    let result = &read(&html(&page)).results[0];
    assert_eq!((&result.file_type, &*result.snippet), (&None, "PDF b"));
}

#[test]
fn the_first_image_of_its_kind_that_is_not_too_long_counts() {
    let icon = |src: &str| format!("<img class=result__icon__img src=\"{src}\">");
    let with = |images: &str, bound: usize| {
        let page = row_of("A", "//a.example", images);
        let mut reader = PageReader::new().limits(Limits::default().url_bytes(bound));
        reader.feed(html(
            &page
                .replace("result__icon__img", "x")
                .replace(images, &icon(images)),
        ));
        reader.finish().results.remove(0).icon
    };
    assert_eq!(
        with("//i.example/1?a&amp;b", 21).as_deref(),
        Some("//i.example/1?a&b")
    );
    assert_eq!(with("//i.example/1?a&amp;b", 20), None);
    let page = row(1).replace("<img", &(icon("") + "<img")).replace(
        "</h2>",
        &("</h2>".to_owned() + &icon("") + &icon("//i.example/1") + &icon("//i.example/2")),
    );
    let page = read(&html(&(icon("//i.example/0") + &page)));
    assert_eq!(page.results[0].icon.as_deref(), Some("//i.example/1"));
    let zero = "<div class=zci><img src=\"\"><img src=1><img src=2></div>";
    let page = read(&html(
        &(zero.to_owned() + "<div class=zci__result>x</div>" + &row(1)),
    ));
    assert_eq!(page.zero_click, None, "an image alone is no answer");
    let page = read(&html(&zero.replace("><img", "><h1>x</h1><img")));
    assert_eq!(page.zero_click.unwrap().image.as_deref(), Some("1"));
}

#[test]
fn a_date_is_what_stands_bare_after_the_address() {
    let published = |block: &str| {
        let page =
            format!("<div class=result><a class=result__a href=//a.example>a</a>{block}</div>");
        let result = read(&page).results.remove(0);
        (
            result.published.map(|published| published.text),
            result.snippet,
        )
    };
    let (url, snippet) = (
        "<a class=result__url>a.example</a>",
        "<a class=result__snippet>b <span>c</span></a>",
    );
    let date = Some("2026-07-30".to_owned());
    let span = "<span>2026-07-30</span>";
    for (block, date) in [
        (format!("{url}{span}{snippet}"), &date),
        (format!("{url}{snippet}{span}"), &date),
        (format!("{span}{url}{snippet}"), &None),
        (format!("{span}{snippet}"), &None),
        (
            format!("{url}<span class=x>2026-07-30</span>{snippet}"),
            &None,
        ),
        (
            format!("<span class=timestamp>2026-07-30</span>{snippet}"),
            &date,
        ),
    ] {
        assert_eq!(
            published(&block),
            (date.clone(), "b c".to_owned()),
            "{block}"
        );
    }
}
