use super::super::edges::TagEnd;
use super::super::names::name;
use super::*;
use lol_html::{HtmlRewriter, Settings, element};
use proptest::prelude::*;

#[test]
fn a_tag_ends_where_it_ends_in_one_piece_or_many() {
    for raw in [
        "<a>",
        "<a/>",
        "<a b>",
        "<a b=c>",
        "<a b=c/>",
        "<a b='>' c>",
        "<a b=\">'\"/c='>'>",
        "<a b = '>'>",
        "<a b=c'>",
        "<a b=cde='>",
        "<a b \n= '>'>",
        "<abc=\">",
        "<a =\">",
        "<a b=>",
        "<a / b=\"x\"y>",
        "</a b='>'>",
    ] {
        let more = format!("{raw} x='>'>");
        let whole = Tag::read(more.as_bytes()).map(|tag| tag.raw);
        assert_eq!(whole, Some(raw.as_bytes()), "{raw}");
        let mut end = TagEnd::default();
        let name = if raw.starts_with("</") { 2 } else { 1 };
        let pieces = more.as_bytes()[name..].chunks(1);
        let found = pieces
            .map(|piece| end.find(piece))
            .position(|end| end.is_some());
        assert_eq!(found.map(|at| name + at + 1), Some(raw.len()), "{raw}");
        for cut in 2..raw.len() {
            assert!(
                Tag::read(&raw.as_bytes()[..cut]).is_none(),
                "{raw} at {cut}"
            );
        }
    }
}

#[test]
fn attributes_are_read_as_a_browser_reads_them() {
    let tag = Tag::read(b"<DIV\nCLASS = 'a b'class=c/x hidden =y>").unwrap();
    assert_eq!(tag.name, name(b"div"));
    assert!(tag.has_class(b"b") && !tag.has_class(b"c") && tag.may_hide);
    let attrs: Vec<_> = tag.attrs().map(|(name, _)| name).collect();
    assert_eq!(attrs, [&b"CLASS"[..], b"class", b"hidden"]);
}

#[test]
fn a_plain_end_tag_is_what_any_tag_of_that_name_is_and_no_other_is_plain() {
    for raw in ["</a>", "</h2>", "</option>", "</section>"] {
        let more = format!("{raw} and more");
        let tag = Tag::read(more.as_bytes()).unwrap();
        let plain = plain_end(&more.as_bytes()[1..], tag.name);
        assert_eq!(plain, Some(tag.raw.len() - 1), "{raw}");
    }
    for (other, open) in [
        ("<a>       ", "a"),
        ("</a", "a"),
        ("</a >      ", "a"),
        ("</a/>      ", "a"),
        ("</ab>      ", "a"),
        ("</a>       ", "ab"),
        ("</b>       ", "a"),
        ("</ a>      ", "a"),
        ("</noscript>", "noscript"),
    ] {
        let plain = plain_end(&other.as_bytes()[1..], name(open.as_bytes()));
        assert_eq!(plain, None, "{other}");
    }
}

#[test]
fn usual_and_unusual_attributes_are_told_apart_and_the_first_of_a_name_counts() {
    let tag = Tag::read(b"<a class=\"x\" class='y' href=\"/a\" HREF=b id=c id=d>").unwrap();
    assert_eq!((tag.class, tag.href), (&b"x"[..], &b"/a"[..]));
    assert_eq!(tag.attr(b"id"), Some(&b"c"[..]));
    assert_eq!(
        tag.attrs_of([b"href", b"id", b"src"]),
        [Some(&b"/a"[..]), Some(b"c"), None]
    );
    let tag = Tag::read(b"<a class=\"x\"href=\"/a\">").unwrap();
    assert_eq!((tag.href, tag.attr(b"id")), (&b"/a"[..], None));
    assert!(Tag::read(b"<a class=\"x>").is_none());
}

