//! The lite page in place of the html page.

use std::{pin::pin, sync::atomic::Ordering};

use futures_util::{StreamExt, TryStreamExt};
use search_gate::{Endpoint, Query, testing::StandIn};
use tokio::time::Instant;

use crate::{INTERVAL, broken, challenge, client, lite, paths, two_pages, unknown};

#[tokio::test(start_paused = true)]
async fn the_lite_page_is_asked_when_the_html_page_is_unknown_or_fails_on_its_way() {
    for html in [unknown, broken] {
        let (ddg, sent) = two_pages(html, lite);
        let page = ddg.search("tea").await.unwrap();
        assert_eq!(page.endpoint, Some(Endpoint::Lite));
        assert_eq!(sent.load(Ordering::SeqCst), 2);
        let begun = Instant::now();
        let results: Vec<_> = ddg.results("tea").try_collect().await.unwrap();
        assert_eq!(results, page.results);
        assert_eq!(begun.elapsed(), 2 * INTERVAL, "each request takes a turn");
    }
}

#[tokio::test(start_paused = true)]
async fn the_lite_page_is_not_asked_after_a_challenge_nor_when_it_is_not_wanted() {
    let (ddg, sent) = two_pages(challenge, lite);
    assert!(ddg.search("tea").await.unwrap_err().is_throttled());
    assert_eq!(sent.load(Ordering::SeqCst), 1);

    let (ddg, sent) = two_pages(unknown, lite);
    let ddg = ddg.lite_fallback(false);
    assert!(ddg.search("tea").await.unwrap_err().is_unrecognised());
    let error = pin!(ddg.results("tea")).next().await.unwrap().unwrap_err();
    assert!(error.is_unrecognised());
    assert_eq!(sent.load(Ordering::SeqCst), 2);

    let (ddg, sent) = two_pages(lite, unknown);
    let query = Query::new("tea").endpoint(Endpoint::Lite);
    assert!(ddg.search(query).await.unwrap_err().is_unrecognised());
    assert_eq!(sent.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn of_two_errors_the_first_is_told_unless_the_second_says_when_to_come_again() {
    let (ddg, _) = two_pages(unknown, broken);
    assert!(ddg.search("tea").await.unwrap_err().is_unrecognised());
    let error = pin!(ddg.results("tea")).next().await.unwrap().unwrap_err();
    assert!(error.is_unrecognised());

    let (ddg, _) = two_pages(unknown, challenge);
    assert!(ddg.search("tea").await.unwrap_err().is_throttled());
    let (ddg, _) = two_pages(unknown, challenge);
    let error = pin!(ddg.results("tea")).next().await.unwrap().unwrap_err();
    assert!(error.is_throttled());
}

#[tokio::test(start_paused = true)]
async fn all_requests_of_a_search_keep_to_one_deadline() {
    let (ddg, sent) = two_pages(unknown, lite);
    let ddg = ddg.budget(INTERVAL / 2);
    let error = ddg.search("tea").await.unwrap_err();
    assert!(
        error.is_unrecognised(),
        "the lite page would have come too late"
    );
    assert_eq!(sent.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_page_that_breaks_off_gives_what_it_had_or_the_lite_page() {
    // Before any result: the stream asks the lite page, which breaks off too.
    let provider = StandIn::builder().cut_after(2000).start().await.unwrap();
    let error = client(&provider).results("tea").next().await.unwrap();
    assert!(error.unwrap_err().is_transport());
    assert_eq!(paths(&provider), ["/html/", "/lite/"]);

    // After some: they were given, and asking elsewhere would repeat them.
    let provider = StandIn::builder().cut_after(16_000).start().await.unwrap();
    let results: Vec<_> = client(&provider).results("tea").collect().await;
    let (error, found) = results.split_last().unwrap();
    assert!(found.len() > 2 && found.iter().all(Result::is_ok));
    assert!(error.as_ref().unwrap_err().is_transport());
    assert_eq!(paths(&provider), ["/html/"]);
}
