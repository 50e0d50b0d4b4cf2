//! Every example ends well without an argument, on this machine alone, and tells what it did.

use std::process::Stdio;

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
    says(
        "hyper",
        &["part 1\n", "part 10\n", "\n10 results, ads left out: 1\n"],
    )
    .await;
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
        "  come again in 60000 ms\n",
    ];
    says("tonic", &expected).await;
}

#[tokio::test]
async fn axum_asks_itself() {
    let expected = [
        "a search every 0.025 s: the provider is a stand-in",
        "search: 200 OK",
        "stream: 10 results as events",
        r#""queued":1"#,
        r#""queued":0"#,
        "search, while the gate backs off: 429 Too Many Requests, retry after 60 s",
        "stream, while it does: 429 Too Many Requests, retry after 60 s",
    ];
    says("axum", &expected).await;
}

#[tokio::test]
async fn shared_takes_turns_in_two_processes() {
    let expected = [
        ", a turn every 0.2 s, in seconds from the first:\n 0.00 s  process ",
        "process one, turn 3",
        "process two, turn 3",
        "\nnext turn in 0.",
        " s, 0 in the queue\n",
    ];
    says("shared", &expected).await;
}

#[tokio::test]
async fn nothing_found_is_told() {
    for (name, told) in [
        ("blocking", "nothing: 0 results\n"),
        ("cached", "0 results\n"),
        ("gate_only", "0 results:\n"),
        ("hyper", "0 results, "),
        ("reqwest", "0 results:\n"),
        ("reqwest_012", "0 results "),
    ] {
        let ran = run(example(name).arg("nothing")).await;
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{name}");
        assert!(ran.stdout.starts_with(told), "{name}: {}", ran.stdout);
    }
}

#[tokio::test]
async fn words_are_searched_for() {
    for (words, query) in [
        (&["two", "words"][..], "two words: "),
        (
            &["--", "tea", "-milk", "-sugar", "cup"],
            "tea -milk -sugar cup: ",
        ),
        (&["--", "-h"], "-h: "),
        (&["--", "--live", "-h"], "--live -h: "),
    ] {
        let ran = run(example("hyper").args(words)).await;
        assert!(ran.stdout.starts_with(query), "{}", ran.stdout);
    }
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
