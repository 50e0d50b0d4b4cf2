//! Texts are read as a person reads them, in whatever encoding they come.

#[path = "support/page.rs"]
mod support;

use search_gate::{Page, PageReader};
use support::{html, read, read_in, row_of};

fn title(markup: &str) -> String {
    let page = html(&row_of(markup, "https://a.example/", ""));
    let result = &read(&page).results[0];
    let pieces = read_in(PageReader::new(), page.as_bytes(), &[1]);
    assert_eq!(&pieces.results[0], result, "{markup}");
    result.title.clone()
}

#[test]
fn entities_are_resolved_once_and_node_by_node() {
    for (markup, text) in [
        (
            "a &amp; b &lt;i&gt; &quot;c&quot; &#39;d&#x27;",
            "a & b <i> \"c\" 'd'",
        ),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        (
            "&copy &notin; &nosuch; &#0; &#x80;",
            "© ∉ &nosuch; \u{fffd} €",
        ),
        ("&am<b>p;</b>", "&amp;"),
        ("AT&T R&D", "AT&T R&D"),
    ] {
        assert_eq!(title(markup), text, "{markup}");
    }
}

#[test]
fn white_space_collapses_and_markup_adds_none() {
    for (markup, text) in [
        ("  a \n\t b&nbsp;&nbsp; c ", "a b c"),
        ("a<b>b</b>c", "abc"),
        ("a <b> b </b> c", "a b c"),
        ("one<!-- two -->three", "onethree"),
        ("日本\u{3000}語", "日本 語"),
        ("a\u{200b}b", "a\u{200b}b"),
        ("1 < 2 <3", "1 < 2 <3"),
    ] {
        assert_eq!(title(markup), text, "{markup}");
    }
}

#[test]
fn raw_text_and_comments_in_a_title_are_no_text() {
    assert_eq!(title("a<script>'</a>'</script>b<style>c</style>"), "ab");
    assert_eq!(title("a<!-- </a> -->b"), "ab");
    assert_eq!(title("a<!b><?c></ d>e"), "ae");
    assert_eq!(title("a<svg><!b><i>c</i></svg>d"), "acd");
    assert_eq!(title("a<svg><![CDATA[><u>c</u>]]></svg>b"), "ab");
    assert_eq!(title("a<i title='</a>'>b</i>"), "ab");
}

#[test]
fn a_less_than_sign_before_a_tag_is_text() {
    for tag in ["<b>", "<i></i>", "<script></script>"] {
        assert_eq!(title(&format!("a<{tag}b")), "a<b", "{tag}");
    }
}

#[test]
fn texts_are_decoded_by_the_header_then_the_page_then_as_utf_8() {
    let page = |meta: &str, title: &[u8]| {
        let head = format!(
            "<html><head>{meta}</head><body><div class=\"result\"><a class=\"result__a\" href=\"https://a.example/\">"
        );
        [head.as_bytes(), title, b"</a></div></body></html>"].concat()
    };
    let title = |content_type: &str, page: &[u8]| {
        Page::read(200, content_type, page).results[0].title.clone()
    };
    let cyrillic = b"\xcf\xf0\xe8\xe2\xe5\xf2";
    let meta = r#"<meta charset="windows-1251">"#;
    let equiv = r#"<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">"#;
    assert_eq!(
        title("text/html; charset=windows-1251", &page("", cyrillic)),
        "Привет"
    );
    assert_eq!(title("text/html", &page(meta, cyrillic)), "Привет");
    assert_eq!(title("text/html", &page(equiv, cyrillic)), "Привет");
    assert_eq!(
        title("text/html; charset=UTF-8", &page(meta, "Привет".as_bytes())),
        "Привет"
    );
    assert_eq!(title("text/html", &page("", "Привет".as_bytes())), "Привет");
    assert_eq!(
        title("text/html; charset=nonsense", &page("", "é".as_bytes())),
        "é"
    );
    // Bytes that would be UTF-8, and such as no UTF-8 begins with.
    for (bytes, text) in [(b"\xd0\x9f", "Рџ"), (b"\xa8\xb8", "Ёё")] {
        assert_eq!(title("text/html", &page(meta, bytes)), text);
    }
    assert_eq!(
        title(
            "text/html; charset=Shift_JIS",
            &page("", b"\x93\xfa\x96\x7b")
        ),
        "日本"
    );
    for named in [
        r#"<meta content="text/html; CHARSET=windows-1251">"#,
        r#"<meta content="text/html; charset='windows-1251'">"#,
        r#"<meta content='text/html; charset="windows-1251"'>"#,
        r#"<meta content="charset=windows-1251; x">"#,
        r#"<meta content="charset=windows-1251 x">"#,
        r#"<meta content="charset=windows-1251, x">"#,
        r#"<meta charset="windows-1251" content="charset=utf-8">"#,
        r#"<meta charset="nonsense"><meta charset="windows-1251"><meta charset="koi8-r">"#,
    ] {
        let page = page(named, cyrillic);
        assert_eq!(title("text/html", &page), "Привет", "{named}");
    }
    let utf_16 = page(r#"<meta charset="utf-16">"#, "é".as_bytes());
    assert_eq!(title("text/html", &utf_16), "é");
    let bom = [&b"\xef\xbb\xbf"[..], &page(meta, "Привет".as_bytes())].concat();
    assert_eq!(title("text/html", &bom), "Привет");
}

#[test]
fn invalid_bytes_hurt_nothing_but_themselves() {
    let mut page =
        html(&(row_of("A", "https://a.example/", "x?y") + &row_of("B", "https://b.example/", "z")))
            .into_bytes();
    let at = page.windows(3).position(|window| window == b"x?y").unwrap();
    page[at + 1] = 0xff;
    let page = Page::read(200, None, &page);
    assert_eq!(page.results[0].snippet, "x\u{fffd}y");
    assert_eq!(page.results[1].snippet, "z");
}

#[test]
fn names_and_quotes_may_be_written_in_any_way() {
    let page = read(
        "<DIV CLASS=result><A\nHREF='https://a.example/?a=1&b=2'\nCLASS='x\nresult__a'>A</A><a class=result__snippet href=x>s</a></DIV>",
    );
    assert_eq!(
        (&*page.results[0].url, &*page.results[0].snippet),
        ("https://a.example/?a=1&b=2", "s")
    );
}
