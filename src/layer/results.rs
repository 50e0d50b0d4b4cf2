use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;
use http_body::Body;
use pin_project_lite::pin_project;

use super::{body::SearchBody, error::Error};
use crate::{
    BoxError,
    page::{Page, SearchResult},
};

pin_project! {
    /// The results of a page as they arrive; made by [`SearchBody::results`].
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless polled"]
    pub struct Results<B> {
        #[pin]
        body: SearchBody<B>,
        stage: Stage,
        page: Option<Page>,
    }
}

#[derive(Debug)]
enum Stage {
    Reading,
    /// The body has ended; results may be left, then comes how it ended.
    Ending(std::vec::IntoIter<SearchResult>, Option<Error>),
}

impl<B> Results<B> {
    pub(super) fn new(body: SearchBody<B>) -> Self {
        Self {
            body,
            stage: Stage::Reading,
            page: None,
        }
    }

    /// What stands around the results: the next page, the spelling, the count of ads. Known once the page has been read to its end, which
    /// is so when the stream has ended without an error. Its `results` are empty: the stream has given them.
    #[must_use]
    pub fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }
}

impl<B> Stream for Results<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Item = Result<SearchResult, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            match this.stage {
                Stage::Ending(left, error) => {
                    let next = left.next().map(Ok).or_else(|| error.take().map(Err));
                    return Poll::Ready(next);
                }
                Stage::Reading => {}
            }
            if let Some(result) = this.body.as_mut().reading().next_result() {
                return Poll::Ready(Some(Ok(result)));
            }
            *this.stage = match ready!(this.body.as_mut().poll_page(cx)) {
                None => continue,
                Some(Ok(mut page)) => {
                    let incomplete = Error::incomplete(&page);
                    let left = std::mem::take(&mut page.results);
                    *this.page = Some(page);
                    Stage::Ending(left.into_iter(), incomplete)
                }
                Some(Err(error)) => Stage::Ending(Vec::new().into_iter(), Some(error)),
            };
        }
    }
}
