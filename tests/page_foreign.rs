//! Svg and math in a page.

#[path = "support/page.rs"]
mod support;

use search_gate::PageReader;
use support::{html, read_in, row};

const LINK: &str = r#"<a class="result__a" href="https://fake.example/">Fake</a>"#;
const RESULT: &str = "https://site-1.example/page?a=1&b=1";

/// The addresses that are read, in chunks of any size.
fn urls(rows: &str) -> Vec<String> {
    let page = html(rows);
    let read = |size| read_in(PageReader::new(), page.as_bytes(), &[size]);
    let whole = read(page.len());
    for size in [1, 7, 100] {
        assert_eq!(read(size), whole, "in {size}");
    }
    whole.urls().into_iter().map(str::to_owned).collect()
}

#[test]
fn what_was_left_open_ends_where_html_goes_on() {
    let texts = format!("<textarea>{LINK}</textarea><script>'{LINK}'</script>");
    for open in [
        "<svg><path>",
        "<svg><g><path/></svg>",
        "<svg><g><circle>",
        "<math><mi>x",
        "<svg><foreignObject><p>text</p></foreignObject>",
        "<svg><desc><b>text</b></desc></svg>",
        "<svg><font>",
        "<svg/>",
    ] {
        let rows = format!("{open}<div>{texts}</div>{}", row(1));
        assert_eq!(urls(&rows), [RESULT], "{open}");
    }
    for ends in ["</p>", "</br>", "<font color=red>"] {
        let rows = format!("<svg><path>{ends}{texts}{}", row(1));
        assert_eq!(urls(&rows), [RESULT], "{ends}");
    }
}

#[test]
fn what_was_left_open_ends_with_the_html_around_it() {
    let script = format!("<script>var a = '<script>{LINK}</scrip>';</script>");
    for open in [
        "<div><svg></div>",
        "<div><svg><g></div>",
        "<div><math><mi></div>",
        "<table><tr><td><svg><tr><td></table>",
    ] {
        let rows = format!("{open}{script}{}", row(1));
        assert_eq!(urls(&rows), [RESULT], "{open}");
    }
}

#[test]
fn html_within_svg_is_html() {
    for holds in ["foreignObject", "desc", "title"] {
        let rows = format!(
            "<svg><{holds}><textarea>{LINK}</textarea></{holds}></svg>{}",
            row(1)
        );
        assert_eq!(urls(&rows), [RESULT], "{holds}");
    }
}

#[test]
fn what_is_raw_text_in_html_is_none_in_svg() {
    for name in ["title", "style", "script"] {
        let rows = format!("<svg><{name}>{LINK}</{name}></svg>{}", row(1));
        assert_eq!(urls(&rows), ["https://fake.example/", RESULT], "{name}");
    }
}
