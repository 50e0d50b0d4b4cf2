//! Clients of several addresses. On Linux all of 127.0.0.0/8 is at hand.

use crate::support::{HttpClient, post};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use search_gate::testing::{StandIn, Throttle};
use std::time::Duration;

fn client_at(address: [u8; 4]) -> HttpClient {
    let mut connector = HttpConnector::new();
    connector.set_local_address(Some(address.into()));
    Client::builder(TokioExecutor::new()).build(connector)
}

#[tokio::test]
async fn each_client_address_has_a_throttle_of_its_own() {
    let provider = StandIn::builder()
        .throttle(Throttle::new().burst(1))
        .start()
        .await
        .unwrap();
    let (one, two) = (client_at([127, 0, 0, 1]), client_at([127, 0, 0, 2]));
    assert_eq!(post(&one, &provider, "q=tea").await.0, 200);
    assert_eq!(post(&one, &provider, "q=tea").await.0, 202);
    assert_eq!(post(&two, &provider, "q=tea").await.0, 200);
    assert_eq!(provider.log()[2].client.to_string(), "127.0.0.2");
}

#[tokio::test]
async fn of_more_addresses_than_it_remembers_the_oldest_are_forgotten() {
    let throttle = Throttle::new()
        .burst(1)
        .run_gap(Duration::MAX)
        .refusal(Duration::MAX);
    let provider = StandIn::builder()
        .throttle(throttle)
        .results(0)
        .start()
        .await
        .unwrap();
    let ask = async |number: u16| {
        let [high, low] = number.to_be_bytes();
        let client = client_at([127, 1, high, low]);
        post(&client, &provider, "q=tea").await.0.as_u16()
    };
    for number in 1..=1025 {
        assert_eq!(ask(number).await, 200);
    }
    assert_eq!(ask(1025).await, 202);
    assert_eq!(ask(2).await, 202);
    assert_eq!(ask(1).await, 200);
}
