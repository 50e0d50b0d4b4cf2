//! Pages are compressed for a client that takes gzip, and for no other. The settings of a delivery mean the page's own bytes all the same.

use crate::support::{client, gunzip, gunzip_so_far, post, send};
use bytes::Bytes;
use futures_util::FutureExt;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use search_gate::testing::{Row, StandIn, StandInBuilder, Throttle};
use std::time::Duration;

async fn started(builder: StandInBuilder) -> StandIn {
    let builder = builder.throttle(Throttle::never());
    builder.start().await.unwrap()
}

/// A search whose `accept-encoding` headers are these.
async fn ask(provider: &StandIn, accepted: &[&str]) -> Response<Incoming> {
    ask_at(&provider.html_endpoint(), accepted).await
}

async fn ask_at(url: &str, accepted: &[&str]) -> Response<Incoming> {
    let mut request = Request::post(url);
    for value in accepted {
        request = request.header(header::ACCEPT_ENCODING, *value);
    }
    let request = request.body(Full::<Bytes>::from("q=tea")).unwrap();
    client().request(request).await.unwrap()
}

/// The frames of a body, and whether it ended well.
async fn frames(response: Response<Incoming>) -> (Vec<Bytes>, bool) {
    let mut body = response.into_body();
    let mut frames = Vec::new();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => frames.push(frame.into_data().unwrap()),
            Err(_) => return (frames, false),
        }
    }
    (frames, true)
}

/// What can be read of the page once it is as much as `length`.
async fn start_of(body: &mut Incoming, length: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    loop {
        let page = gunzip_so_far(&packed);
        if page.len() >= length {
            return page;
        }
        packed.extend(body.frame().await.unwrap().unwrap().into_data().unwrap());
    }
}

fn is_gzip(response: &Response<Incoming>) -> bool {
    match response.headers().get(header::CONTENT_ENCODING) {
        Some(coding) => {
            assert_eq!(coding, "gzip");
            true
        }
        None => false,
    }
}

#[tokio::test]
async fn a_client_that_takes_gzip_gets_the_same_page_in_fewer_bytes() {
    let provider = started(StandIn::builder().ads(2)).await;
    let (_, plain) = post(&client(), &provider, "q=tea").await;
    let response = ask(&provider, &["gzip"]).await;
    assert!(is_gzip(&response));
    assert_eq!(response.headers()[header::VARY], "Accept-Encoding");
    assert_eq!(
        response.headers()[header::CONTENT_TYPE],
        "text/html; charset=UTF-8"
    );
    assert!(!response.headers().contains_key(header::CONTENT_LENGTH));
    let packed = response.into_body().collect().await.unwrap().to_bytes();
    assert!(packed.len() < plain.len() / 3, "{}", packed.len());
    assert_eq!(gunzip(&packed), plain.as_bytes());
}

#[tokio::test]
async fn a_client_that_says_nothing_gets_the_page_as_it_is() {
    let provider = started(StandIn::builder()).await;
    let response = send(&client(), Method::POST, &provider.html_endpoint(), "q=tea").await;
    assert!(!is_gzip(&response));
    let length = response.headers()[header::CONTENT_LENGTH].clone();
    let page = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(length, page.len().to_string());
    assert!(page.starts_with(b"<!DOCTYPE html"));
}

#[tokio::test]
async fn challenges_are_compressed_under_every_status() {
    for status in [202, 200, 403] {
        let provider = StandIn::builder()
            .throttle(Throttle::new().burst(0))
            .refusal_status(status);
        let provider = provider.start().await.unwrap();
        let response = ask(&provider, &["gzip"]).await;
        assert_eq!(response.status(), status);
        assert!(is_gzip(&response));
        let packed = response.into_body().collect().await.unwrap().to_bytes();
        assert!(!packed.windows(9).any(|bytes| bytes == b"challenge"));
        let page = String::from_utf8(gunzip(&packed)).unwrap();
        assert!(page.contains("<form id=\"challenge-form\""));
    }
}

#[tokio::test]
async fn the_weights_of_accept_encoding_are_heeded() {
    let provider = started(StandIn::builder().results(0)).await;
    let taken: &[&[&str]] = &[
        &["gzip"],
        &["GZip"],
        &["zstd,gzip,deflate,br"],
        &["br;q=1.0, gzip;q=0.001"],
        &["gzip ; Q=0.5"],
        &["br", "gzip"],
        &["*"],
        &["br;q=0, *;q=0.1"],
        &["*;q=0, gzip"],
        &["identity, gzip;q=0.5"],
    ];
    for accepted in taken {
        assert!(is_gzip(&ask(&provider, accepted).await), "{accepted:?}");
    }
    let left: &[&[&str]] = &[
        &[],
        &[""],
        &["identity"],
        &["br, deflate"],
        &["gzip;q=0"],
        &["gzip;q=0.000, br"],
        &["gzip;q=0", "*"],
        &["*;q=0"],
        &["gzipped"],
        &["gzip;q=much"],
        &["gzip;q=2"],
        &["gzip;"],
        &[",;,="],
    ];
    for accepted in left {
        assert!(!is_gzip(&ask(&provider, accepted).await), "{accepted:?}");
    }
}

