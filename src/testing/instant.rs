//! Instant answers after the provider's: the same names, the same unsteady types.

use serde_json::{Value, json};

/// As the provider calls its JSON.
pub(super) const CONTENT_TYPE: &str = "application/x-javascript";

/// The answer to `query`: blank without a text.
pub(super) fn answer(query: &str, text: Option<String>) -> String {
    let known = text.is_some();
    let only_known = |value: Value| if known { value } else { json!("") };
    json!({
        "Abstract": text,
        "AbstractSource": only_known(json!("Reference")),
        "AbstractText": text.unwrap_or_default(),
        "AbstractURL": only_known(json!("https://reference.example/entry")),
        "Answer": "",
        "AnswerType": "",
        "Definition": "",
        "DefinitionSource": "",
        "DefinitionURL": "",
        "Entity": "",
        "Heading": only_known(json!(query)),
        "Image": only_known(json!("/i/0123abcd.png")),
        "ImageHeight": only_known(json!(200)),
        "ImageIsLogo": only_known(json!(0)),
        "ImageWidth": only_known(json!(300)),
        "Infobox": "",
        "Redirect": "",
        "RelatedTopics": match known {
            true => json!([
                {
                    "FirstURL": "https://duckduckgo.com/Another_entry",
                    "Icon": {"Height": "", "URL": "", "Width": ""},
                    "Result": "<a href=\"https://duckduckgo.com/Another_entry\">Another entry</a>",
                    "Text": "Another entry - something like it.",
                },
                {"Name": "Elsewhere", "Topics": [
                    {"FirstURL": "https://duckduckgo.com/d/Elsewhere", "Icon": {}, "Result": "", "Text": "A third entry"},
                ]},
            ]),
            false => json!([]),
        },
        "Results": [],
        "Type": only_known(json!("A")),
        "meta": null,
    })
    .to_string()
}
