//! Every example ends well without an argument, on this machine alone, and tells what it did.

use std::{path::Path, process::Stdio};

use search_gate::SearchGate;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{example, run};

async fn says(name: &str, expected: &[&str]) {
    let ran = run(&mut example(name)).await;
    assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
    for line in expected {
        assert!(
            ran.stdout.contains(line),
            "{line} in {name}: {}",
            ran.stdout
        );
    }
}

#[tokio::test]
async fn web_search_tool_gives_json_and_sentences() {
    let expected = [
        r#""url": "https://site-1.example/"#,
        "Nothing was found. Try fewer or other words.",
        "The query cannot be searched for: the query is empty",
        "Nothing is wrong with the query: search again in 60 seconds, not before.",
    ];
    says("web_search_tool", &expected).await;
}

#[tokio::test]
async fn blocking_searches_from_two_threads() {
    let expected = ["tower middleware: 3 results", "pin projection: 3 results"];
    says("blocking", &expected).await;
}

#[tokio::test]
async fn gate_only_reads_two_pages_and_is_refused() {
    let expected = ["and 10 on the next page", "try again in 60 s"];
    says("gate_only", &expected).await;
}

#[tokio::test]
async fn cached_asks_once_for_the_same_and_keeps_no_empty_page() {
    let expected = [
        "five searches for the same, turns taken: 1",
        "two searches that find nothing, turns taken: 2",
    ];
    says("cached", &expected).await;
}

#[tokio::test]
async fn hyper_prints_all_results() {
    says("hyper", &["part 1\n", "part 10\n", "ads left out: 1"]).await;
}

#[tokio::test]
async fn reqwest_searches_and_passes_on() {
    let expected = ["part 3\n", "answered by http://127.0.0.1:", "ads in it: 0"];
    says("reqwest", &expected).await;
}

#[tokio::test]
async fn reqwest_012_goes_over_two_pages() {
    says("reqwest_012", &["\n20. tower middleware"]).await;
}

#[tokio::test]
async fn tonic_is_backed_off_by_trailers() {
    let expected = [
        "unary: about tower",
        "streamed: result 3 about tower",
        "in the trailers: ResourceExhausted: too many searches",
        "gate: closed for the next 60 s",
        "from the gate: ResourceExhausted: the search gate refused the request",
    ];
    says("tonic", &expected).await;
}

#[tokio::test]
async fn axum_asks_itself() {
    let expected = [
        "a search every 25ms: the provider is a stand-in",
        "search: 200 OK",
        "stream: 10 results as events",
        r#""queued":1"#,
        r#""queued":0"#,
        r#"search, while the gate backs off: 429 Too Many Requests, retry-after "60""#,
        r#"stream, while it does: 429 Too Many Requests, retry-after "60""#,
    ];
    says("axum", &expected).await;
}

#[tokio::test]
async fn shared_takes_turns_in_two_processes() {
    let expected = [
        "\n 0.00 s  process ",
        "process one, turn 3",
        "process two, turn 3",
        "0 in the queue",
    ];
    says("shared", &expected).await;
}

#[tokio::test]
async fn gate_status_shows_a_shared_gate_and_leaves_it_as_it_is() {
    let folder = std::env::temp_dir().join(format!("search-gate-status-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.gate");
    let missing = run(example("gate_status").arg(&path)).await;
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("a.gate"), "{}", missing.stderr);
    let elsewhere = run(example("gate_status").arg(path.join("b.gate"))).await;
    for says in [missing.stderr, elsewhere.stderr] {
        let times = says.to_lowercase().matches("no such file").count();
        assert_eq!(times, 1, "{says}");
        assert!(!says.contains("does not exist"), "{says}");
    }
    assert!(!path.exists());

    let gate = SearchGate::builder().shared_file_at(&path).build().unwrap();
    gate.throttled();
    let before = std::fs::read(&path).unwrap();
    let shown = run(example("gate_status").arg(&path)).await;
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let lines: Vec<_> = shown.stdout.lines().collect();
    assert!(
        lines[0].starts_with("next turn  in 5") || lines[0].starts_with("next turn  in 60"),
        "{lines:?}"
    );
    assert_eq!(lines[1], "queue      0");
    assert!(lines[2].ends_with(" s left, streak 1"), "{lines:?}");
    assert_eq!(lines[3], "interval   2.5 s");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn words_are_searched_for() {
    for (words, query) in [
        (&["two", "words"][..], "two words: "),
        (&["tea", "-milk", "-h"], "tea -milk -h: "),
        (&["--", "-h"], "-h: "),
    ] {
        let ran = run(example("hyper").args(words)).await;
        assert!(ran.stdout.starts_with(query), "{}", ran.stdout);
    }
}

#[tokio::test]
async fn every_example_tells_how_it_is_used() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = folder.read_dir().unwrap().map(|entry| {
        let name = entry.unwrap().path();
        name.file_stem().unwrap().to_str().unwrap().to_owned()
    });
    let names: Vec<_> = names.filter(|name| name != "common").collect();
    assert!(names.len() >= 12, "{names:?}");

    for name in names {
        let usage = format!("usage: cargo run --example {name}");
        for help in ["--help", "-h"] {
            let ran = run(example(&name).arg(help)).await;
            assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{name}");
            assert!(ran.stdout.starts_with(&usage), "{}", ran.stdout);
            assert!(!ran.stdout.contains("--\n"), "{}", ran.stdout);
        }

        let ran = run(example(&name).args(["-x", "tea"])).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{name}");
        assert!(
            ran.stderr.starts_with("there is no option -x; "),
            "{}",
            ran.stderr
        );

        let ran = run(example(&name).arg("--fast")).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{name}");
        let why = format!("there is no option --fast\n{usage}");
        assert!(ran.stderr.starts_with(&why), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn who_takes_no_words_says_so() {
    let ran = run(example("tonic").arg("serve")).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    assert!(ran.stderr.starts_with("there is no use for serve\n"));
}

#[tokio::test]
async fn tonics_server_stays_up_with_serve() {
    let mut server = example("tonic");
    server.arg("--serve").stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let url = line.strip_prefix("serving example.Search on ").unwrap();
    for _ in 0..2 {
        let endpoint = tonic::transport::Endpoint::from_shared(url.to_owned()).unwrap();
        endpoint.connect().await.unwrap();
    }
    assert_eq!(server.try_wait().unwrap(), None);
    server.kill().await.unwrap();
}
