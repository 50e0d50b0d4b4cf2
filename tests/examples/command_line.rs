//! What the examples have in common: how they tell what they take, how they fail, and how they end when nobody reads on.

use std::{io, path::Path, process::Stdio};

use search_gate::SearchGate;

use crate::{example, run};

fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = folder.read_dir().unwrap().map(|entry| {
        let name = entry.unwrap().path();
        name.file_stem().unwrap().to_str().unwrap().to_owned()
    });
    let names: Vec<_> = names.filter(|name| name != "common").collect();
    assert!(names.len() >= 12, "{names:?}");
    names
}

#[tokio::test]
async fn every_example_tells_what_it_does_and_takes() {
    for name in names() {
        for help in ["--help", "-h"] {
            let ran = run(example(&name).arg(help)).await;
            assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{name}");
            let (does, takes) = ran.stdout.split_once("\n\n").unwrap();
            assert!(does.contains(' '), "{name}: {does}");
            let usage = format!("Usage: cargo run --example {name}");
            assert!(takes.starts_with(&usage), "{takes}");
            assert!(!takes.contains("--\n"), "{takes}");
            assert!(takes.contains("\n  -h, --help "), "{takes}");
        }
    }
}

#[tokio::test]
async fn options_that_are_none_are_2() {
    for name in names() {
        let ran = run(example(&name).args(["-x", "tea"])).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{name}");
        let why = "error: unexpected argument '-x' found\n";
        assert!(ran.stderr.starts_with(why), "{}", ran.stderr);

        for option in ["--fast", "--fast=very"] {
            let ran = run(example(&name).arg(option)).await;
            assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{name}");
            let why = "error: unexpected argument '--fast' found\n";
            assert!(ran.stderr.starts_with(why), "{}", ran.stderr);
            let usage = format!("\nUsage: cargo run --example {name}");
            assert!(ran.stderr.contains(&usage), "{}", ran.stderr);
        }
    }
}

#[tokio::test]
async fn values_of_options_stand_behind_them_or_behind_a_sign() {
    for (name, arguments, why) in [
        (
            "demo",
            &["--svg", "--real-time"][..],
            "a value is required for '--svg <FILE>'",
        ),
        ("demo", &["--svg"], "a value is required for '--svg <FILE>'"),
        (
            "demo",
            &["--svg="],
            "a value is required for '--svg <FILE>'",
        ),
        (
            "demo",
            &["--real-time=1"],
            "unexpected value '1' for '--real-time'",
        ),
        (
            "hyper",
            &["--live=1", "tea"],
            "unexpected value '1' for '--live'",
        ),
        (
            "search",
            &["--pages=x", "tea"],
            "invalid value 'x' for '--pages <N>'",
        ),
        (
            "search",
            &["--time=--lite", "tea"],
            "invalid value '--lite' for '--time <TIME>': `--lite` is no",
        ),
    ] {
        let ran = run(example(name).args(arguments)).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{arguments:?}");
        let told = ran.stderr.strip_prefix("error: ").unwrap();
        assert!(told.starts_with(why), "{told}");
    }
    assert!(!Path::new("--real-time").exists());
}

#[tokio::test]
async fn who_takes_no_words_says_so() {
    let ran = run(example("tonic").arg("serve")).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    let why = "error: unexpected argument 'serve' found\n";
    assert!(ran.stderr.starts_with(why), "{}", ran.stderr);
}

#[tokio::test]
async fn who_fails_ends_in_a_sentence_that_has_the_cause() {
    let cause = "the query is empty: there must be something to search for";
    let whole = &*format!("Error: the query cannot be sent: {cause}\n");
    let by_hand = &*format!("Error: {cause}\n");
    let told = &*format!("Error: The query cannot be searched for: {cause}.\n");
    for (name, error) in [
        ("blocking", whole),
        ("cached", whole),
        ("reqwest", whole),
        ("reqwest_012", whole),
        ("gate_only", by_hand),
        ("hyper", by_hand),
        ("web_search_tool", told),
    ] {
        let ran = run(example(name).arg("")).await;
        assert_eq!((ran.code, &*ran.stderr), (Some(1), error), "{name}");
        assert_eq!(ran.stdout, "", "{name}");
    }
}

#[tokio::test]
async fn shared_fails_where_a_process_of_its_own_does() {
    let mut shared = example("shared");
    // To these it is one of its own.
    shared.env("SEARCH_GATE_EXAMPLE_NAME", "three");
    shared.env("SEARCH_GATE_EXAMPLE_PATH", "/nonexistent/a.gate");
    let ran = run(&mut shared).await;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("Error: "), "{}", ran.stderr);
    assert!(!ran.stderr.contains(['"', '{']), "{}", ran.stderr);
}

/// The end of a pipe whose other end is gone.
fn unread() -> Stdio {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[tokio::test]
async fn all_end_well_when_nobody_reads_on() {
    let folder = std::env::temp_dir().join(format!("search-gate-unread-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let gate = folder.join("a.gate");
    SearchGate::builder().shared_file_at(&gate).build().unwrap();
    let page = folder.join("a.html");
    std::fs::write(
        &page,
        search_gate::testing::ResultPage::new("tea").to_html(),
    )
    .unwrap();

    for name in names() {
        let mut command = example(&name);
        match &*name {
            "gate_status" => command.arg("--watch").arg(&gate),
            "read_page" => command.args([&page, &page]),
            "search" => command.args(["--local", "tea"]),
            _ => &mut command,
        };
        for help in [false, true] {
            if help {
                command.arg("--help");
            }
            let output = command.stdout(unread()).stderr(Stdio::piped()).spawn();
            let output = output.unwrap().wait_with_output().await.unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{name}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn codes_stay_the_same_when_nobody_reads_the_errors() {
    for (name, arguments, code) in [
        ("demo", &["--fast"][..], 2),
        ("hyper", &[""], 1),
        ("read_page", &["/nonexistent"], 1),
        ("search", &["--local", "nothing"], 5),
        ("search", &["--local", ""], 2),
    ] {
        let mut command = example(name);
        let ran = command
            .args(arguments)
            .stderr(unread())
            .stdout(Stdio::null());
        let status = ran.status().await.unwrap();
        assert_eq!(status.code(), Some(code), "{name} {arguments:?}");
    }
}
