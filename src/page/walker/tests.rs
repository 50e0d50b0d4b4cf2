//! The walker against lol_html.

use super::super::Stopped;
use super::super::feed::Feed;
use super::super::reading::Reading;
use super::super::state::lock;
use super::Walker;
use lol_html::{HtmlRewriter, Settings, element};
use proptest::prelude::*;

/// Where lol_html finds start tags when it captures all of them.
fn by_lol_html(page: &[u8]) -> Vec<u64> {
    let mut tags = Vec::new();
    let all = element!("*", |element| {
        tags.push(element.source_location().bytes().start as u64);
        Ok(())
    });
    let settings = Settings::new()
        .with_strict(false)
        .append_element_content_handler(all);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(page).unwrap();
    rewriter.end().unwrap();
    tags
}

fn by_walker(page: &[u8], size: usize) -> Vec<u64> {
    let mut feed = Feed::default();
    for piece in page.chunks(size) {
        feed.parse(piece);
    }
    feed.end();
    let core = lock(&feed.shared);
    assert!(matches!(core.stopped, None | Some(Stopped::NotHtml)));
    assert_eq!(core.walker.at, page.len() as u64);
    core.reading.tags.clone()
}

/// The walker without lol_html, which does not split its slices just anywhere.
fn by_walker_alone(page: &[u8], size: usize) -> Reading {
    let mut reading = Reading::default();
    let mut walker = Walker::default();
    for piece in page.chunks(size) {
        walker.stretch(piece, &mut reading).unwrap();
    }
    assert_eq!(walker.at, page.len() as u64);
    reading.finish();
    reading
}

fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "<a>",
        "</a>",
        "<a b='",
        "'>",
        "\">",
        "<div c=\"",
        "<p>",
        "</p>",
        "<br/>",
        "<form>",
        "</form>",
        "<i =>",
        "<b a=b/>",
        "<B\n>",
        "<!--",
        "-->",
        "--!>",
        "<!-->",
        "<!--->",
        "->",
        "-",
        "!",
        "<!x>",
        "<?y>",
        "</>",
        "</ >",
        "</div",
        "<",
        ">",
        "/",
        "=",
        "<<b>",
        "<title>",
        "</title>",
        "</TITLE >",
        "</titles>",
        "<style>",
        "</style/>",
        "<textarea>",
        "</textarea>",
        "<xmp>",
        "</xmp>",
        "<iframe>",
        "</iframe>",
        "<noscript>",
        "</noscript>",
        "<script>",
        "</script>",
        "<script><!--<script>",
        "<![CDATA[",
        "]]>",
        "x",
        " ",
        "&lt;",
        "<longer-name-than-eight>",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..25)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn finds_the_start_tags_that_lol_html_finds(page in soup(), size in 1..9_usize) {
        let expected = by_lol_html(page.as_bytes());
        prop_assert_eq!(&by_walker(page.as_bytes(), 4096), &expected);
        prop_assert_eq!(&by_walker(page.as_bytes(), size), &expected);
    }
}

#[test]
fn slices_may_end_anywhere() {
    for (page, tags) in [
        ("<style>a</select></styl></styles></style ><a>", 2),
        ("<title></a></titl></TITLE><a>", 2),
        ("<xmp></x</xmp/><a>", 2),
        ("<p></p='>'><a></a =\"><b>", 3),
        (
            "<svg><![CDATA[x]><b>]]><a><!x><![CDATA><b></svg><![CDATA[><a>",
            4,
        ),
        ("<!--!><a>--><b>", 1),
        ("<!---!><a>--><b>", 1),
        ("<!----!><a><b>", 2),
        ("<!---><a><!-- -><b>--><a>", 2),
        ("<!--x-- ><a>-!><a>--><b>", 1),
        ("<!--x--!><a><!--><b><!-x><a>< b><a></><b></ a><a>", 6),
    ] {
        let whole = by_walker_alone(page.as_bytes(), page.len()).tags;
        assert_eq!(whole.len(), tags, "{page}");
        assert_eq!(whole, by_lol_html(page.as_bytes()), "{page}");
        for size in 1..page.len() {
            assert_eq!(
                by_walker_alone(page.as_bytes(), size).tags,
                whole,
                "{page} in {size}"
            );
        }
    }
}

#[test]
fn a_less_than_sign_is_text_wherever_a_slice_ends() {
    let page = "<div class=result><a class=result__a href=//a.example>1 < 2 <3<<4&lt;<b>5</b><";
    for size in 1..page.len() {
        let reading = by_walker_alone(page.as_bytes(), size);
        assert_eq!(reading.results[0].title, "1 < 2 <3<<4<5", "in {size}");
    }
}
