//! The body behind a head that was held back: everything in its place, and no copies.

mod support;

use std::{
    convert::Infallible,
    marker::PhantomPinned,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::StreamExt;
use http::{Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use pin_project_lite::pin_project;
use search_gate::{BoxError, Page, PageKind, SearchBody, Throttled};
use support::answer::{
    FedBody, Feed, LENGTHS, all, challenge, chunked, fed, full, html, html_with, page, peeking,
    through, trailers,
};

async fn body_of<B>(body: B) -> SearchBody<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    through(&peeking(), html(body)).await.into_body()
}

/// These bytes in frames of this length, then what `end` adds, then the end.
fn fed_with(content: &Bytes, length: usize, end: impl FnOnce(&Feed)) -> FedBody {
    let (feed, body) = fed();
    let mut rest = content.clone();
    while !rest.is_empty() {
        feed.data(rest.split_to(length.min(rest.len())));
    }
    end(&feed);
    body
}

/// A page of each kind, long and short.
fn pages() -> [(Bytes, PageKind); 5] {
    let nothing = "<p>Something else.</p>";
    [
        (page("tower").to_html(), PageKind::Results),
        (page("tower").results(0).to_html(), PageKind::NoResults),
        (challenge(), PageKind::Challenge),
        (nothing.to_owned(), PageKind::Unrecognised),
        (nothing.repeat(2000), PageKind::Unrecognised),
    ]
    .map(|(content, kind)| (content.into(), kind))
}

#[tokio::test(start_paused = true)]
async fn every_page_is_passed_on_whole_uncopied_and_with_its_trailers() {
    for (content, _) in pages() {
        let inside = content.as_ptr_range();
        for length in LENGTHS {
            let body = fed_with(&content, length, |feed| feed.trailers(trailers()));
            let mut body = body_of(body).await;
            let mut passed = 0;
            let last = loop {
                match body.frame().await.unwrap().unwrap().into_data() {
                    Ok(data) => {
                        assert!(inside.contains(&data.as_ptr()));
                        assert!(data[..] == content[passed..passed + data.len()]);
                        passed += data.len();
                    }
                    Err(last) => break last.into_trailers().unwrap(),
                }
            };
            assert_eq!((passed, last), (content.len(), trailers()));
            assert!(body.frame().await.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_keeps_its_frames() {
    let content = Bytes::from(challenge());
    for length in LENGTHS {
        let body = fed_with(&content, length, |feed| feed.data(""));
        let mut body = body_of(body).await;
        for expected in content.chunks(length) {
            let data = body.frame().await.unwrap().unwrap().into_data().unwrap();
            assert_eq!(
                (data.as_ptr(), data.len()),
                (expected.as_ptr(), expected.len())
            );
        }
        assert!(body.frame().await.unwrap().unwrap().is_data());
        assert!(body.frame().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_stays_where_it_was() {
    for (content, _) in pages() {
        // Within what was read ahead, and behind it.
        for length in [100, content.len()] {
            let content = content.slice(..length.min(content.len()));
            for chunk in LENGTHS {
                let body = fed_with(&content, chunk, |feed| {
                    feed.fail("reset");
                    feed.data("never asked for");
                });
                let mut body = body_of(body).await;
                let mut passed = 0;
                let error = loop {
                    match body.frame().await.unwrap() {
                        Ok(frame) => passed += frame.into_data().unwrap().len(),
                        Err(error) => break error,
                    }
                };
                assert!(error.is_transport());
                assert_eq!(passed, content.len());
                assert!(body.frame().await.is_none());
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_at_once_is_the_first_thing_in_the_body() {
    let body = fed_with(&Bytes::new(), 1, |feed| feed.fail("reset"));
    let mut body = body_of(body).await;
    assert!(body.frame().await.unwrap().unwrap_err().is_transport());
    assert!(body.frame().await.is_none());
    let body = fed_with(&Bytes::new(), 1, |feed| feed.fail("reset"));
    let error = body_of(body).await.page().await.unwrap_err();
    assert!(error.is_transport());
}

#[tokio::test(start_paused = true)]
async fn data_is_that_of_the_whole_page() {
    for (content, kind) in pages() {
        for length in LENGTHS {
            let read = || fed_with(&content, length, |feed| feed.trailers(trailers()));
            let expected = Page::read(200, "text/html; charset=UTF-8", &content);
            assert_eq!(expected.kind, kind);
            let read_page = body_of(read()).await.page().await;
            let results: Vec<_> = body_of(read()).await.results().collect().await;
            match kind {
                PageKind::Results | PageKind::NoResults => {
                    let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
                    assert_eq!(results, expected.results);
                    assert_eq!(read_page.unwrap(), expected);
                }
                kind => {
                    let [Err(error)] = &results[..] else {
                        panic!("{results:?}");
                    };
                    assert_eq!(error.is_throttled(), kind == PageKind::Challenge);
                    let error = read_page.unwrap_err();
                    assert_eq!(error.is_throttled(), kind == PageKind::Challenge);
                    assert_eq!(error.is_unrecognised(), kind != PageKind::Challenge);
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_size_is_known_where_nothing_can_be_cut() {
    let content = challenge();
    let mut body = body_of(full(content.clone())).await;
    assert_eq!(body.size_hint().exact(), Some(content.len() as u64));
    body.frame().await.unwrap().unwrap();
    assert_eq!(body.size_hint().exact(), Some(0));
    assert!(body.is_end_stream());

    let results = page("tower").to_html();
    let body = body_of(full(results.clone())).await;
    assert_eq!(body.size_hint().exact(), None);
    assert!(
        !body.is_end_stream(),
        "what was read ahead is still to come"
    );

    // An error page loses nothing either.
    let answer = html_with(StatusCode::NOT_FOUND, full(results.clone()));
    let body = through(&peeking(), answer).await.into_body();
    assert_eq!(body.size_hint().exact(), Some(results.len() as u64));
}

pin_project! {
    /// A body that must stay where it is once it has been polled, and panics when it was moved.
    struct Pinned {
        frames: FedBody,
        at: Option<usize>,
        #[pin]
        pinned: PhantomPinned,
    }
}

impl Body for Pinned {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let here = std::ptr::from_ref(&*self).addr();
        let this = self.project();
        assert_eq!(*this.at.get_or_insert(here), here, "moved");
        Pin::new(this.frames).poll_frame(cx)
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_must_stay_where_it_is_does() {
    let content = page("tower").to_html();
    let pinned = || Pinned {
        frames: chunked(content.clone(), 1000),
        at: None,
        pinned: PhantomPinned,
    };
    let page = Box::new(body_of(pinned()).await).page().await.unwrap();
    assert_eq!(page.results.len(), 10);
    let mut moved = vec![body_of(pinned()).await];
    moved.reserve(100);
    let results = Box::pin(moved.remove(0).results());
    assert_eq!(results.count().await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_cannot_be_shared_between_threads_will_do() {
    fn crosses<T: Send>(_: &T) {}
    let boxed = || UnsyncBoxBody::new(full(page("tower").ads(1).to_html()));
    let response: Response<SearchBody<UnsyncBoxBody<Bytes, Infallible>>> =
        through(&peeking(), html(boxed())).await;
    crosses(&response);
    assert!(response.extensions().get::<Throttled>().is_none());
    let page = tokio::spawn(response.into_body().page()).await.unwrap();
    assert_eq!(page.unwrap().results.len(), 10);
    let results = body_of(boxed()).await.results();
    crosses(&results);
    assert_eq!(results.count().await, 10);
}

#[tokio::test(start_paused = true)]
async fn the_inner_body_can_be_had_and_trailers_alone_are_passed_on() {
    let body: SearchBody<FedBody> = body_of(chunked("<p>a</p>", 3)).await;
    let _: &FedBody = body.get_ref();
    assert_eq!(all(body).await.0, "<p>a</p>");
    let only_trailers = fed_with(&Bytes::new(), 1, |feed| feed.trailers(trailers()));
    let passed = all(body_of(only_trailers).await).await;
    assert_eq!(passed, (Bytes::new(), Some(trailers())));
}
