//! Bodies that never pause: they are read bit by bit, so that others get to run, and no longer than the request's limit.

mod support;

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderValue, Response, header::CONTENT_TYPE};
use http_body::{Body, Frame};
use search_gate::{REQUEST_LIMIT, SearchBody};
use support::answer::{html, layer, page, peeking, through};
use tokio::time::advance;
use tokio_test::{assert_ready, task};

/// More than is ever read without a pause: a hundred KiB, or two hundred frames.
const MUCH: usize = 100 * 1024;
const MANY: usize = 200;

/// Always ready with the same bytes, without end.
struct Endless {
    data: Bytes,
    polls: Arc<AtomicUsize>,
}

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.polls.fetch_add(1, Ordering::SeqCst);
        Poll::Ready(Some(Ok(Frame::data(self.data.clone()))))
    }
}

fn endless(data: impl Into<Bytes>) -> (Arc<AtomicUsize>, Response<Endless>) {
    let (data, polls) = (data.into(), Arc::default());
    (Arc::clone(&polls), html(Endless { data, polls }))
}

/// Nothing that would ever come out: no result, and an ad that does not end.
fn nothing_to_show() -> [Bytes; 4] {
    let ad = page("tower").ads(1).to_html();
    let ad = &ad[ad.find("<div class=\"result ").unwrap()..];
    let long = "<p>a</p>".repeat(1000);
    [String::new(), "<".to_owned(), long, ad[..200].to_owned()].map(Bytes::from)
}

/// Polls a few times, and sees to it that each poll ends soon and asks for the next.
fn comes_back<F>(
    polls: &AtomicUsize,
    size: usize,
    reading: &mut task::Spawn<F>,
    poll: impl Fn(&mut task::Spawn<F>) -> bool,
) {
    for _ in 0..10 {
        let before = polls.load(Ordering::SeqCst);
        let ready = poll(reading);
        let read = polls.load(Ordering::SeqCst) - before;
        assert!(read > 0 && read <= MANY && read * size <= MUCH, "{read}");
        if ready {
            return;
        }
        assert!(reading.is_woken());
    }
}

async fn body_of(answer: Response<Endless>) -> SearchBody<Endless> {
    through(&layer(), answer).await.into_body()
}

#[tokio::test(start_paused = true)]
async fn whoever_reads_one_lets_others_run() {
    for data in nothing_to_show() {
        let size = data.len();
        let (polls, answer) = endless(data.clone());
        let mut page = task::spawn(body_of(answer).await.page());
        comes_back(&polls, size, &mut page, |page| page.poll().is_ready());

        let (polls, answer) = endless(data.clone());
        let mut results = task::spawn(body_of(answer).await.results());
        comes_back(&polls, size, &mut results, |results| {
            results.poll_next().is_ready()
        });

        let (polls, answer) = endless(data.clone());
        let mut body = task::spawn(body_of(answer).await);
        comes_back(&polls, size, &mut body, |body| {
            body.enter(|cx, body| body.poll_frame(cx)).is_ready()
        });

        let layer = peeking();
        let (polls, answer) = endless(data);
        let mut head = task::spawn(through(&layer, answer));
        comes_back(&polls, size, &mut head, |head| head.poll().is_ready());
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_read_no_further_than_the_reader_goes() {
    for data in ["<div>", "<a ", "text"] {
        let (_, answer) = endless(data.repeat(16 * 1024));
        let page = body_of(answer).await.page().await;
        assert!(page.unwrap_err().is_unrecognised());
    }
    let (_, answer) = endless("<div>".repeat(16 * 1024));
    let mut results = body_of(answer).await.results();
    let error = results.next().await.unwrap().unwrap_err();
    assert!(error.is_unrecognised());
    assert!(results.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn one_that_brings_nothing_ends_at_the_request_limit() {
    let (_, answer) = endless("");
    let page = body_of(answer).await.page();
    let mut page = task::spawn(page);
    assert!(page.poll().is_pending());
    advance(REQUEST_LIMIT).await;
    let error = loop {
        match page.poll() {
            Poll::Ready(page) => break page.unwrap_err(),
            Poll::Pending => assert!(page.is_woken()),
        }
    };
    assert!(error.is_timeout(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_long_page_that_has_arrived_is_read_whole_however_late_it_is_asked_for() {
    let rows = page("tower").results(400).to_html();
    assert!(rows.len() > 2 * MUCH);
    let body = support::answer::chunked(rows.clone(), 1000);
    let body = through(&layer(), html(body)).await.into_body();
    advance(2 * REQUEST_LIMIT).await;
    assert_eq!(body.page().await.unwrap().results.len(), 400);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_not_read_is_handed_on_without_a_pause() {
    let (_, mut answer) = endless(vec![b'x'; 1000]);
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, json);
    let mut body = task::spawn(body_of(answer).await);
    for _ in 0..1000 {
        let frame = body.enter(|cx, body| body.poll_frame(cx));
        assert_ready!(frame).unwrap().unwrap();
    }
}
