//! How a body that is passed on ends: trailers, errors, and what was held back until then.

mod support;

use http::{HeaderValue, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use support::answer::{LENGTHS, all, body_of, fed, html, html_with, page, trailers, without_ads};

#[tokio::test(start_paused = true)]
async fn trailers_come_last_after_what_was_held_back() {
    // The last block is still open at the end, and so is held back until then.
    let came = "<p>a</p><div class=\"result\"><h2 class=\"result__title\">";
    for length in LENGTHS {
        let (feed, body) = fed();
        for chunk in came.as_bytes().chunks(length.min(came.len())) {
            feed.data(chunk.to_vec());
        }
        feed.trailers(trailers());
        drop(feed);
        let mut body = body_of(html(body)).await;
        let mut passed = Vec::new();
        let last = loop {
            match body.frame().await.unwrap().unwrap().into_data() {
                Ok(data) => passed.extend_from_slice(&data),
                Err(last) => break last,
            }
        };
        assert_eq!(passed, came.as_bytes());
        assert_eq!(last.into_trailers().unwrap(), trailers());
        assert!(body.frame().await.is_none());
        assert!(body.is_end_stream());
    }
}

#[tokio::test(start_paused = true)]
async fn trailers_that_describe_the_bytes_go_when_the_body_may_change() {
    let digests = || {
        let mut digests = trailers();
        let digest = HeaderValue::from_static("sha-256=:AA=:");
        digests.insert("content-digest", digest.clone());
        digests.insert("repr-digest", digest);
        digests
    };
    for (status, expected) in [
        (StatusCode::OK, trailers()),
        (StatusCode::NOT_FOUND, digests()),
        (StatusCode::ACCEPTED, digests()),
    ] {
        let (feed, body) = fed();
        feed.data("<p>a</p>");
        feed.trailers(digests());
        drop(feed);
        let (_, trailing) = all(body_of(html_with(status, body)).await).await;
        assert_eq!(trailing, Some(expected), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_that_is_up_gives_what_was_held_back_then_the_error() {
    let came = "<p>a</p><div class=\"result\"><h2 class=\"result__title\">";
    let (feed, body) = fed();
    feed.data(came);
    let mut body = body_of(html(body)).await;
    let mut passed = Vec::new();
    let error = loop {
        match body.frame().await.unwrap() {
            Ok(frame) => passed.extend_from_slice(&frame.into_data().unwrap()),
            Err(error) => break error,
        }
    };
    assert_eq!(passed, came.as_bytes());
    assert!(error.is_timeout());
    assert!(body.is_end_stream());
    assert!(body.frame().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_gives_what_came_then_the_error_then_nothing() {
    let came = page("tower").ads(1).to_html();
    let came = &came[..came.len() / 2];
    for length in LENGTHS {
        let (feed, body) = fed();
        for chunk in came.as_bytes().chunks(length.min(came.len())) {
            feed.data(chunk.to_vec());
        }
        feed.fail("reset");
        drop(feed);
        let mut body = body_of(html(body)).await;
        let mut passed = Vec::new();
        let error = loop {
            match body.frame().await.unwrap() {
                Ok(frame) => passed.extend_from_slice(&frame.into_data().unwrap()),
                Err(error) => break error,
            }
            assert!(!body.is_end_stream(), "the error is still to come");
        };
        assert_eq!(String::from_utf8(passed).unwrap(), without_ads(came));
        assert!(error.is_transport());
        assert_eq!(
            std::error::Error::source(&error).unwrap().to_string(),
            "reset"
        );
        for _ in 0..3 {
            assert!(body.is_end_stream());
            assert!(body.frame().await.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_html_body_is_told_when_all_has_been_handed_out_and_not_before() {
    /// What comes after the page's last byte.
    #[derive(Clone, Copy, PartialEq)]
    enum Last {
        Nothing,
        Trailers,
        Failure,
        Timeout,
    }
    // All of the block is held back until the end, in several pieces.
    let came = "<p>a</p><div class=\"result\"><h2 class=\"result__title\">";
    for last in [Last::Nothing, Last::Trailers, Last::Failure, Last::Timeout] {
        let (feed, body) = fed();
        for chunk in came.as_bytes().chunks(7) {
            feed.data(chunk.to_vec());
        }
        match last {
            Last::Nothing | Last::Timeout => {}
            Last::Trailers => feed.trailers(trailers()),
            Last::Failure => feed.fail("reset"),
        }
        let feed = (last == Last::Timeout).then_some(feed);
        let mut body = body_of(html(body)).await;
        let mut frames = 0;
        while let Some(frame) = body.frame().await {
            frames += 1;
            let is_last = frame.is_err() || frame.unwrap().is_trailers();
            assert!(!is_last || last != Last::Nothing);
            // It may be told late, but never early.
            if body.is_end_stream() {
                assert!(body.frame().await.is_none());
            }
        }
        assert!(frames >= 5, "{frames}");
        assert!(body.is_end_stream());
        drop(feed);
    }
}
