//! What is read around the results: the next page, the box above, the spelling.

#[path = "support/page.rs"]
mod support;

use search_gate::{Endpoint, Query};
use support::{html, lite, lite_row, read, row};

#[test]
fn the_next_form_is_the_last_one_that_goes_forward() {
    let page = read(&html(&row(1)));
    let next = page.next.unwrap();
    let fields = [
        ("q", "some words & \"more\""),
        ("s", "10"),
        ("nextParams", ""),
        ("vqd", "4-1234"),
        ("kl", "wt-wt"),
    ];
    assert_eq!(next, Query::from_form(Endpoint::Html, fields));

    let back = r#"<form action="/html/" method="post"><input type="submit" value="Previous" /><input type="hidden" name="s" value="0" /></form>"#;
    let page = html(&row(1));
    for page in [
        page.replace(
            "<div class=\"nav-link\">",
            &format!("<div class=\"nav-link\">{back}"),
        ),
        page.replace("<div class=\"feedback-btn\">", &format!("{back}<div>")),
    ] {
        assert_eq!(read(&page).next.as_ref(), Some(&next));
    }
    assert_eq!(
        read(&page.replace("value=\"Next\"", "value=\"Previous\"")).next,
        None
    );
}

#[test]
fn the_zero_click_box_is_no_result() {
    let zci = r#"<div class="zci-wrapper"><div class="zci">
      <h1 class="zci__heading"><a rel="nofollow" href="https://encyclopedia.example/wiki/Thing">Thing &amp; Co</a></h1>
      <div class="zci__result" id="zero_click_abstract">
        <a href="https://encyclopedia.example/wiki/Thing"><img class="zci__image" src="https://images.example/t.png" /></a>
        A thing is <i>what</i> it is.
        <a href="https://encyclopedia.example/wiki/Thing">More at <q>Encyclopedia</q></a>
      </div></div></div>"#;
    let page = html(&row(1)).replace("<!-- Web results are present -->", zci);
    let page = read(&page);
    let zero = page.zero_click.unwrap();
    assert_eq!(page.results.len(), 1);
    assert_eq!(
        (zero.heading.as_deref(), &*zero.text),
        (Some("Thing & Co"), "A thing is what it is.")
    );
    assert_eq!(zero.source.as_deref(), Some("Encyclopedia"));
    assert_eq!(
        zero.url.as_deref(),
        Some("https://encyclopedia.example/wiki/Thing")
    );
    assert_eq!(zero.image.as_deref(), Some("https://images.example/t.png"));

    let rows = r#"<tr><td>Zero-click info: <a href="https://encyclopedia.example/wiki/Thing">Thing</a></td></tr>
      <tr><td>A thing is what it is. <a href="https://encyclopedia.example/wiki/Thing">More at <q>Encyclopedia</q></a></td></tr>"#;
    let page = read(&lite(&(rows.to_owned() + &lite_row(1))));
    let zero = page.zero_click.unwrap();
    assert_eq!(page.results.len(), 1);
    assert_eq!(
        (zero.heading.as_deref(), &*zero.text),
        (Some("Thing"), "A thing is what it is.")
    );
    assert_eq!(zero.source.as_deref(), Some("Encyclopedia"));
}

#[test]
fn what_is_said_about_spelling_is_read() {
    for (said, text) in [
        (
            r#"Did you mean <a href="/lite/?q=some%20words">some words</a>?"#,
            "Did you mean some words?",
        ),
        (
            r#"Including results for <a href="/html/?q=some%20words">some words</a>."#,
            "Including results for some words.",
        ),
    ] {
        let msg = format!(
            r#"<span class='did-you-mean'><div class="msg msg--spelling"><div id="did_you_mean"> {said} </div></div></span>"#
        );
        for page in [
            html(&(msg.clone() + &row(1))),
            lite(&lite_row(1)).replace("<table border", &format!("{msg}<table border")),
        ] {
            let page = read(&page);
            let spelling = page.spelling.unwrap();
            assert_eq!(
                (&*spelling.text, spelling.query.as_deref()),
                (text, Some("some words"))
            );
            assert_eq!(page.results.len(), 1);
        }
    }
}
