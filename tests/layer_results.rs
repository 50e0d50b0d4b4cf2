//! The body as data: results as they arrive, and the whole page.

mod support;

use std::task::Poll;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::StatusCode;
use http_body::Body;
use http_body_util::BodyExt;
use search_gate::{
    PageKind, Stopped,
    testing::{ResultPage, Row},
};
use support::answer::{LENGTHS, body_of, chunked, fed, full, html, html_with, page, trailers};
use tokio_test::{assert_pending, assert_ready, task};

fn rows(count: usize) -> Vec<Row> {
    page("tower").results(count).rows()
}

#[tokio::test(start_paused = true)]
async fn a_result_is_given_as_soon_as_its_markup_has_arrived() {
    let came = page("tower").ads(1).to_html();
    let third = came.match_indices("<div class=\"result ").nth(4).unwrap().0;
    for length in LENGTHS {
        let (feed, body) = fed();
        // Up to the fourth result's block; the first of all is the ad.
        for chunk in came.as_bytes()[..third].chunks(length.min(third)) {
            feed.data(chunk.to_vec());
        }
        let mut results = task::spawn(body_of(html(body)).await.results());
        for row in rows(3) {
            let result = assert_ready!(poll_through(&mut results));
            let result = result.unwrap().unwrap();
            assert_eq!((result.title, result.url), (row.title, row.url));
        }
        assert_pending!(poll_through(&mut results));
        feed.data(came.as_bytes()[third..].to_vec());
        drop(feed);
        assert!(results.is_woken());
        for row in &rows(10)[3..] {
            let result = assert_ready!(poll_through(&mut results)).unwrap().unwrap();
            assert_eq!(result.url, row.url);
        }
        assert!(assert_ready!(poll_through(&mut results)).is_none());
    }
}

