//! What a person would not see is not read.

#[path = "support/page.rs"]
mod support;

use search_gate::PageKind;
use support::{ad, html, lite, lite_row, pass, read, row, row_of};

const HIDING: [&str; 12] = [
    "hidden",
    "hidden=until-found",
    r#"aria-hidden="true""#,
    r#"style="display:none""#,
    r#"style="color:red; display : none !important""#,
    r#"style="display:none;display:nonsense""#,
    r#"style="dis/**/play:block;display:/**/none""#,
    r#"style="d\69splay:none""#,
    r#"style="&#100;isplay:none""#,
    r#"style='visibility:hidden'"#,
    r#"STYLE=VISIBILITY:COLLAPSE"#,
    r#"class="x" data-x='>' style="all:unset;display:none""#,
];

const SHOWING: [&str; 10] = [
    r#"class="hidden""#,
    r#"aria-hidden="false""#,
    r#"data-hidden="true""#,
    r#"style="display:block""#,
    r#"style="display:none;display:block""#,
    r#"style="backface-visibility:hidden""#,
    r#"style="/* display:none */""#,
    r#"style="content:'display:none'""#,
    r#"style="display:none visible""#,
    r#"title="hidden style=display:none""#,
];

fn titles(page: &str) -> Vec<String> {
    read(page)
        .results
        .into_iter()
        .map(|result| result.title)
        .collect()
}

