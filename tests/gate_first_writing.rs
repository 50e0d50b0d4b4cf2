//! Code that was written for an earlier gate, with handles in an `Arc`, compiles and behaves as it did.

use std::{sync::Arc, time::Duration};

use search_gate::{
    BACKOFF, MIN_INTERVAL, Refusal, SEARCH_DEADLINE, SearchGate, THROTTLE_HINT, is_ad_link,
    is_challenge_page, is_throttle_status, time_left,
};
use tokio::time::Instant;

const REQUEST_LIMIT: Duration = Duration::from_secs(30);

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

/// A caller as they were: one deadline for the whole search, every refusal turned into advice, no arm left over.
async fn search(gate: &SearchGate, deadline: Instant) -> Result<Duration, String> {
    match gate.take_turn(deadline).await {
        Ok(()) => Ok(time_left(deadline, REQUEST_LIMIT)),
        Err(Refusal::BackingOff(left)) => Err(format!("throttled, {} s left", left.as_secs())),
        Err(Refusal::PastDeadline) => Err("too many searches at once".to_owned()),
    }
}

#[tokio::test(start_paused = true)]
async fn handles_in_an_arc_pace_concurrent_callers() {
    let gate = Arc::new(SearchGate::new(MIN_INTERVAL, BACKOFF));
    let begun = Instant::now();
    let tasks: Vec<_> = (0..5)
        .map(|_| {
            let gate = Arc::clone(&gate);
            tokio::spawn(async move {
                assert_eq!(gate.take_turn(far()).await, Ok(()));
                begun.elapsed()
            })
        })
        .collect();
    for (turn, task) in (0..).zip(tasks) {
        assert_eq!(task.await.unwrap(), MIN_INTERVAL * turn);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reference_to_the_process_wide_gate_is_taken_as_before() {
    let gate: &SearchGate = &SearchGate::duckduckgo();
    assert_eq!(gate.take_turn(far()).await, Ok(()));
    assert_eq!(gate.backoff_left(), None);
}

#[tokio::test(start_paused = true)]
async fn every_answer_is_told_apart_without_a_wildcard() {
    let gate = Arc::new(SearchGate::new(MIN_INTERVAL, BACKOFF));
    let deadline = Instant::now() + SEARCH_DEADLINE;
    assert_eq!(search(&gate, deadline).await, Ok(REQUEST_LIMIT));
    assert_eq!(
        search(&gate, Instant::now()).await,
        Err("too many searches at once".to_owned())
    );
    gate.throttled();
    assert_eq!(
        search(&gate, deadline).await,
        Err("throttled, 60 s left".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_left_of_a_back_off_is_exact() {
    let gate = Arc::new(SearchGate::new(MIN_INTERVAL, BACKOFF));
    assert_eq!(gate.backoff_left(), None);
    gate.throttled();
    for second in 0..60 {
        let left = Duration::from_secs(60 - second);
        assert_eq!(gate.backoff_left(), Some(left));
        assert_eq!(gate.take_turn(far()).await, Err(Refusal::BackingOff(left)));
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert_eq!(gate.backoff_left(), None);
    assert_eq!(gate.take_turn(far()).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_search_late_in_its_budget_gets_what_is_left_of_it() {
    let gate = SearchGate::new(MIN_INTERVAL, BACKOFF);
    let deadline = Instant::now() + SEARCH_DEADLINE;
    tokio::time::advance(Duration::from_secs(50)).await;
    assert_eq!(search(&gate, deadline).await, Ok(Duration::from_secs(10)));
    let left = search(&gate, deadline).await;
    assert_eq!(left, Ok(Duration::from_secs(10) - MIN_INTERVAL));
}

#[test]
fn what_an_answer_says_is_asked_as_before() {
    let status: u16 = 202;
    let throttled = is_throttle_status(status);
    let message = format!(
        "duckduckgo: HTTP {status}{}",
        if throttled { THROTTLE_HINT } else { "" }
    );
    assert!(message.len() > "duckduckgo: HTTP 202".len(), "{message}");
    assert!([403, 429].map(is_throttle_status).iter().all(|is| *is));
    assert!(![200, 404, 500].map(is_throttle_status).iter().any(|is| *is));

    let challenge =
        r#"<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html"></form>"#;
    assert!(is_challenge_page(challenge));
    assert!(!is_challenge_page(
        "<p>anomaly-modal and challenge-form</p>"
    ));

    for ad in [
        "https://duckduckgo.com/y.js?ad_domain=shop.example",
        "https://www.duckduckgo.com/y.js?u3=x",
    ] {
        assert!(is_ad_link(ad), "{ad}");
    }
    for result in [
        "https://example.com/y.js",
        "https://duckduckgo.com/about",
        "https://duckduckgo.com.evil.example/y.js",
        "http://duckduckgo.com/y.js",
        "not a url",
    ] {
        assert!(!is_ad_link(result), "{result}");
    }
}
