//! One search: what is sent, and what each failure is.

use std::{error::Error as StdError, time::Duration};

use futures_util::StreamExt;
use http::StatusCode;
use search_gate::{
    BACKOFF, Cause, DuckDuckGo, MAX_QUERY_CHARS, PageKind, Query, QueryError, SafeSearch,
    SearchGate, SearchGateLayer,
    testing::{StandIn, Throttle},
};

use crate::{client, gate, provider};

#[tokio::test]
async fn a_search_is_one_call() {
    let provider = StandIn::builder().ads(2).start().await.unwrap();
    let page = client(&provider).search("tower middleware").await.unwrap();

    assert_eq!(page.results.len(), 10);
    assert_eq!(page.ads_dropped, 2);
    let log = provider.log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].method, "POST");
    assert_eq!(log[0].headers["accept-encoding"], "zstd,gzip,deflate,br");
}

#[tokio::test]
async fn what_a_query_does_not_set_is_the_clients() {
    let provider = provider().await;
    let ddg = client(&provider)
        .user_agent("agent/1")
        .region("de-de")
        .safe_search(SafeSearch::Strict);
    ddg.search("tea").await.unwrap();
    let query = Query::new("tea").user_agent("other/2").region("fr-fr");
    ddg.search(query.safe_search(SafeSearch::Off))
        .await
        .unwrap();

    let log = provider.log();
    let asked = |i: usize| {
        let entry = &log[i];
        let agent = entry.headers["user-agent"].to_str().unwrap().to_owned();
        (agent, entry.field("kl"), entry.field("kp"))
    };
    assert_eq!(asked(0), ("agent/1".into(), Some("de-de"), Some("1")));
    assert_eq!(asked(1), ("other/2".into(), Some("fr-fr"), Some("-2")));
}

#[tokio::test]
async fn a_search_can_be_spawned_and_outlive_its_client() {
    let provider = provider().await;
    let search = client(&provider).search("tea");
    let page = tokio::spawn(search).await.unwrap().unwrap();
    assert_eq!(page.kind, PageKind::Results);
}

#[tokio::test]
async fn a_query_that_cannot_be_sent_is_an_error_that_says_so_and_takes_no_turn() {
    let provider = provider().await;
    let gate = gate();
    let ddg = client(&provider).gate(gate.clone());
    for query in [String::new(), "x".repeat(MAX_QUERY_CHARS + 1)] {
        let error = ddg.search(query.clone()).await.unwrap_err();
        assert!(error.is_query(), "{error:?}");
        assert!(error.source().unwrap().is::<QueryError>());
        let error = ddg.results(query).next().await.unwrap().unwrap_err();
        assert!(error.is_query(), "{error:?}");
    }
    assert_eq!(gate.snapshot().counts.granted, 0);
}

#[tokio::test]
async fn nothing_found_is_a_page_and_no_error() {
    let provider = StandIn::builder().results(0).start().await.unwrap();
    let page = client(&provider).search("tea").await.unwrap();
    assert_eq!((page.kind, page.results.len()), (PageKind::NoResults, 0));
    assert_eq!(client(&provider).results("tea").count().await, 0);
}

#[tokio::test]
async fn refused_throttled_challenged_unrecognised_timed_out_and_broken_are_told_apart() {
    // Throttled by the status, then refused with when to come again.
    let throttling = StandIn::builder().throttle(Throttle::new().burst(0));
    let provider = throttling.start().await.unwrap();
    let ddg = client(&provider);
    let error = ddg.search("tea").await.unwrap_err();
    assert_eq!(
        error.throttled_by(),
        Some(Cause::Status(StatusCode::ACCEPTED))
    );
    assert!(error.retry_after().unwrap() > BACKOFF / 2);
    let error = ddg.search("tea").await.unwrap_err();
    assert!(error.is_refused());
    assert!(error.retry_after().unwrap() > BACKOFF / 2);
    assert_eq!(provider.log().len(), 1, "a throttle ends the search");

    // A challenge under status 200.
    let throttling = StandIn::builder().throttle(Throttle::new().burst(0));
    let provider = throttling.refusal_status(200).start().await.unwrap();
    let error = client(&provider).search("tea").await.unwrap_err();
    assert_eq!(error.throttled_by(), Some(Cause::Challenge));
    assert_eq!(provider.log().len(), 1);

    // Time-outs, of the search and of the request.
    let provider = StandIn::builder().stall_after(100).start().await.unwrap();
    let ddg = client(&provider).budget(Duration::from_millis(100));
    let error = ddg.search("tea").await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    let layer = SearchGateLayer::builder().gate(gate());
    let layer = layer.request_limit(Duration::from_millis(100));
    let ddg = client(&provider).layer(&layer.build().unwrap());
    let error = ddg.search("tea").await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(provider.log().len(), 2, "a timeout ends the search");

    // Nobody listens any more.
    let ddg = client(&provider);
    provider.shutdown().await;
    let error = ddg.search("tea").await.unwrap_err();
    assert!(error.is_transport(), "{error:?}");
    let source = error.source().unwrap();
    let source = source.downcast_ref::<hyper_util::client::legacy::Error>();
    assert!(source.unwrap().is_connect());
}

#[tokio::test]
async fn a_search_that_would_start_past_its_budget_is_refused_at_once() {
    let provider = provider().await;
    let gate = SearchGate::new(Duration::from_secs(60), BACKOFF);
    let ddg = client(&provider).gate(gate);
    ddg.search("tea").await.unwrap();
    let hurried = ddg.clone().budget(Duration::from_secs(5));
    let error = hurried.search("tea").await.unwrap_err();
    assert!(error.is_refused());
    assert!(error.retry_after().unwrap() > Duration::from_secs(30));
}

#[tokio::test]
async fn a_search_that_is_dropped_frees_its_place() {
    let provider = provider().await;
    let gate = SearchGate::new(Duration::from_millis(300), BACKOFF);
    let ddg = client(&provider).gate(gate.clone());
    ddg.search("tea").await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(10), ddg.search("milk")).await;
    assert!(waiting.is_err());
    assert_eq!(gate.snapshot().queued, 0);
    assert_eq!(gate.snapshot().counts.cancelled, 1);
}

#[test]
fn the_ready_client_and_its_futures_are_send_and_sync() {
    fn check<T: Send + Sync + 'static>(_: &T) {}
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _inside = runtime.enter();
    let ddg = DuckDuckGo::new();
    check(&ddg);
    check(&ddg.search("tea"));
    check(&ddg.results("tea"));
    check(&ddg.instant_answer("tea"));
}