#[test]
fn a_hidden_block_is_no_result() {
    for hiding in HIDING {
        let hidden = row(1).replacen("<div", &format!("<div {hiding}"), 1);
        let hidden = if hiding.contains("class") {
            hidden.replacen(r#" class="result"#, r#" data-y="result"#, 1)
        } else {
            hidden
        };
        let page = read(&html(&(hidden + &row(2))));
        assert_eq!(
            (page.results.len(), page.hidden_dropped),
            (1, 1),
            "{hiding}"
        );
        assert_eq!(page.results[0].title, "Page number 2", "{hiding}");
        assert_eq!(page.results[0].position, 1, "{hiding}");
    }
}

#[test]
fn what_only_looks_hidden_is_read() {
    for showing in SHOWING {
        let page = html(&format!("<div {showing}>{}</div>{}", row(1), row(2)));
        assert_eq!(
            titles(&page),
            ["Page number 1", "Page number 2"],
            "{showing}"
        );
    }
}

#[test]
fn what_stands_under_a_hidden_ancestor_is_not_read() {
    for hiding in HIDING {
        for (open, close) in [
            ("<div", "</div>"),
            ("<section", "</section>"),
            ("<table><tr><td", "</td></tr></table>"),
            ("<b", "</b>"),
        ] {
            let page = html(&format!(
                "{}{open} {hiding}><p>{}{}</p>{close}{}",
                row(1),
                row(2),
                row(3),
                row(4)
            ));
            assert_eq!(
                titles(&page),
                ["Page number 1", "Page number 4"],
                "{hiding} {open}"
            );
        }
    }
    let page = html(&format!("<template>{}</template>{}", row(1), row(2)));
    assert_eq!(titles(&page), ["Page number 2"]);
}

#[test]
fn a_hidden_ancestor_far_above_hides() {
    let page = html(&(row(1) + &row(2))).replace("<body", "<body hidden");
    assert!(titles(&page).is_empty());
}

#[test]
fn a_hidden_element_that_holds_nothing_hides_nothing() {
    for nothing in ["<br hidden>", "<svg><path hidden/></svg>", "<input hidden>"] {
        let page = html(&(nothing.to_owned() + &row(1)));
        assert_eq!(titles(&page), ["Page number 1"], "{nothing}");
    }
}

#[test]
fn a_hidden_element_ends_with_its_ancestor() {
    for unclosed in [
        "<div hidden>",
        "<b hidden><i>",
        "<section style='display:none'><div>",
    ] {
        let page = html(&format!(
            "<main><article>{unclosed}{}</article>{}</main>",
            row(1),
            row(2)
        ));
        assert_eq!(titles(&page), ["Page number 2"], "{unclosed}");
    }
    // Stray end tags end nothing.
    let page = html(&format!(
        "<div hidden></span></section></p>{}</div>{}",
        row(1),
        row(2)
    ));
    assert_eq!(titles(&page), ["Page number 2"]);
    // Items end where the next one of their list starts.
    for (list, items) in [
        ("<ul><li hidden>a<li>ROW</ul>", 1),
        ("<ol><li hidden><ul><li>ROW</ul></ol>", 0),
        ("<table><tr hidden><td>a<tr><td>ROW</table>", 1),
        ("<table><tr><td hidden>a<td>ROW</table>", 1),
        ("<table><tr><th hidden>a<td>ROW</table>", 1),
        ("<table><tr><td hidden><table><tr><td>ROW</table>", 0),
    ] {
        let page = html(&list.replace("ROW", &row(1)));
        assert_eq!(titles(&page).len(), items, "{list}");
    }
    // A paragraph ends where a block starts.
    let page = html(&format!("<p hidden>planted{}", row(1)));
    assert_eq!(titles(&page), ["Page number 1"]);
}

#[test]
fn visibility_may_be_set_back_and_display_may_not() {
    let inner = |style| format!(r#"<div style="{style}">{}</div>"#, row(1));
    let page =
        |outer: &str, style| html(&format!(r#"<div style="{outer}">{}</div>"#, inner(style)));
    assert_eq!(
        titles(&page("visibility:hidden", "visibility:visible")).len(),
        1
    );
    assert_eq!(
        titles(&page("visibility:hidden", "visibility:inherit")).len(),
        0
    );
    assert_eq!(titles(&page("display:none", "display:block")).len(), 0);
}

#[test]
fn hidden_links_and_texts_are_not_read() {
    let planted = |hiding: &str| {
        row_of(
            &format!("Title<span {hiding}> planted</span> end"),
            "https://a.example/",
            &format!(
                "Text <b><i {hiding}>planted <u>more</u></i></b>end<template>planted</template>."
            ),
        )
    };
    for hiding in HIDING {
        let page = read(&html(&planted(hiding)));
        let result = &page.results[0];
        assert_eq!(
            (&*result.title, &*result.snippet),
            ("Title end", "Text end."),
            "{hiding}"
        );
        let link = row(1).replace(
            r#"<a class="result__snippet""#,
            &format!(r#"<a {hiding} class="result__snippet""#),
        );
        if !hiding.contains("class") {
            assert_eq!(read(&html(&link)).results[0].snippet, "", "{hiding}");
        }
    }
}

#[test]
fn a_hidden_title_is_no_result_and_leaves_its_snippet_to_nobody() {
    for title in [
        row(2).replace(r#"class="result__a""#, r#"class="result__a" hidden"#),
        row(2).replace("Page <b>number</b> 2", "<span hidden>Page 2</span>"),
    ] {
        let page = read(&html(&(row(1) + &title + &row(3))));
        assert_eq!((page.results.len(), page.hidden_dropped), (2, 1));
        assert!(
            page.results
                .iter()
                .all(|result| !result.snippet.contains("page 2"))
        );
    }
}

#[test]
fn a_page_whose_every_result_is_hidden_is_an_error() {
    for page in [
        html(&format!("<div hidden>{}</div>", row(1) + &row(2))),
        lite(&lite_row(1)).replace("<table", "<table hidden"),
    ] {
        let page = read(&page);
        assert_eq!(page.kind, PageKind::Unrecognised);
        let error = page.ok().unwrap_err();
        assert!(error.is_hidden() && error.is_unrecognised() && !error.is_challenge());
        assert!(error.to_string().contains("hidden"), "{error}");
    }
}

#[test]
fn hidden_rows_of_the_lite_page_are_not_read() {
    let page = lite(&(lite_row(1) + &lite_row(2).replace("<tr>", "<tr hidden>") + &lite_row(3)));
    assert_eq!(titles(&page), ["Page number 1", "Page number 3"]);
}

#[test]
fn what_is_hidden_is_passed_on_and_hidden_ads_are_cut() {
    let page = html(&format!("<div hidden>{}</div>{}", row(1), row(2)));
    assert!(pass(&page).html() == page);
    let page = html(&format!("<div hidden>{}</div>{}", ad(), row(2)));
    let read = pass(&page);
    assert_eq!(read.page.ads_dropped, 1);
    assert!(!read.html().contains("Buy things"));
}
