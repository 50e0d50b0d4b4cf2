//! Agrees with another parser on captured pages, where these are at hand.
//!
//! `SEARCH_GATE_PAGES` names a folder that holds the pages and `expected.jsonl`, a JSON line for each.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

#[test]
fn captured_pages_read_as_expected() {
    let Some(folder) = env::var_os("SEARCH_GATE_PAGES").map(PathBuf::from) else {
        println!("skipped: SEARCH_GATE_PAGES is not set");
        return;
    };
    let expected = fs::read_to_string(folder.join("expected.jsonl"))
        .expect("the folder has an expected.jsonl");
    let expected: Vec<Value> = expected
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!expected.is_empty());
    let files = expected
        .iter()
        .map(|page| folder.join(page["file"].as_str().unwrap()));
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--example", "read_page", "--"])
        .args(files)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let read: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(read.len(), expected.len());
    for (read, expected) in read.iter().zip(&expected) {
        for (field, value) in expected.as_object().unwrap() {
            let same = match field.as_str() {
                // How the text is put together is not fixed.
                "zero_click" => read[field].is_null() == value.is_null(),
                "file" => {
                    PathBuf::from(read[field].as_str().unwrap()).ends_with(value.as_str().unwrap())
                }
                _ => read[field] == *value,
            };
            assert!(
                same,
                "{}: {field} is {}, not {value}",
                expected["file"], read[field]
            );
        }
    }
}
