use super::*;
use encoding_rs::UTF_8;

fn empty(limit: usize) -> Text {
    let mut text = Text::default();
    text.clear(limit);
    text
}

fn text(nodes: &[&str]) -> String {
    let mut text = empty(100);
    for node in nodes {
        text.node(node.as_bytes(), UTF_8);
    }
    text.take(100).0
}

#[test]
fn white_space_collapses_over_nodes() {
    assert_eq!(text(&["  a ", " b\n", "c  d "]), "a b c d");
    assert_eq!(text(&["a", "b"]), "ab");
    assert_eq!(text(&["a&nbsp;", "\u{a0} b\u{3000}c"]), "a b c");
    assert_eq!(text(&[" ", "a"]), "a");
}

#[test]
fn each_node_is_decoded_on_its_own() {
    assert_eq!(text(&["&am", "p; &lt;&amp;lt;"]), "&amp; <&lt;");
}

#[test]
fn bold_ranges_hold_the_words_and_not_the_blanks_around_them() {
    let mut text = empty(100);
    text.push("a ");
    text.bold();
    text.push(" b c ");
    text.bold_ends();
    text.push("d");
    let (text, bold) = text.take(100);
    assert_eq!(
        bold.iter()
            .map(|range| &text[range.clone()])
            .collect::<Vec<_>>(),
        ["b c"]
    );
}

#[test]
fn bold_in_bold_is_one_range() {
    let mut text = empty(100);
    text.bold();
    text.push("a");
    text.bold();
    text.push("b");
    text.bold_ends();
    text.push("c");
    text.bold_ends();
    text.push("d");
    let (text, bold) = text.take(100);
    let bold: Vec<_> = bold.into_iter().map(|range| &text[range]).collect();
    assert_eq!((&*text, bold), ("abcd", vec!["abc"]));
}

#[test]
fn a_text_is_cut_at_its_limit_between_characters() {
    for (node, cut) in [
        ("aäää more", "aää"),
        ("aäää", "aää"),
        ("aaaa b", "aaaa"),
        ("aaa äb", "aaa"),
        ("aa b c", "aa b"),
        ("aa  b &amp; c", "aa b"),
    ] {
        let mut text = empty(5);
        text.bold();
        text.node(node.as_bytes(), UTF_8);
        text.node(b"more", UTF_8);
        let (read, bold) = text.take(5);
        let bold: Vec<_> = bold.into_iter().map(|range| &read[range]).collect();
        assert_eq!((&*read, bold), (cut, vec![cut]), "{node}");
    }
    let mut text = empty(5);
    text.push("aaaa");
    text.bold();
    text.push(" b");
    assert_eq!(text.take(5), ("aaaa".to_owned(), vec![]));
}

#[test]
fn plain_texts_and_others_come_to_the_same() {
    for (node, read) in [
        ("a b", "a b"),
        (" a b ", "a b"),
        ("a  b", "a b"),
        ("a&#32;", "a"),
        ("&#32;a", "a"),
        ("a &#32; b", "a b"),
        ("a\u{e3}b \u{3042}", "a\u{e3}b \u{3042}"),
        ("\u{3042}\u{3000} b", "\u{3042} b"),
        ("", ""),
        (" ", ""),
    ] {
        assert_eq!(text(&[node]), read, "{node:?}");
        let around = text(&["x", node, "y"]);
        let gaps = text(&["x", &node.replace(' ', "\n"), "y"]);
        assert_eq!(around, gaps, "{node:?}");
    }
}
