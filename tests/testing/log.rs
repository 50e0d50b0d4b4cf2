//! What the log tells.

use crate::support::{client, send};
use http::{Method, StatusCode, header};
use http_body_util::BodyExt;
use search_gate::testing::{LOG_LIMIT, Outcome, StandIn, Throttle};
use std::time::Duration;

#[tokio::test]
async fn the_log_tells_all_of_a_request() {
    let provider = StandIn::builder().time_scale(0.5).start().await.unwrap();
    let client = client();
    send(
        &client,
        Method::POST,
        &provider.html_endpoint(),
        "q=caf%C3%A9+au+lait&b=&kl=fr-fr",
    )
    .await;
    send(
        &client,
        Method::GET,
        &format!("{}?q=two", provider.lite_endpoint()),
        "",
    )
    .await;
    send(
        &client,
        Method::GET,
        &format!("{}/favicon.ico", provider.url()),
        "",
    )
    .await;

    let log = provider.log();
    assert_eq!(log.len(), 3);
    assert_eq!(
        (log[0].method.as_str(), log[0].path.as_str()),
        ("POST", "/html/")
    );
    assert_eq!(log[0].query(), Some("café au lait"));
    assert_eq!(log[0].field("kl"), Some("fr-fr"));
    assert_eq!(log[0].field("df"), None);
    assert_eq!(log[0].headers[header::USER_AGENT], "agent-under-test/1.0");
    assert_eq!(log[0].client.to_string(), "127.0.0.1");
    assert_eq!(
        (log[1].path.as_str(), log[1].query()),
        ("/lite/", Some("two"))
    );
    assert_eq!(
        (log[2].outcome, log[2].status, log[2].query()),
        (Outcome::Rejected, StatusCode::NOT_FOUND, None)
    );
    assert!(log.is_sorted_by_key(|entry| entry.at));
    for entry in &log {
        assert!(
            entry.at.abs_diff(entry.real_at * 2) <= Duration::from_nanos(2),
            "{entry:?}"
        );
    }
    assert_eq!(provider.smallest_gap(), Some(log[1].at - log[0].at));
    assert_eq!(provider.count(Outcome::Rejected), 1);
}

#[tokio::test]
async fn the_log_is_bounded_and_the_counts_are_not() {
    let provider = StandIn::builder()
        .throttle(Throttle::never())
        .results(0)
        .start()
        .await
        .unwrap();
    let client = client();
    let sent = LOG_LIMIT + 20;
    for i in 0..sent {
        send(
            &client,
            Method::POST,
            &provider.lite_endpoint(),
            &format!("q={i}"),
        )
        .await
        .into_body()
        .collect()
        .await
        .unwrap();
    }
    let log = provider.log();
    assert_eq!(log.len(), LOG_LIMIT);
    assert_eq!(log[0].query(), Some("20"));
    assert_eq!(provider.count(Outcome::Answered), sent as u64);
}
