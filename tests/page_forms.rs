//! What a page's forms tell: its endpoint and the way to its next page.

#[path = "support/page.rs"]
mod support;

use search_gate::{Endpoint, Limits, PageReader, Query};
use support::{html, read, row};

fn hidden(name: &str, value: &str) -> String {
    format!("<input type=hidden name=\"{name}\" value=\"{value}\">")
}

fn next(page: &str) -> Option<Query> {
    read(page).next
}

#[test]
fn the_endpoint_is_where_the_first_known_form_leads() {
    for (action, endpoint) in [
        ("/html/", Some(Endpoint::Html)),
        ("/html", Some(Endpoint::Html)),
        ("/lite/", Some(Endpoint::Lite)),
        ("/lite", Some(Endpoint::Lite)),
        ("/lite/?x", Some(Endpoint::Lite)),
        ("//duckduckgo.com/lite/", Some(Endpoint::Lite)),
        (
            "https://html.duckduckgo.com/h&#116;ml",
            Some(Endpoint::Html),
        ),
        ("https://a.example/html/", None),
        ("/htmls", None),
        ("/", None),
        ("", None),
    ] {
        let page = format!("<form action=\"{action}\">{}</form>", hidden("s", "1"));
        assert_eq!(read(&page).endpoint, endpoint, "{action}");
        let query = endpoint.map(|endpoint| Query::from_form(endpoint, [("s", "1")]));
        assert_eq!(next(&page), query, "{action}");
    }
    let page = "<form action=/about></form><form action=/lite/></form><form action=/html/></form>";
    assert_eq!(read(page).endpoint, Some(Endpoint::Lite));
}

#[test]
fn a_form_that_leads_on_says_where_the_next_page_starts() {
    let s = hidden("s", "1");
    let query = Query::from_form(Endpoint::Html, [("s", "1")]);
    for (form, leads) in [
        (format!("<form action=/html/>{s}</form>"), true),
        (
            format!("<form action=/html/>{s}<input type=submit value=Next></form>"),
            true,
        ),
        (
            format!("<form action=/html/>{s}<input type=submit value=Pre></form>"),
            true,
        ),
        (
            format!("<form action=/html/>{s}<input type=text value=Previous></form>"),
            true,
        ),
        (
            format!("<form action=/html/>{s}<input type=SUBMIT value=\"PREV page\"></form>"),
            false,
        ),
        (
            format!("<form action=/html/ class=prev_form>{s}</form>"),
            false,
        ),
        (format!("<form action=/html/></form>{s}"), false),
        (
            format!("<form action=/html/>{}</form>", hidden("q", "1")),
            false,
        ),
        (
            format!("<form action=/html/>{}</form>", s.replace("hidden", "text")),
            false,
        ),
        (
            format!("<form action=/html/>{}{s}</form>", hidden("", "1")),
            true,
        ),
        (
            format!(
                "<form action=/html/>{}</form>",
                s.replace("hidden", "HIDDEN")
            ),
            true,
        ),
        (format!("<form action=/html/>{s}<form action=/html/>"), true),
    ] {
        assert_eq!(next(&form), leads.then(|| query.clone()), "{form}");
    }
}

#[test]
fn a_form_has_no_more_fields_than_64_and_none_that_is_too_long() {
    let form = |fields: usize| {
        let fields: String = (1..fields).map(|n| hidden(&format!("n{n}"), "")).collect();
        format!("<form action=/html/>{fields}{}</form>", hidden("s", "1"))
    };
    assert!(next(&form(64)).is_some());
    assert_eq!(next(&form(65)), None);

    let read = |fields: &str| {
        let mut reader = PageReader::new().limits(Limits::default().text_bytes(4));
        reader.feed(format!("<form action=/html/>{fields}{}", hidden("s", "1")));
        reader.finish().next.unwrap()
    };
    for (name, value, fits) in [
        ("name", "text", true),
        ("names", "text", false),
        ("name", "texts", false),
    ] {
        let mut fields = vec![("s", "1")];
        if fits {
            fields.insert(0, (name, value));
        }
        let query = Query::from_form(Endpoint::Html, fields);
        assert_eq!(read(&hidden(name, value)), query, "{name}={value}");
    }
}

#[test]
fn a_form_ends_the_result_before_it() {
    let page = html(&row(1).replace(
        "<a class=\"result__snippet\"",
        "<form action=/about></form><a class=\"result__snippet\"",
    ));
    assert_eq!(read(&page).results[0].snippet, "");
}

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