#[tokio::test]
async fn chunks_are_of_the_page_and_each_can_be_read_when_it_has_come() {
    let hour = Duration::from_secs(3600);
    for length in [1, 1000] {
        let provider = started(StandIn::builder().chunks(length, hour)).await;
        let mut body = ask(&provider, &["gzip"]).await.into_body();
        assert_eq!(start_of(&mut body, length).await.len(), length);
        assert!(body.frame().now_or_never().is_none());
    }
}

#[tokio::test]
async fn chunks_make_the_whole_page() {
    for length in [1, 1000, 1_000_000] {
        let provider = started(StandIn::builder().chunks(length, Duration::ZERO)).await;
        let (_, plain) = post(&client(), &provider, "q=tea").await;
        let response = ask(&provider, &["gzip"]).await;
        assert!(is_gzip(&response));
        let packed = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(gunzip(&packed), plain.as_bytes());
    }
}

#[tokio::test]
async fn a_cut_and_a_stall_come_after_as_much_of_the_page() {
    let plain = started(StandIn::builder()).await;
    let (_, plain) = post(&client(), &plain, "q=tea").await;
    let length = plain.len();
    for after in [1, 5000, length - 1, length] {
        let provider = started(StandIn::builder().cut_after(after)).await;
        let (packed, ended) = frames(ask(&provider, &["gzip"]).await).await;
        assert!(!ended, "cut after {after}");
        let page = gunzip_so_far(&packed.concat());
        assert_eq!(page, plain.as_bytes()[..after]);

        let provider = started(StandIn::builder().stall_after(after)).await;
        let mut body = ask(&provider, &["gzip"]).await.into_body();
        assert_eq!(start_of(&mut body, after).await, plain.as_bytes()[..after]);
        assert!(body.frame().now_or_never().is_none());
    }
    for builder in [
        StandIn::builder().cut_after(length + 1),
        StandIn::builder().stall_after(length + 1),
    ] {
        let provider = started(builder).await;
        let (packed, ended) = frames(ask(&provider, &["gzip"]).await).await;
        assert!(ended);
        assert_eq!(gunzip(&packed.concat()), plain.as_bytes());
    }
}

/// Letters that compress badly, always the same.
fn letters(count: usize) -> String {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let states = std::iter::successors(Some(1), next);
    let letters = states.map(|state| char::from(b'a' + (state >> 24) as u8 % 26));
    letters.take(count).collect()
}

#[tokio::test]
async fn a_large_piece_can_be_read_to_its_end_when_it_has_come() {
    let row = || Row::new("Letters", "https://letters.example/").snippet(letters(200_000));
    for after in (50_000..150_000).step_by(5_000) {
        let builder = StandIn::builder().page(move |page| page.with_rows([row()]));
        let provider = started(builder.cut_after(after)).await;
        let (packed, _) = frames(ask(&provider, &["gzip"]).await).await;
        assert_eq!(gunzip_so_far(&packed.concat()).len(), after);
    }
}

#[tokio::test]
async fn what_is_no_search_is_answered_as_it_is() {
    let provider = started(StandIn::builder()).await;
    let response = ask_at(&format!("{}/nowhere/", provider.url()), &["gzip"]).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert!(!is_gzip(&response));
}

#[tokio::test]
async fn instant_answers_are_compressed_too() {
    let provider = started(StandIn::builder().instant(|_| Some("A drink.".to_owned()))).await;
    let response = ask_at(&provider.url(), &["gzip"]).await;
    assert!(!is_gzip(&response), "not an instant answer");
    let url = format!("{}/?q=tea&format=json", provider.url());
    let request = Request::get(url).header(header::ACCEPT_ENCODING, "gzip");
    let request = request.body(Full::<Bytes>::default()).unwrap();
    let response = client().request(request).await.unwrap();
    assert!(is_gzip(&response));
    let packed = response.into_body().collect().await.unwrap().to_bytes();
    assert!(
        String::from_utf8(gunzip(&packed))
            .unwrap()
            .contains("A drink.")
    );
}
