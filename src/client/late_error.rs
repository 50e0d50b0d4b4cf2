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

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::stream;
    use http_body_util::{BodyExt, BodyStream, Full, StreamBody};
    use tokio_test::{assert_pending, assert_ready, task};

    use super::*;

    #[test]
    fn an_error_comes_after_nothing_and_the_end_after_the_error() {
        let frames = [Ok(Frame::data(Bytes::from("a page"))), Err("broken")];
        let body = LateError::new(StreamBody::new(stream::iter(frames)));
        let mut frames = task::spawn(BodyStream::new(body));
        let data = assert_ready!(frames.poll_next()).unwrap().unwrap();
        assert_eq!(data.into_data().unwrap(), "a page");
        assert_pending!(frames.poll_next());
        assert!(frames.is_woken());
        let error = assert_ready!(frames.poll_next()).unwrap().unwrap_err();
        assert_eq!(error, "broken");
        assert!(assert_ready!(frames.poll_next()).is_none());
    }

    #[test]
    fn a_body_without_an_error_is_as_it_was() {
        let mut body = LateError::new(Full::new(Bytes::from("a page")));
        assert_eq!(body.size_hint().exact(), Some(6));
        assert!(!body.is_end_stream());
        let mut frame = task::spawn(body.frame());
        assert_ready!(frame.poll()).unwrap().unwrap();
        drop(frame);
        assert!(body.is_end_stream());
    }

    #[test]
    fn a_body_whose_error_is_to_come_has_not_ended() {
        let inner = Full::new(Bytes::new()).map_err(|never| match never {});
        assert!(inner.is_end_stream());
        let error = Some("broken");
        assert!(!LateError { inner, error }.is_end_stream());
    }
}
