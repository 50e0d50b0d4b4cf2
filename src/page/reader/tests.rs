//! That lists of options are passed over, of which nothing but the time tells.

use super::super::options::LONGEST_TAG;
use super::*;

const LIST: &str = "<option value=\"a\">b</option><option>c";
const ROW: &str =
    r#"<div class="result"><a class="result__a" href="https://a.example/">a</a></div>"#;

/// How many bytes of the page are passed over.
fn passed(limits: Limits, pieces: &[&str]) -> usize {
    let mut reader = PageReader::new().limits(limits);
    for piece in pieces {
        reader.parse(piece.as_bytes());
    }
    reader.end();
    assert_eq!(reader.stopped(), None);
    usize::try_from(lock(&reader.0.shared).passed).unwrap()
}

#[test]
fn lists_of_options_above_the_results_are_passed_over() {
    let list = format!("<select>{LIST}</select>");
    for (page, times) in [
        (list.clone(), 1),
        (format!("{list}{list}{ROW}"), 2),
        (format!("<form>{list}</form><p>{list}</p>{ROW}"), 2),
        (format!("<p><!--{list}-->"), 0),
        (format!("<div title='{list}'>"), 0),
        (format!("<select><b>{list}"), 1),
        (format!("<b>{LIST}</select>"), 0),
    ] {
        let length = passed(Limits::default(), &[&page]);
        assert_eq!(length, times * LIST.len(), "{page}");
    }
    assert_eq!(passed(Limits::default(), &[ROW, &list]), 0);
}

#[test]
fn lists_that_could_pass_a_bound_are_parsed() {
    let page = format!("<p><select>{LIST}</select>");
    for (limits, length) in [
        (Limits::default().depth(3), LIST.len()),
        (Limits::default().tag_bytes(LONGEST_TAG + 1), LIST.len()),
        (Limits::default().tag_bytes(LONGEST_TAG), 0),
    ] {
        assert_eq!(passed(limits, &[&page]), length);
    }
}
