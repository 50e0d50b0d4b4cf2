//! Pages that come in pieces, or not whole.

use crate::support::{client, post, send};
use http::{Method, header};
use http_body_util::BodyExt;
use search_gate::testing::{StandIn, Throttle};
use std::error::Error;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn pages_come_in_chunks_if_told_so() {
    let whole = StandIn::start().await.unwrap();
    let provider = StandIn::builder()
        .chunks(1000, Duration::from_millis(1))
        .start()
        .await
        .unwrap();
    let client = client();
    let response = send(&client, Method::POST, &provider.html_endpoint(), "q=tea").await;
    assert!(!response.headers().contains_key(header::CONTENT_LENGTH));
    let mut body = response.into_body();
    let mut page = Vec::new();
    let mut frames = 0;
    while let Some(frame) = body.frame().await {
        page.extend_from_slice(&frame.unwrap().into_data().unwrap());
        frames += 1;
    }
    assert!(frames > 1, "{frames} frame for {} bytes", page.len());
    assert_eq!(
        String::from_utf8(page).unwrap(),
        post(&client, &whole, "q=tea").await.1
    );
}

#[tokio::test]
async fn a_cut_page_ends_in_an_error_after_what_was_sent() {
    let provider = StandIn::builder().cut_after(5000).start().await.unwrap();
    let mut body = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea")
        .await
        .into_body();
    let mut length = 0;
    let error = loop {
        match body.frame().await.expect("the body must not end well") {
            Ok(frame) => length += frame.into_data().unwrap().len(),
            Err(error) => break error,
        }
    };
    assert_eq!(length, 5000);
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<std::io::Error>());
    assert_eq!(
        source.map(std::io::Error::kind),
        Some(ErrorKind::UnexpectedEof)
    );
}

#[tokio::test]
async fn a_stalled_page_gives_its_start_and_no_more() {
    let provider = StandIn::builder().stall_after(5000).start().await.unwrap();
    let mut body = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea")
        .await
        .into_body();
    let mut length = 0;
    while length < 5000 {
        length += body
            .frame()
            .await
            .unwrap()
            .unwrap()
            .into_data()
            .unwrap()
            .len();
    }
    assert_eq!(length, 5000);
    assert!(futures_util::FutureExt::now_or_never(body.frame()).is_none());
    // The server takes others meanwhile.
    let other = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea").await;
    assert_eq!(other.status(), 200);
}

#[tokio::test]
async fn connections_that_are_dropped_in_mid_page_do_not_pile_up() {
    let provider = StandIn::builder()
        .throttle(Throttle::never())
        .stall_after(100)
        .start()
        .await
        .unwrap();
    // More than the server keeps open at one time.
    for _ in 0..1100 {
        let mut stream = TcpStream::connect(provider.addr()).await.unwrap();
        stream
            .write_all(b"GET /lite/?q=tea HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        stream.read_exact(&mut [0; 100]).await.unwrap();
    }
}
