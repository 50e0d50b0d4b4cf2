//! Instant answers whose types are not what they should be.

use search_gate::{InstantAnswer, InstantKind};

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
