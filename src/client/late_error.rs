//! The error of a body, a poll later than it came.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

pin_project! {
    /// A body that first has nothing, and then its error.
    ///
    /// A decompressor that is given an error throws away what it has decompressed and not yet handed out: the last results before a connection
    /// broke, or the challenge. While it is given nothing, it hands that out.
    #[derive(Debug)]
    pub(super) struct LateError<B, E> {
        #[pin]
        inner: B,
        error: Option<E>,
    }
}

impl<B, E> LateError<B, E> {
    pub(super) fn new(inner: B) -> Self {
        Self { inner, error: None }
    }
}

impl<B: Body<Error = E>, E> Body for LateError<B, E> {
    type Data = B::Data;
    type Error = E;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, E>>> {
        let this = self.project();
        if let Some(error) = this.error.take() {
            return Poll::Ready(Some(Err(error)));
        }
        match ready!(this.inner.poll_frame(cx)) {
            Some(Err(error)) => {
                *this.error = Some(error);
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            frame => Poll::Ready(frame),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.error.is_none() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
