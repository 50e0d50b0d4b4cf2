use super::super::edges::TagEnd;
use super::super::names::name;
use super::*;

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
