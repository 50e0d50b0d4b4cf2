//! What `search` prints, and its exit codes.

use search_gate::testing::{StandIn, StandInBuilder, Throttle};
use serde_json::Value;

use crate::{Ran, example, run};

async fn search(arguments: &[&str]) -> Ran {
    run(example("search").args(arguments)).await
}

/// On a stand-in of ours.
async fn search_on(provider: StandInBuilder, arguments: &[&str]) -> (Ran, StandIn) {
    let provider = provider.start().await.unwrap();
    let mut command = example("search");
    command
        .args(["--base-url", &provider.url()])
        .args(arguments);
    (run(&mut command).await, provider)
}

#[tokio::test]
async fn found_is_0_and_only_results_are_on_standard_output() {
    let ran = search(&["--local", "tower", "middleware"]).await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let titles = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("tower middleware: "));
    assert_eq!(titles.count(), 10);
    assert_eq!(ran.stdout.lines().count(), 40);
}

#[tokio::test]
async fn json_is_a_line_for_each_result_of_all_pages() {
    let ran = search(&["--json", "--local", "--pages", "2", "tower"]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 20);
    let url = lines[19]["url"].as_str().unwrap();
    assert!(url.starts_with("https://site-20.example/"), "{url}");
}

#[tokio::test]
async fn options_reach_the_provider() {
    let arguments = [
        "--lite", "--region", "de-de", "--time", "week", "--", "tower", "-bridge",
    ];
    let (ran, provider) = search_on(StandIn::builder(), &arguments).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let log = provider.log();
    let asked = |name| log[0].field(name);
    assert_eq!(log[0].path, "/lite/");
    assert_eq!(asked("q"), Some("tower -bridge"));
    assert_eq!((asked("kl"), asked("df")), (Some("de-de"), Some("w")));
}

#[tokio::test]
async fn wrong_arguments_are_2_and_say_why() {
    for (arguments, why) in [
        (&["--local"][..], "were not provided:\n  <WORDS>...\n"),
        (&["--fast", "tower"], "unexpected argument '--fast' found"),
        (
            &["tower", "--pages"],
            "a value is required for '--pages <N>'",
        ),
        (
            &["--pages", "0", "tower"],
            "'0' for '--pages <N>': 0 is not in 1..",
        ),
        (
            &["--pages", "x", "tower"],
            "'x' for '--pages <N>': invalid digit",
        ),
        (
            &["--timeout", "-1", "tower"],
            "'-1' for '--timeout <SECONDS>': it takes seconds, as 60 or 2.5",
        ),
        (
            &["--timeout", "0", "tower"],
            "'0' for '--timeout <SECONDS>': it takes seconds, as 60 or 2.5",
        ),
        (
            &["--local", "--base-url", "http://127.0.0.1:1", "tower"],
            "'--local' cannot be used with '--base-url <URL>'\n\nUsage: cargo run --example search -- ",
        ),
        (&["--time", "once", "tower"], ": `once` is no time"),
        (
            &["--local", "--region=", "tower"],
            "a value is required for '--region <CODE>'",
        ),
        (
            &["--local", "tower", "-bridge"],
            "unexpected argument '-b' found\n\n  tip: to pass '-b' as a value, use '-- -b'",
        ),
        (
            &["--local", "--region", "en-us", "tower"],
            "but it has `us-en`",
        ),
        (&["--local", " "], "the query is empty"),
    ] {
        let ran = search(arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

#[tokio::test]
async fn a_challenge_is_3() {
    let throttling = StandIn::builder().throttle(Throttle::new().burst(0));
    for status in [202, 200] {
        let (ran, provider) =
            search_on(throttling.clone().refusal_status(status), &["tower"]).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(3), ""), "{}", ran.stderr);
        assert_eq!(provider.log().len(), 1);
    }
}

#[tokio::test]
async fn a_refusal_is_3() {
    // The second page's turn would come after its deadline.
    let arguments = ["--pages", "2", "--timeout", "1.5", "tower"];
    let (ran, provider) = search_on(StandIn::builder(), &arguments).await;
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 40, "the first page was given");
    let why = "the search gate refused the request: its turn would come after its deadline";
    assert!(ran.stderr.starts_with(why), "{}", ran.stderr);
    assert!(!ran.stderr.contains("code: "), "{}", ran.stderr);
    assert_eq!(provider.log().len(), 1);
}

#[tokio::test]
async fn timed_out_is_4() {
    let stalling = StandIn::builder().stall_after(100);
    let (ran, _) = search_on(stalling, &["--timeout", "0.5", "tower"]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(4), ""), "{}", ran.stderr);
}

#[tokio::test]
async fn nothing_found_is_5() {
    let (on_ours, _) = search_on(StandIn::builder().results(0), &["tower"]).await;
    for ran in [on_ours, search(&["--local", "nothing"]).await] {
        assert_eq!((ran.code, &*ran.stdout), (Some(5), ""));
        assert_eq!(ran.stderr, "nothing found\n");
    }
}

#[tokio::test]
async fn help_says_whom_it_asks_and_lists_the_exit_codes() {
    let help = search(&["--help"]).await.stdout;
    for expected in [
        "Searches on the live provider, unless it is given --local\n",
        "  0 found\n",
        "  6 page not recognised\n",
        "finds nothing for the word `nothing`",
    ] {
        assert!(help.contains(expected), "{expected} in {help}");
    }
}

#[tokio::test]
async fn a_page_that_is_not_recognised_is_6() {
    let page = ::axum::Router::new().route(
        "/lite/",
        ::axum::routing::any(|| async { ::axum::response::Html("<p>Under new management.</p>") }),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { ::axum::serve(listener, page).await });
    let ran = search(&["--lite", "--base-url", &url, "tower"]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(6), ""), "{}", ran.stderr);
}

#[tokio::test]
async fn nobody_there_is_1() {
    let ran = search(&["--lite", "--base-url", "http://127.0.0.1:1", "tower"]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert!(
        ran.stderr.contains("the request failed: "),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn a_machine_without_certificates_can_search_too() {
    let mut command = example("search");
    command
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent");
    let ran = run(command.args(["--local", "tower"])).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}