/// Polls on as long as it is only to let others run that nothing comes.
fn poll_through<S: Stream>(results: &mut task::Spawn<S>) -> Poll<Option<S::Item>> {
    loop {
        let result = results.poll_next();
        if result.is_ready() || !results.is_woken() {
            return result;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn results_that_have_arrived_come_before_the_error() {
    let came = page("tower").to_html();
    let third = came.match_indices("<div class=\"result ").nth(3).unwrap().0;
    for length in LENGTHS {
        let (feed, body) = fed();
        for chunk in came.as_bytes()[..third].chunks(length.min(third)) {
            feed.data(chunk.to_vec());
        }
        feed.fail("reset");
        let mut results = body_of(html(body)).await.results();
        for row in rows(3) {
            assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
        }
        assert!(results.next().await.unwrap().unwrap_err().is_transport());
        assert!(results.next().await.is_none());
        assert!(results.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_last_result_whose_block_never_ends_comes_at_the_end() {
    let came = page("tower").results(2).to_html();
    let cut = came
        .rfind("<div class=\"clear\"></div>\n                  </div>")
        .unwrap();
    for length in LENGTHS {
        let body = body_of(html(chunked(came[..cut].to_owned(), length))).await;
        let mut results = body.results();
        for row in rows(2) {
            assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
        }
        assert!(results.next().await.unwrap().is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn results_of_a_page_that_is_cut_short_end_in_an_error_that_says_so() {
    let whole = page("tower").results(2).to_html();
    let end_of_rows = whole.find("<div class=\"feedback").unwrap();
    let nothing = page("tower").results(0).to_html();
    let cut = |page: &str, end: usize| page[..end].to_owned();
    let end = |page: &str| page.find("</body>").unwrap();
    for (came, expected) in [
        (cut(&whole, end_of_rows), 2),
        (cut(&whole, end(&whole)), 2),
        (cut(&nothing, end(&nothing)), 0),
    ] {
        for length in LENGTHS {
            let body = || body_of(html(chunked(came.clone(), length)));
            let page = body().await.page().await.unwrap();
            assert_eq!((page.results.len(), page.truncated), (expected, true));

            let mut results = body().await.results();
            for row in rows(expected) {
                assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
            }
            let error = results.next().await.unwrap().unwrap_err();
            assert!(error.is_incomplete());
            assert!(!error.is_transport() && !error.is_unrecognised());
            assert!(error.to_string().contains("before its end"), "{error}");
            assert!(results.next().await.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn results_of_a_page_that_is_more_than_the_reader_takes_end_in_an_error_that_says_why() {
    let whole = page("tower").results(2).to_html();
    let second = whole
        .match_indices("<div class=\"result ")
        .nth(1)
        .unwrap()
        .0;
    let deep = whole[..second].to_owned() + &"<div>".repeat(300) + &whole[second..];
    for length in LENGTHS {
        let body = || body_of(html(chunked(deep.clone(), length)));
        let page = body().await.page().await.unwrap();
        assert_eq!(
            (page.results.len(), page.stopped),
            (1, Some(Stopped::Depth))
        );

        let mut results = body().await.results();
        let result = results.next().await.unwrap().unwrap();
        assert_eq!(result.url, rows(1)[0].url);
        let error = results.next().await.unwrap().unwrap_err();
        assert!(error.is_incomplete());
        let why = Stopped::Depth.to_string();
        assert!(error.to_string().contains(&why), "{error}");
        assert!(results.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn results_that_have_arrived_come_before_the_timeout() {
    let came = page("tower").to_html();
    let (feed, body) = fed();
    feed.data(came[..came.find("<div class=\"feedback").unwrap()].to_owned());
    let mut results = body_of(html(body)).await.results();
    for row in rows(10) {
        assert_eq!(results.next().await.unwrap().unwrap().url, row.url);
    }
    assert!(results.next().await.unwrap().unwrap_err().is_timeout());
    assert!(results.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn results_are_those_of_the_page_whatever_the_chunks() {
    let came = page("tower").ads(2).to_html();
    for length in LENGTHS {
        let body = body_of(html(chunked(came.clone(), length))).await;
        let whole = body.page().await.unwrap();
        assert_eq!((whole.kind, whole.status), (PageKind::Results, Some(200)));
        assert_eq!((whole.ads_dropped, whole.truncated), (2, false));
        let body = body_of(html(chunked(came.clone(), length))).await;
        let results: Vec<_> = body.results().map(Result::unwrap).collect().await;
        assert_eq!(results, whole.results);
        assert_eq!(results.len(), 10);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_gives_all_that_stands_on_it() {
    let came = ResultPage::new("tower")
        .zero_click("A tower is a tall building.")
        .spelling("towers")
        .to_html();
    let page = body_of(html(full(came))).await.page().await.unwrap();
    assert_eq!(page.zero_click.unwrap().text, "A tower is a tall building.");
    assert!(page.spelling.is_some() && page.next.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_page_with_trailers_is_read_as_data_too() {
    let (feed, body) = fed();
    feed.data(page("tower").to_html());
    feed.trailers(trailers());
    drop(feed);
    let page = body_of(html(body)).await.page().await.unwrap();
    assert_eq!(page.results.len(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_body_partly_passed_on_gives_no_data() {
    let came = page("tower").to_html();
    for status in [StatusCode::OK, StatusCode::NOT_FOUND, StatusCode::ACCEPTED] {
        let mut body = body_of(html_with(status, chunked(came.clone(), 1000))).await;
        body.frame().await.unwrap().unwrap();
        let error = body.page().await.unwrap_err();
        assert!(error.is_unreadable(), "{error}");
        assert!(error.to_string().contains("passed on"), "{error}");
    }
    let mut body = body_of(html(chunked(came, 1000))).await;
    while body.frame().await.is_some() {}
    let error = body.results().next().await.unwrap().unwrap_err();
    assert!(error.is_unreadable(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn results_that_are_dropped_midway_drop_the_body() {
    let (feed, body) = fed();
    feed.data(page("tower").to_html());
    let mut results = body_of(html(body)).await.results();
    results.next().await.unwrap().unwrap();
    assert!(!feed.is_abandoned());
    drop(results);
    assert!(feed.is_abandoned());
}

#[tokio::test(start_paused = true)]
async fn a_hundred_megabytes_of_one_tag_pass_whole_and_pile_up_nowhere() {
    let start = Bytes::from("<p>a</p><div class=\"result\"><a href=\"");
    let chunk = Bytes::from(vec![b'x'; 64 * 1024]);
    let chunks = 100 * 1024 * 1024 / chunk.len();
    let (feed, body) = fed();
    let mut body = task::spawn(body_of(html(body)).await);
    let (mut came, mut passed) = (0, 0);
    let mut held = 0;
    for frame in std::iter::once(&start).chain(std::iter::repeat_n(&chunk, chunks)) {
        feed.data(frame.clone());
        came += frame.len();
        while let Poll::Ready(frame) = body.enter(|cx, body| body.poll_frame(cx)) {
            passed += frame.unwrap().unwrap().into_data().unwrap().len();
        }
        held = held.max(came - passed);
    }
    drop(feed);
    while let Poll::Ready(Some(frame)) = body.enter(|cx, body| body.poll_frame(cx)) {
        passed += frame.unwrap().into_data().unwrap().len();
    }
    assert_eq!(passed, came);
    // What the parser may hold before it gives up, and the chunk that made it.
    assert!(held <= (512 + 64) * 1024, "{held} bytes were held back");
}