/// The names and values of the first tag, as lol_html reads them.
fn by_lol_html(html: &str) -> Vec<(String, String)> {
    let mut attrs = Vec::new();
    let first = element!("a", |element| {
        if attrs.is_empty() {
            let read = element.attributes().iter();
            attrs = read.map(|attr| (attr.name(), attr.value())).collect();
        }
        Ok(())
    });
    let settings = Settings::new()
        .with_strict(false)
        .append_element_content_handler(first);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).unwrap();
    rewriter.end().unwrap();
    attrs
}

fn check_attributes(html: &str) {
    let expected = by_lol_html(html);
    let tag = Tag::read(html.as_bytes()).unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let read: Vec<_> = tag
        .attrs()
        .map(|(name, value)| (text(name).to_ascii_lowercase(), text(value)))
        .collect();
    assert_eq!(read, expected, "{html}");
    let first = |wanted: &str| {
        let found = expected.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_bytes())
    };
    assert_eq!(tag.class, first("class").unwrap_or_default(), "{html}");
    assert_eq!(tag.href, first("href").unwrap_or_default(), "{html}");
    assert_eq!(tag.src, first("src").unwrap_or_default(), "{html}");
    assert_eq!(tag.attr(b"id"), first("id"), "{html}");
    let hides = ["hidden", "aria-hidden", "style"];
    assert_eq!(
        tag.may_hide,
        hides.iter().any(|name| first(name).is_some()),
        "{html}"
    );
}

#[test]
fn attributes_are_those_that_lol_html_reads() {
    for html in [
        "<a>",
        "<a/>",
        "<a b c=d e='f' g=\"h\">",
        "<a  id = \"c\"  d>",
        "<a/b/id=d/e>",
        "<a =\"x\">",
        "<a =id=c>",
        "<a id=\"c\"class='e'f>",
        "<a id=>",
        "<a id=  >",
        "<a id\n=\t'\"' src=\"'\">",
        "<a id=c\"d hidden>",
        "<a href=x SRC=y Class=z style>",
        "<a alt=1 name=2 title=3 target=4 description=5>",
        "<a aria-hidden=false>",
        "<a id= class=x>",
        "<a\x0cid=1/>",
    ] {
        check_attributes(html);
    }
}

fn attributes() -> impl Strategy<Value = String> {
    let pieces = [
        " ",
        "\n",
        "/",
        "=",
        "=\"",
        "='",
        "\"",
        "'",
        " class",
        " href=\"",
        " class=\"",
        "src",
        "id",
        "\" ",
        "x",
        "ID",
        " hidden",
        "style",
        "aria-hidden",
        "&",
        "<",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..12)
        .prop_map(|pieces| format!("<a {}>\">'>", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn attributes_of_any_tag_are_those_that_lol_html_reads(html in attributes()) {
        check_attributes(&html);
    }
}

#[test]
fn names_are_alike_in_any_case_and_told_apart_by_each_letter() {
    let names = [
        "a",
        "b",
        "aa",
        "ab",
        "textarea",
        "xtextarea",
        "blockquoa",
        "blockquop",
        "blockquoq",
        "blockquot",
        "textareb",
        "noscript",
        "blockquote",
        "blockquotf",
        "clockquote",
        "blockquotes",
        "annotation-xml",
    ];
    for (i, one) in names.iter().enumerate() {
        let upper = one.to_ascii_uppercase();
        assert_eq!(name(one.as_bytes()), name(upper.as_bytes()));
        for other in &names[i + 1..] {
            assert_ne!(
                name(one.as_bytes()),
                name(other.as_bytes()),
                "{one} {other}"
            );
        }
        for raw in [
            format!("<{one}>"),
            format!("</{one}>"),
            format!("</{upper} x=y>"),
            format!("<{one}\n/>"),
        ] {
            assert_eq!(
                Tag::read(raw.as_bytes()).unwrap().name,
                name(one.as_bytes()),
                "{raw}"
            );
        }
    }
}
