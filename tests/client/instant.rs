//! Instant answers, asked for and as a fallback.

use http::Response;
use http_body_util::Full;
use search_gate::{
    InstantKind, PageKind,
    testing::{StandIn, Throttle},
};

use crate::{client, gate, page, paths, two_pages, unknown};

#[tokio::test]
async fn an_instant_answer_is_read_from_the_providers_json() {
    let provider = StandIn::builder()
        .instant(|query| (query == "tower bridge").then(|| "A bridge over a river.".to_owned()))
        .start()
        .await
        .unwrap();
    let ddg = client(&provider).user_agent("agent/1");
    let answer = ddg.instant_answer("tower bridge").await.unwrap();
    assert_eq!(answer.kind, InstantKind::Article);
    assert_eq!(answer.text.as_deref(), Some("A bridge over a river."));
    assert_eq!(
        answer.image.as_deref(),
        Some("https://duckduckgo.com/i/0123abcd.png")
    );
    let groups: Vec<_> = answer
        .topics
        .iter()
        .map(|topic| topic.group.as_deref())
        .collect();
    assert_eq!(groups, [None, Some("Elsewhere")]);

    let answer = ddg.instant_answer("something else").await.unwrap();
    assert!(answer.is_blank());
    let log = provider.log();
    assert_eq!(
        (log[0].path.as_str(), log[0].field("t")),
        ("/", Some("agent"))
    );
    assert_eq!(log[0].method, "GET");
}

#[tokio::test]
async fn instant_answers_take_turns_and_tell_a_throttle() {
    let throttling = StandIn::builder().throttle(Throttle::new().burst(0));
    let provider = throttling.start().await.unwrap();
    let gate = gate();
    let ddg = client(&provider).gate(gate.clone());
    assert!(ddg.instant_answer("tea").await.unwrap_err().is_throttled());
    assert!(ddg.instant_answer("tea").await.unwrap_err().is_refused());
    assert!(gate.backoff_left().is_some());
    assert!(ddg.instant_answer("").await.unwrap_err().is_query());
}

#[tokio::test(start_paused = true)]
async fn an_instant_answer_that_is_no_json_is_unrecognised() {
    for answer in [
        || page("<html>"),
        || Ok(Response::new(Full::from("oops"))),
        || Ok(Response::new(Full::from("[]"))),
        || Ok(Response::new(Full::from(vec![b' '; 2 << 20]))),
    ] {
        let (ddg, _) = two_pages(unknown, answer);
        let error = ddg.instant_answer("tea").await.unwrap_err();
        assert!(error.is_unrecognised(), "{error:?}");
    }
}

#[tokio::test]
async fn when_nothing_was_found_an_instant_answer_is_asked_for_if_that_is_wanted() {
    let provider = StandIn::builder()
        .throttle(Throttle::never())
        .results(0)
        .instant(|_| Some("A drink.".to_owned()))
        .start()
        .await
        .unwrap();
    let ddg = client(&provider);
    let page = ddg.search("tea").await.unwrap();
    assert!(page.zero_click.is_none());
    assert_eq!(paths(&provider), ["/html/"]);

    let page = ddg.instant_fallback(true).search("tea").await.unwrap();
    assert_eq!(page.kind, PageKind::NoResults);
    assert_eq!(page.zero_click.unwrap().text, "A drink.");
    assert_eq!(paths(&provider), ["/html/", "/html/", "/"]);
}

#[tokio::test]
async fn nothing_found_stays_so_when_the_instant_answer_is_throttled() {
    let provider = StandIn::builder()
        .throttle(Throttle::new().burst(1))
        .results(0)
        .start()
        .await
        .unwrap();
    let gate = gate();
    let ddg = client(&provider).gate(gate.clone()).instant_fallback(true);
    let page = ddg.search("tea").await.unwrap();
    assert_eq!(page.kind, PageKind::NoResults);
    assert!(page.zero_click.is_none());
    assert!(gate.backoff_left().is_some());
}
