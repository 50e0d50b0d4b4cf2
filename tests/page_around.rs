//! What is read of what stands around the results: the zero-click box and the words about spelling.

#[path = "support/page.rs"]
mod support;

use search_gate::{Endpoint, Query};
use support::{html, lite, lite_row, read, row, row_of};

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

#[test]
fn a_zero_click_box_has_a_heading_or_a_text() {
    let zci = |inner: &str| {
        let page = html(&(format!(r#"<div class="zci">{inner}</div>"#) + &row(1)));
        read(&page).zero_click
    };
    let heading = zci("<h1>A thing</h1>").unwrap();
    assert_eq!(
        (heading.heading.as_deref(), &*heading.text),
        (Some("A thing"), "")
    );
    let text = zci(r#"<div class="zci__result">A thing is.</div>"#).unwrap();
    assert_eq!((text.heading, &*text.text), (None, "A thing is."));
    assert_eq!(zci("<h1> </h1><img src=x>"), None);
}

#[test]
fn a_heading_outside_the_zero_click_box_is_plain_text() {
    let page = read(&html(&row_of(
        "<h1>A <b>title</b></h1>",
        "https://a.example/",
        "",
    )));
    assert_eq!(page.results[0].title, "A title");
    assert_eq!(page.zero_click, None);
}

#[test]
fn what_stands_around_the_results_is_kept_when_the_page_is_cut_short() {
    let zero = read("<div class=zci><div class=zci__result>A thing").zero_click;
    assert_eq!(zero.unwrap().text, "A thing");
    let spelling = read("<div id=did_you_mean>Did you mean <a>words").spelling;
    let spelling = spelling.unwrap();
    assert_eq!(
        (&*spelling.text, spelling.query.as_deref()),
        ("Did you mean words", Some("words"))
    );
    let next = read("<form action=/lite/><input type=hidden name=s value=1>").next;
    assert_eq!(next, Some(Query::from_form(Endpoint::Lite, [("s", "1")])));
}

#[test]
fn the_lite_pages_zero_click_text_stands_in_the_row_after_its_heading() {
    let zero = |rows: &str| read(&lite(&(rows.to_owned() + &lite_row(1)))).zero_click;
    let link = r#"<a href="https://a.example/">A thing</a>"#;
    let text = "<tr><td>Text</td></tr><tr><td>Later</td></tr>";
    let whole = zero(&format!("<tr><td>Zero-click info: {link}</td></tr>{text}")).unwrap();
    assert_eq!(
        (whole.heading.as_deref(), &*whole.text),
        (Some("A thing"), "Text")
    );
    assert_eq!(whole.url.as_deref(), Some("https://a.example/"));
    for none in [
        format!("<tr><td>Zero-click info: more {link}</td></tr>{text}"),
        format!("<tr><td>Zero-click {link}</td></tr>{text}"),
        format!("<tr><td>About Zero-click info: {link}</td></tr>{text}"),
        format!("<tr><td>Zero-click info:</td></tr>{text}"),
        format!("<tr hidden><td>Zero-click info: {link}</td></tr>{text}"),
    ] {
        assert_eq!(zero(&none), None, "{none}");
    }
    // It stands above the results.
    let late = format!("<p>Zero-click info: {link}</p>");
    let block = "<div class=result><a class=result__a href=//a.example>a</a>";
    assert_eq!(read(&format!("{block}</div>{late}")).zero_click, None);
    assert_eq!(read(&format!("{block}{late}</div>")).zero_click, None);
    let hidden = text.replacen("<td", "<td hidden", 1);
    let rest = zero(&format!(
        "<tr><td>Zero-click info: {link}</td></tr>{hidden}"
    ));
    assert_eq!(rest.unwrap().text, "Later");
}

#[test]
fn links_in_a_zero_click_text_are_text_and_the_first_address_counts() {
    let page = html(
        r#"<div class=zci><div class=zci__result>A <a href="https://a.example/">thing</a>
        <a href="https://b.example/">is</a> so. <a href="https://c.example/">More at </a></div>
        <div class=other>Not of the text</div></div><div class=zci__result>Outside</div>"#,
    );
    let zero = read(&page).zero_click.unwrap();
    assert_eq!(
        (&*zero.text, zero.url.as_deref()),
        ("A thing is so. More at", Some("https://a.example/"))
    );
    assert_eq!(zero.source, None);
}

#[test]
fn the_first_word_about_spelling_counts() {
    let page = html(
        "<div id=did_you_mean> </div><span class=did-you-mean>Did you mean <div id=did_you_mean><a> </a><a>one</a> or <a>two</a>?</div></span>
        <div id=did_you_mean>Including <a>three</a></div>",
    );
    let spelling = read(&page).spelling.unwrap();
    assert_eq!(
        (&*spelling.text, spelling.query.as_deref()),
        ("Did you mean one or two?", Some("one"))
    );
}
