//! Back-offs that follow one another, and late news of requests from before them.

mod support;

use std::time::Duration;

use http::StatusCode;
use search_gate::{BACKOFF, Backoff, SearchGate, SearchGateLayer};
use support::{
    INTERVAL,
    answer::{challenge, full, html, html_with, layer, page, through},
    trial::{is_on_trial, kept_waiting},
};
use tokio::time::advance;

#[tokio::test(start_paused = true)]
async fn each_throttled_probe_is_one_step_of_the_back_off_until_one_is_answered() {
    let growing = Backoff::new(BACKOFF).cap(5 * BACKOFF);
    let gate = SearchGate::builder().interval(INTERVAL).backoff(growing);
    let layer = SearchGateLayer::new(gate.build().unwrap());
    let by_status = || html_with(StatusCode::ACCEPTED, full(""));
    let by_body = || html(full(challenge()));
    let answers = [by_status(), by_body(), by_status(), by_body()];
    for (answer, times) in answers.into_iter().zip([1, 2, 4, 5]) {
        let response = through(&layer, answer).await;
        drop(response.into_body().page().await.unwrap_err());
        let left = layer.gate().backoff_left();
        assert_eq!(left, Some(times * BACKOFF));
        advance(times * BACKOFF).await;
    }
    let response = through(&layer, html(full(page("tower").to_html()))).await;
    response.into_body().page().await.unwrap();
    assert!(!is_on_trial(&layer));
    // Not a probe any more: the back-off does not grow for it.
    advance(INTERVAL).await;
    through(&layer, by_status()).await;
    assert_eq!(layer.gate().backoff_left(), Some(5 * BACKOFF));
}

#[tokio::test(start_paused = true)]
async fn late_news_of_an_earlier_round_changes_nothing() {
    let growing = Backoff::new(BACKOFF);
    let gate = SearchGate::builder().interval(INTERVAL).backoff(growing);
    let layer = SearchGateLayer::new(gate.build().unwrap());
    let answers = [
        page("tower").to_html(),
        challenge(),
        "<p>Something else.</p>".into(),
    ];
    let mut early = Vec::new();
    for answer in answers {
        early.push(through(&layer, html(full(answer))).await.into_body());
    }
    advance(INTERVAL).await;
    through(&layer, html_with(StatusCode::ACCEPTED, full(""))).await;

    let [answered, throttled, unknown] = early.try_into().unwrap();
    answered.page().await.unwrap();
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
    assert!(is_on_trial(&layer));
    advance(Duration::from_secs(10)).await;
    unknown.page().await.unwrap_err();
    assert_eq!(
        layer.gate().backoff_left(),
        Some(BACKOFF - Duration::from_secs(10))
    );
    // The provider still throttles, which says nothing of a probe.
    assert!(throttled.page().await.unwrap_err().is_throttled());
    assert_eq!(layer.gate().backoff_left(), Some(BACKOFF));
    assert_eq!(layer.gate().snapshot().streak, 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_of_an_earlier_round_does_not_end_the_trial() {
    let layer = layer();
    let early = through(&layer, html(full(page("tower").to_html()))).await;
    layer.gate().throttled();
    advance(BACKOFF).await;
    let probe = through(&layer, html(full(page("tower").to_html()))).await;
    let mut next = kept_waiting(&layer).await;
    early.into_body().page().await.unwrap();
    next.still_waits();
    probe.into_body().page().await.unwrap();
    next.goes();
}
