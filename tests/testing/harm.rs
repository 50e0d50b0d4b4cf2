//! What the server puts up with, and how it ends.

use crate::support::{client, post, send};
use futures_util::future::join_all;
use http::Method;
use http_body_util::BodyExt;
use search_gate::testing::{BODY_LIMIT, Outcome, StandIn, Throttle};
use std::io::ErrorKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn what_is_no_search_is_rejected_and_not_counted_against_the_client() {
    let provider = StandIn::builder()
        .throttle(Throttle::new().burst(1))
        .start()
        .await
        .unwrap();
    let client = client();
    let too_long = format!("q={}", "x".repeat(500));
    for (method, url, form, status) in [
        (Method::GET, format!("{}/", provider.url()), "", 404),
        (
            Method::GET,
            format!("{}/html/other", provider.url()),
            "",
            404,
        ),
        (Method::PUT, provider.html_endpoint(), "q=tea", 405),
        (Method::POST, provider.html_endpoint(), "", 400),
        (Method::POST, provider.html_endpoint(), "q=++", 400),
        (
            Method::POST,
            provider.html_endpoint(),
            "{\"q\": \"tea\"}",
            400,
        ),
        (
            Method::POST,
            provider.html_endpoint(),
            "%%%=&&&=%ff%fe&==%",
            400,
        ),
        (Method::GET, provider.html_endpoint(), "", 400),
        (
            Method::POST,
            provider.html_endpoint(),
            too_long.as_str(),
            400,
        ),
    ] {
        assert_eq!(
            send(&client, method.clone(), &url, form).await.status(),
            status,
            "{method} {url} {form}"
        );
    }
    assert_eq!(
        post(&client, &provider, "q=tea&q=other&%ff=%zz").await.0,
        200
    );
    assert_eq!(
        provider
            .log()
            .last()
            .and_then(|entry| entry.query().map(str::to_owned))
            .as_deref(),
        Some("tea")
    );
}

#[tokio::test]
async fn a_form_that_is_too_large_is_refused_unread() {
    let provider = StandIn::start().await.unwrap();
    let form = |length: usize| format!("q=tea&pad={}", "x".repeat(length - "q=tea&pad=".len()));
    let client = client();
    assert_eq!(post(&client, &provider, &form(BODY_LIMIT)).await.0, 200);
    assert_eq!(post(&client, &provider, &form(BODY_LIMIT + 1)).await.0, 413);
}

#[tokio::test]
async fn garbage_and_broken_connections_do_no_harm() {
    let provider = StandIn::start().await.unwrap();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01"[..],
        b"GET\r\n\r\n",
        b"POST /html/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nq=te",
        b"POST /html/ HTTP/1.1\r\nHost: x\r\nContent-Length: banana\r\n\r\n",
        b"POST /html/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ] {
        let mut stream = TcpStream::connect(provider.addr()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        // Whatever it says, it says it and closes, or resets what it has not read.
        drop(stream.read_to_end(&mut Vec::new()).await);
    }
    assert_eq!(post(&client(), &provider, "q=tea").await.0, 200);
    assert_eq!(provider.count(Outcome::Answered), 1);
}

#[tokio::test]
async fn many_connections_at_once_are_all_judged() {
    let provider = StandIn::start().await.unwrap();
    let requests = (0..100).map(|i| {
        let (client, url) = (client(), provider.html_endpoint());
        async move {
            send(&client, Method::POST, &url, &format!("q=number+{i}"))
                .await
                .status()
        }
    });
    let statuses = join_all(requests).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 10);
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 90);
    assert!(provider.log().is_sorted_by_key(|entry| entry.at));
}

#[tokio::test]
async fn shutting_down_frees_the_port_and_closes_connections() {
    let provider = StandIn::builder().stall_after(10).start().await.unwrap();
    let addr = provider.addr();
    let mut body = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea")
        .await
        .into_body();
    body.frame().await.unwrap().unwrap();
    provider.shutdown().await;
    assert!(body.frame().await.is_none_or(|frame| frame.is_err()));
    assert_eq!(
        TcpStream::connect(addr).await.unwrap_err().kind(),
        ErrorKind::ConnectionRefused
    );
    StandIn::builder().port(addr.port()).start().await.unwrap();
}

#[tokio::test]
async fn dropping_it_ends_it_too() {
    let provider = StandIn::start().await.unwrap();
    let addr = provider.addr();
    drop(provider);
    while TcpStream::connect(addr).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
