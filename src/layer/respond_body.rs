use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::{body::SearchBody, error::Error};
use crate::BoxError;

pin_project! {
    /// The body of an answer through a gate that answers what it refuses: the inner service's, or a sentence of the gate's.
    #[derive(Debug)]
    pub struct RespondBody<B> {
        #[pin]
        origin: Origin<B>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = OriginProj]
    enum Origin<B> {
        Service { #[pin] body: SearchBody<B> },
        Gate { text: Bytes },
    }
}

impl<B> RespondBody<B> {
    pub(super) fn answer(body: SearchBody<B>) -> Self {
        Self {
            origin: Origin::Service { body },
        }
    }

    pub(super) fn own(text: String) -> Self {
        Self {
            origin: Origin::Gate { text: text.into() },
        }
    }

    /// The body of the inner service's answer, to read as data; `None` if the answer is the gate's.
    #[must_use]
    pub fn into_search_body(self) -> Option<SearchBody<B>> {
        match self.origin {
            Origin::Service { body } => Some(body),
            Origin::Gate { .. } => None,
        }
    }
}

impl<B> Default for RespondBody<B> {
    fn default() -> Self {
        Self::own(String::new())
    }
}

impl<B> Body for RespondBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match self.project().origin.project() {
            OriginProj::Service { body } => body.poll_frame(cx),
            OriginProj::Gate { text } if text.is_empty() => Poll::Ready(None),
            OriginProj::Gate { text } => Poll::Ready(Some(Ok(Frame::data(std::mem::take(text))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.origin {
            Origin::Service { body } => body.is_end_stream(),
            Origin::Gate { text } => text.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.origin {
            Origin::Service { body } => body.size_hint(),
            Origin::Gate { text } => SizeHint::with_exact(text.len() as u64),
        }
    }
}
