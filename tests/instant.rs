//! Instant answers whose types are not what they should be.

use search_gate::{InstantAnswer, InstantKind};
use std::error::Error;

fn read(json: &str) -> InstantAnswer {
    InstantAnswer::read(json.as_bytes()).unwrap()
}

#[test]
fn what_has_another_type_than_it_should_is_left_out() {
    let answer = read(
        r#"{"Type": 7, "Heading": null, "AbstractText": {"a": 1}, "AbstractURL": "", "Answer": {"from": "calc"},
            "Image": 0, "ImageWidth": "", "Infobox": {"content": []}, "RelatedTopics": "", "Results": {"FirstURL": "https://a.example/"}}"#,
    );
    assert_eq!(answer, InstantAnswer::default());
    assert!(answer.is_blank());
    assert_eq!(read("{}"), InstantAnswer::default());
}

#[test]
fn topics_in_groups_and_out_of_them_are_read_in_their_order() {
    let answer = read(
        r#"{"Type": "D", "RelatedTopics": [
            {"FirstURL": "https://duckduckgo.com/One", "Text": " One \n thing ", "Icon": {"Height": ""}},
            {"Name": "Group", "Topics": [{"FirstURL": "/Two", "Text": "Two"}, {"Name": "Inner", "Topics": []}]},
            {"Text": "leads nowhere"}, 5, null,
            {"FirstURL": "javascript:alert(1)", "Text": "no"},
            {"FirstURL": "https://duckduckgo.com/Three"}
        ]}"#,
    );
    assert_eq!(answer.kind, InstantKind::Disambiguation);
    let topics: Vec<_> = answer
        .topics
        .iter()
        .map(|topic| (&*topic.text, &*topic.url, topic.group.as_deref()))
        .collect();
    assert_eq!(
        topics,
        [
            ("One thing", "https://duckduckgo.com/One", None),
            ("Two", "https://duckduckgo.com/Two", Some("Group")),
            ("", "https://duckduckgo.com/Three", None),
        ]
    );
}

#[test]
fn each_part_is_read_and_makes_an_answer_that_is_not_blank() {
    for (kind, read_as) in [
        ("A", InstantKind::Article),
        ("D", InstantKind::Disambiguation),
        ("C", InstantKind::Category),
        ("N", InstantKind::Name),
        ("E", InstantKind::Exclusive),
        ("", InstantKind::Other),
        ("a", InstantKind::Other),
    ] {
        let answer = read(&format!(r#"{{"Type": "{kind}"}}"#));
        assert_eq!(answer.kind, read_as);
        assert!(answer.is_blank(), "{kind}");
    }
    type Part = fn(InstantAnswer) -> Option<String>;
    let parts: [(&str, Part, bool); 9] = [
        ("Heading", |answer| answer.heading, true),
        ("AbstractText", |answer| answer.text, false),
        ("AbstractSource", |answer| answer.source, true),
        ("AbstractURL", |answer| answer.url, true),
        ("Image", |answer| answer.image, true),
        ("Answer", |answer| answer.answer, false),
        ("AnswerType", |answer| answer.answer_type, true),
        ("Definition", |answer| answer.definition, false),
        ("Redirect", |answer| answer.redirect, false),
    ];
    for (name, part, blank) in parts {
        let answer = read(&format!(r#"{{"{name}": " https://a.example/b "}}"#));
        assert_eq!(answer.is_blank(), blank, "{name}");
        assert_eq!(part(answer).as_deref(), Some("https://a.example/b"));
        let nothing = read(&format!(r#"{{"{name}": "  "}}"#));
        assert!(nothing.is_blank());
        assert_eq!(part(nothing), None, "{name}");
    }
    for list in ["Results", "RelatedTopics"] {
        let answer = read(&format!(r#"{{"{list}": [{{"FirstURL": "/x"}}]}}"#));
        assert!(!answer.is_blank(), "{list}");
        assert_eq!(answer.results.len() + answer.topics.len(), 1);
    }
}

#[test]
fn a_zero_click_box_has_all_that_goes_with_its_text() {
    let zero = read(
        r#"{"Heading": "h", "AbstractText": "t", "AbstractSource": "s", "AbstractURL": "/u", "Image": "/i"}"#,
    );
    let zero = zero.into_zero_click().unwrap();
    assert_eq!(
        (zero.heading.as_deref(), &*zero.text, zero.source.as_deref()),
        (Some("h"), "t", Some("s"))
    );
    assert_eq!(zero.url.as_deref(), Some("https://duckduckgo.com/u"));
    assert_eq!(zero.image.as_deref(), Some("https://duckduckgo.com/i"));
    let own = r#"{"Answer": "a", "AnswerType": "user_agent", "Definition": "d"}"#;
    assert_eq!(read(own).into_zero_click().unwrap().text, "d");
}

#[test]
fn groups_stand_in_no_groups() {
    let answer = read(
        r#"{"RelatedTopics": [{"Name": "Outer", "Topics": [
            {"Name": "Inner", "FirstURL": "/a", "Topics": [{"FirstURL": "/b"}]}]}]}"#,
    );
    assert_eq!(answer.topics.len(), 1);
    assert_eq!(answer.topics[0].url, "https://duckduckgo.com/a");
    assert_eq!(answer.topics[0].group.as_deref(), Some("Outer"));
}

#[test]
fn an_error_tells_json_from_what_is_none() {
    let error = InstantAnswer::read(b"<html>").unwrap_err();
    assert!(error.to_string().ends_with("not JSON") && error.source().is_some());
    let error = InstantAnswer::read(b"[]").unwrap_err();
    assert!(error.to_string().ends_with("no object") && error.source().is_none());
}

#[test]
fn what_is_no_object_is_an_error_and_never_a_panic() {
    for bytes in ["", "[]", "null", "\"text\"", "{", "<html>", "{\"a\": 1} x"] {
        let error = InstantAnswer::read(bytes.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("the answer is"), "{bytes}");
    }
    InstantAnswer::read(&[0xff, 0xfe]).unwrap_err();
    InstantAnswer::read("[".repeat(100_000).as_bytes()).unwrap_err();
}

#[test]
fn more_topics_than_any_answer_has_are_not_read() {
    let topic = r#"{"FirstURL": "https://duckduckgo.com/x", "Text": "x"},"#;
    let json = format!(r#"{{"RelatedTopics": [{}null]}}"#, topic.repeat(5000));
    assert_eq!(read(&json).topics.len(), 1000);
}

#[test]
fn a_text_an_answer_or_a_definition_makes_a_zero_click_box() {
    let zero = |json| read(json).into_zero_click();
    let text = |json| zero(json).unwrap().text;
    assert_eq!(text(r#"{"AbstractText": "t", "Answer": "a"}"#), "t");
    assert_eq!(text(r#"{"Answer": "a", "AnswerType": "calc"}"#), "a");
    assert_eq!(text(r#"{"Definition": "d"}"#), "d");
    assert_eq!(zero(r#"{"Heading": "h"}"#), None);
    // It says where the asking machine is.
    assert_eq!(
        zero(r#"{"Answer": "Your IP address is …", "AnswerType": "ip"}"#),
        None
    );
}

#[test]
fn a_recorded_answer_is_read_where_one_is_at_hand() {
    let Some(pages) = std::env::var_os("SEARCH_GATE_PAGES") else {
        return;
    };
    let file = std::path::Path::new(&pages).join("api-category.json");
    let answer = InstantAnswer::read(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(answer.kind, InstantKind::Category);
    assert_eq!(answer.source.as_deref(), Some("Wikipedia"));
    assert!(answer.topics.len() > 5 && answer.text.is_none());
}
