//! The stand-in over real connections on loopback: pages and refusals.

use crate::support::{client, number_of, post, send, text};
use http::{Method, header};
use search_gate::testing::{Entry, Outcome, Row, StandIn, StandInBuilder, Throttle};
use std::io::ErrorKind;
use std::time::Duration;

#[tokio::test]
async fn a_post_gets_direct_links_and_a_get_wrapped_ones() {
    let provider = StandIn::builder().ads(2).start().await.unwrap();
    let client = client();

    let response = send(
        &client,
        Method::POST,
        &provider.html_endpoint(),
        "q=blue+tea&b=",
    )
    .await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "text/html; charset=UTF-8"
    );
    assert!(response.headers().contains_key(header::CONTENT_LENGTH));
    let page = text(response).await;
    assert_eq!(number_of("web-result", &page), 10);
    assert_eq!(number_of("results_links_deep result--ad ", &page), 2);
    assert!(page.contains(r#"class="result__a" href="https://site-1.example/read-me/1%2Cb?topic=blue+tea&amp;part=1">"#));
    assert!(page.contains("href=\"https://duckduckgo.com/y.js?ad_domain=shop-1.example&amp;"));
    assert!(!page.contains("uddg="));

    let response = send(
        &client,
        Method::GET,
        &format!("{}?q=blue+tea", provider.html_endpoint()),
        "",
    )
    .await;
    let page = text(response).await;
    assert!(page.contains(r#"href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fsite%2D1.example%2Fread%2Dme%2F1%252Cb%3Ftopic%3Dblue%2Btea%26part%3D1&amp;rut="#));
    assert!(page.contains(
        r#"href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain"#
    ));
    assert!(!page.contains("href=\"https://site-1"));
}

#[tokio::test]
async fn the_query_is_echoed_escaped() {
    let provider = StandIn::start().await.unwrap();
    let (_, page) = post(&client(), &provider, "q=%22a%22+%3Cb%3E+%26+c").await;
    assert!(page.contains("<title>\"a\" &lt;b&gt; &amp; c at DuckDuckGo</title>"));
    assert!(page.contains("value=\"&quot;a&quot; &lt;b&gt; &amp; c\""));
    assert!(!page.contains("<title>\"a\" <b>"));
}

#[tokio::test]
async fn the_lite_page_has_its_own_markup() {
    let provider = StandIn::builder().ads(1).start().await.unwrap();
    let page = text(send(&client(), Method::POST, &provider.lite_endpoint(), "q=tea").await).await;
    assert_eq!(number_of("class='result-link'", &page), 11);
    assert_eq!(number_of("<tr class=\"result-sponsored\">", &page), 3);
    assert_eq!(number_of("<form class=\"next_form\"", &page), 2);
    assert!(!page.contains("web-result"));
}

#[tokio::test]
async fn the_eleventh_of_a_burst_is_refused_with_a_challenge() {
    let provider = StandIn::start().await.unwrap();
    let client = client();
    for _ in 0..10 {
        assert_eq!(post(&client, &provider, "q=tea").await.0, 200);
    }
    let (status, page) = post(&client, &provider, "q=tea").await;
    assert_eq!(status, 202);
    assert!(
        page.contains("<form id=\"challenge-form\" action=\"//duckduckgo.com/anomaly.js?sv=html&")
    );
    assert!(!page.contains("web-result"));

    // Over all endpoints alike.
    let lite = send(&client, Method::POST, &provider.lite_endpoint(), "q=tea").await;
    assert_eq!(lite.status(), 202);
    assert!(
        provider
            .refused_for()
            .is_some_and(|left| left <= Duration::from_secs(46))
    );

    provider.reset();
    assert_eq!(provider.refused_for(), None);
    assert_eq!(post(&client, &provider, "q=tea").await.0, 200);
    assert_eq!(
        (
            provider.count(Outcome::Answered),
            provider.count(Outcome::Refused)
        ),
        (11, 2)
    );
}

#[tokio::test]
async fn a_refusal_ends_by_itself_in_scaled_time() {
    let provider = StandIn::builder()
        .throttle(Throttle::new().burst(1).run_gap(Duration::from_secs(45)))
        .time_scale(0.001)
        .start()
        .await
        .unwrap();
    let client = client();
    assert_eq!(post(&client, &provider, "q=tea").await.0, 200);
    while post(&client, &provider, "q=tea").await.0 != 200 {}

    // However late this machine is, no answer comes before the refusal, or the run, is over.
    let log = provider.log();
    let answered = |entry: &&Entry| entry.outcome == Outcome::Answered;
    let answers: Vec<_> = log.iter().filter(answered).map(|entry| entry.at).collect();
    assert_eq!(answers.len(), 2);
    let over = Duration::from_secs(if log.len() > 2 { 46 } else { 45 });
    assert!(answers[1] - answers[0] >= over, "{answers:?}");
}

#[tokio::test]
async fn a_refusal_can_have_any_status_and_a_retry_after() {
    let provider = StandIn::builder()
        .throttle(Throttle::new().burst(0))
        .refusal_status(200)
        .retry_after(Duration::from_secs(90))
        .start()
        .await
        .unwrap();
    let response = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea").await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[header::RETRY_AFTER], "90");
    assert!(text(response).await.contains("challenge-form"));
}

#[tokio::test]
async fn the_next_form_leads_through_the_pages_to_the_last() {
    let provider = StandIn::builder()
        .results(4)
        .ads(1)
        .pages(2)
        .start()
        .await
        .unwrap();
    let client = client();
    let (_, first) = post(&client, &provider, "q=tea&b=&kl=de-de&df=w").await;
    for field in [
        "name=\"q\" value=\"tea\"",
        "name=\"s\" value=\"4\"",
        "name=\"dc\" value=\"6\"",
        "name=\"kl\" value=\"de-de\"",
        "name=\"df\" value=\"w\"",
    ] {
        assert!(
            first.contains(&format!("<input type=\"hidden\" {field} />")),
            "{field}"
        );
    }
    let (_, second) = post(&client, &provider, "q=tea&s=4&dc=6").await;
    assert!(
        second.contains("part 5</a>")
            && second.contains("part 8</a>")
            && !second.contains("part 4</a>")
    );
    assert!(!second.contains("nav-link"));
    let (_, beyond) = post(&client, &provider, "q=tea&s=8").await;
    assert!(beyond.contains("result--no-result") && beyond.contains("No more results found for"));
}

#[tokio::test]
async fn a_test_can_give_its_own_results() {
    let provider = StandIn::builder()
        .page(|page| match page.query() {
            "nothing" => page.results(0),
            _ => page.with_rows([Row::new("Mine", "https://mine.example/").snippet("Only tea.")]),
        })
        .start()
        .await
        .unwrap();
    let client = client();
    let (_, page) = post(&client, &provider, "q=tea").await;
    assert!(
        page.contains("href=\"https://mine.example/\">Mine</a>")
            && page.contains("Only <b>tea</b>.")
    );
    assert_eq!(number_of("web-result", &page), 1);
    let (status, page) = post(&client, &provider, "q=nothing").await;
    assert_eq!(status, 200);
    assert!(page.contains("No results found for <strong>nothing</strong>"));
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused_at_the_start() {
    for builder in [
        StandIn::builder().time_scale(0.0),
        StandIn::builder().time_scale(-1.0),
        StandIn::builder().time_scale(f64::NAN),
        StandIn::builder().refusal_status(99),
        StandIn::builder().refusal_status(204),
        StandIn::builder().chunks(0, Duration::ZERO),
    ] {
        assert_eq!(
            builder.start().await.unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
    }
}

#[tokio::test]
async fn an_answer_takes_as_long_as_it_is_told() {
    let latency = Duration::from_secs(3);
    let provider = StandIn::builder()
        .latency(latency)
        .time_scale(0.01)
        .start()
        .await
        .unwrap();
    let before = tokio::time::Instant::now();
    assert_eq!(post(&client(), &provider, "q=tea").await.0, 200);
    assert!(before.elapsed() >= provider.scaled(latency));
    assert_eq!(provider.scaled(latency), Duration::from_millis(30));
}

#[test]
fn it_crosses_threads_and_so_does_its_start() {
    fn check<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    fn check_future(_: impl Future + Send + 'static) {}
    check::<StandIn>();
    check::<StandInBuilder>();
    check::<Entry>();
    check_future(StandIn::start());
}
