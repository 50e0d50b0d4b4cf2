//! Results over several pages.

use futures_util::{StreamExt, TryStreamExt};
use search_gate::testing::{Row, StandIn, Throttle};

use crate::{client, gate, paths, provider};

#[tokio::test]
async fn results_go_over_as_many_pages_as_asked_each_a_turn_of_its_own() {
    let provider = StandIn::builder()
        .throttle(Throttle::never())
        .pages(5)
        .start()
        .await
        .unwrap();
    let gate = gate();
    let ddg = client(&provider).gate(gate.clone()).user_agent("agent/1");
    let results: Vec<_> = ddg.results("tea").pages(3).try_collect().await.unwrap();

    assert_eq!(results.len(), 30);
    let expected: Vec<_> = (1..=30).map(|i| Row::sample("tea", i)).collect();
    let titles = |i: usize| (results[i].title.clone(), results[i].url.clone());
    for (i, row) in expected.iter().enumerate() {
        assert_eq!(titles(i), (row.title.clone(), row.url.clone()));
    }
    let log = provider.log();
    let starts: Vec<_> = log.iter().map(|entry| entry.field("s")).collect();
    assert_eq!(starts, [None, Some("10"), Some("20")]);
    assert!(
        log.iter()
            .all(|entry| entry.headers["user-agent"] == "agent/1")
    );
    assert_eq!(gate.snapshot().counts.granted, 3);
}

#[tokio::test]
async fn results_end_with_the_providers_last_page_and_ask_only_for_what_is_taken() {
    let provider = provider().await;
    let ddg = client(&provider);
    let mut all = ddg.results("tea").pages(usize::MAX);
    let mut count = 0;
    while let Some(result) = all.next().await {
        result.unwrap();
        count += 1;
    }
    assert_eq!(count, 30, "the stand-in has three pages");
    assert!(all.page().unwrap().next.is_none());
    assert!(all.next().await.is_none());

    let before = provider.log().len();
    let some: Vec<_> = ddg.results("tea").pages(9).take(10).collect().await;
    assert_eq!((some.len(), provider.log().len() - before), (10, 1));
    let none: Vec<_> = ddg.results("tea").pages(0).collect().await;
    assert_eq!((none.len(), provider.log().len() - before), (0, 1));
}

#[tokio::test]
async fn what_a_page_repeats_is_left_out_and_one_that_brings_nothing_new_is_the_last() {
    let provider = StandIn::builder()
        .throttle(Throttle::never())
        .pages(10)
        .page(|page| {
            let query = page.query().to_owned();
            let row = |i| Row::sample(&query, i);
            let rows = page.rows();
            match rows[0] == row(1) {
                true => page.with_rows([row(1), row(2)]),
                false => page.with_rows([row(2), row(3)]),
            }
        })
        .start()
        .await
        .unwrap();
    let results = client(&provider).results("tea").pages(10);
    let urls: Vec<_> = results.map(|result| result.unwrap().url).collect().await;
    let expected: Vec<_> = (1..=3).map(|i| Row::sample("tea", i).url).collect();
    assert_eq!(urls, expected);
    assert_eq!(provider.log().len(), 3);
}

#[tokio::test]
async fn a_later_page_that_fails_ends_the_stream_in_its_error() {
    let throttling = StandIn::builder().throttle(Throttle::new().burst(1));
    let provider = throttling.start().await.unwrap();
    let mut results = client(&provider).results("tea").pages(3);
    let mut found = 0;
    let error = loop {
        match results.next().await.unwrap() {
            Ok(_) => found += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(found, 10);
    assert!(error.is_throttled());
    assert!(results.next().await.is_none());
    assert_eq!(paths(&provider), ["/html/", "/html/"]);
}
