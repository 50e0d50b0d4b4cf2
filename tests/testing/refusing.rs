//! Refusals that a test orders.

use crate::support::{client, post, send};
use futures_util::future::join_all;
use http::{Method, header};
use search_gate::testing::{Outcome, StandIn, Throttle};
use std::time::Duration;

#[tokio::test]
async fn as_many_searches_are_refused_as_were_ordered_and_the_next_is_answered() {
    let provider = StandIn::start().await.unwrap();
    let client = client();
    assert_eq!(post(&client, &provider, "q=tea").await.0, 200);
    provider.refuse_next(2);
    let (status, page) = post(&client, &provider, "q=tea").await;
    assert_eq!(status, 202);
    assert!(page.contains("<form id=\"challenge-form\""));
    let lite = send(&client, Method::POST, &provider.lite_endpoint(), "q=tea").await;
    assert_eq!(lite.status(), 202);
    assert_eq!(post(&client, &provider, "q=tea").await.0, 200);

    let outcomes: Vec<_> = provider.log().iter().map(|entry| entry.outcome).collect();
    use Outcome::{Answered, Refused};
    assert_eq!(outcomes, [Answered, Refused, Refused, Answered]);
    assert_eq!(provider.log()[1].status, 202);
    assert_eq!(provider.count(Refused), 2);
}

#[tokio::test]
async fn they_look_like_the_throttles_own() {
    let provider = StandIn::builder()
        .refusal_status(403)
        .retry_after(Duration::from_secs(90));
    let provider = provider.start().await.unwrap();
    provider.refuse_next(1);
    let refused = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea").await;
    assert_eq!(refused.status(), 403);
    assert_eq!(refused.headers()[header::RETRY_AFTER], "90");
}

#[tokio::test]
async fn the_throttle_does_not_count_them() {
    // Long enough a run for any machine.
    let throttle = Throttle::new().burst(2).run_gap(Duration::MAX);
    let provider = StandIn::builder().throttle(throttle.asking_lengthens(true));
    let provider = provider.start().await.unwrap();
    let client = client();
    let ask = async || post(&client, &provider, "q=tea").await.0;
    assert_eq!(ask().await, 200);
    provider.refuse_next(3);
    for _ in 0..3 {
        assert_eq!(ask().await, 202);
    }
    assert_eq!(provider.refused_for(), None);
    assert_eq!(ask().await, 200);
    assert_eq!(ask().await, 202);
    assert!(provider.refused_for().is_some());

    // While the throttle refuses by itself, those that were ordered are used up all the same, and make it no longer.
    provider.refuse_next(1);
    let before = provider.refused_for().unwrap();
    assert_eq!(ask().await, 202);
    assert!(provider.refused_for().unwrap() <= before);
    provider.reset();
    assert_eq!(ask().await, 200);
}

#[tokio::test]
async fn what_is_no_search_uses_none_up() {
    let provider = StandIn::start().await.unwrap();
    let client = client();
    provider.refuse_next(1);
    assert_eq!(post(&client, &provider, "no=query").await.0, 400);
    assert_eq!(post(&client, &provider, "q=tea").await.0, 202);
    assert_eq!(post(&client, &provider, "q=tea").await.0, 200);
}

#[tokio::test]
async fn an_order_replaces_the_one_before_and_a_reset_ends_it() {
    let provider = StandIn::start().await.unwrap();
    let client = client();
    let ask = async || post(&client, &provider, "q=tea").await.0;
    provider.refuse_next(u32::MAX);
    assert_eq!(ask().await, 202);
    provider.refuse_next(0);
    assert_eq!(ask().await, 200);
    provider.refuse_next(5);
    provider.reset();
    assert_eq!(ask().await, 200);
}

#[tokio::test]
async fn searches_that_had_arrived_before_are_answered() {
    let provider = StandIn::builder().latency(Duration::from_millis(50));
    let provider = provider.start().await.unwrap();
    let client = client();
    let under_way = post(&client, &provider, "q=tea");
    let ordered = async {
        while provider.log().is_empty() {
            tokio::task::yield_now().await;
        }
        provider.refuse_next(1);
    };
    let ((status, _), ()) = tokio::join!(under_way, ordered);
    assert_eq!(status, 200);
    assert_eq!(post(&client, &provider, "q=tea").await.0, 202);
}

#[tokio::test]
async fn of_many_at_once_just_so_many_are_refused() {
    let provider = StandIn::builder().throttle(Throttle::never());
    let provider = provider.start().await.unwrap();
    provider.refuse_next(7);
    let client = client();
    let searches = (0..50).map(|_| post(&client, &provider, "q=tea"));
    let answers = join_all(searches).await;
    assert_eq!(answers.iter().filter(|answer| answer.0 == 202).count(), 7);
    assert_eq!(provider.count(Outcome::Refused), 7);
}
