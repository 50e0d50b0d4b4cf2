use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::error::Error;
use crate::BoxError;

pin_project! {
    /// The inner service's body, with what has been read of it ahead.
    #[derive(Debug)]
    pub(super) struct Source<B> {
        #[pin]
        body: Place<B>,
        ahead: VecDeque<Result<Frame<Bytes>, Error>>,
        // Whether nothing is left but what has been read ahead.
        over: bool,
    }
}

pin_project! {
    /// A body that is to be read ahead and then moved must be boxed, as it may not be moved once it has been polled.
    #[derive(Debug)]
    #[project = PlaceProj]
    enum Place<B> {
        Here { #[pin] body: B },
        Boxed { body: Pin<Box<B>> },
    }
}

impl<B> Source<B> {
    pub(super) fn new(body: B) -> Self {
        Self::at(Place::Here { body })
    }

    pub(super) fn to_read_ahead(body: B) -> Self {
        Self::at(Place::Boxed {
            body: Box::pin(body),
        })
    }

    fn at(body: Place<B>) -> Self {
        Self {
            body,
            ahead: VecDeque::new(),
            over: false,
        }
    }

    pub(super) fn get_ref(&self) -> &B {
        match &self.body {
            Place::Here { body } => body,
            Place::Boxed { body } => body,
        }
    }

    /// What comes last: it stands for all that the body has not given yet.
    pub(super) fn end_ahead_with(&mut self, error: Error) {
        self.ahead.push_back(Err(error));
        self.over = true;
    }
}

impl<B> Source<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    /// The next frame. An error is the last thing that comes.
    pub(super) fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = self.project();
        if let Some(frame) = this.ahead.pop_front() {
            return Poll::Ready(Some(frame));
        }
        if *this.over {
            return Poll::Ready(None);
        }
        let frame = ready!(match this.body.project() {
            PlaceProj::Here { body } => body.poll_frame(cx),
            PlaceProj::Boxed { body } => body.as_mut().poll_frame(cx),
        });
        *this.over = !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame.map(|frame| frame.map_err(Error::body)))
    }

    /// Reads one frame and keeps it.
    ///
    /// # Panics
    ///
    /// When this was not made [to be read ahead](Self::to_read_ahead).
    pub(super) fn poll_ahead(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<&Frame<Bytes>, &Error>>> {
        let Place::Boxed { body } = &mut self.body else {
            unreachable!("read ahead only where it was made for that");
        };
        let frame = ready!(body.as_mut().poll_frame(cx));
        self.over = !matches!(frame, Some(Ok(_))) || body.is_end_stream();
        let Some(frame) = frame else {
            return Poll::Ready(None);
        };
        self.ahead.push_back(frame.map_err(Error::body));
        Poll::Ready(self.ahead.back().map(Result::as_ref))
    }

    /// Whether nothing is left to read ahead.
    pub(super) fn is_read_out(&self) -> bool {
        self.over
    }

    pub(super) fn is_over(&self) -> bool {
        self.ahead.is_empty() && (self.over || self.get_ref().is_end_stream())
    }

    pub(super) fn size_hint(&self) -> SizeHint {
        let ahead = self.ahead.iter().flatten();
        let ahead: usize = ahead
            .filter_map(|frame| Some(frame.data_ref()?.len()))
            .sum();
        let rest = match self.over {
            true => SizeHint::with_exact(0),
            false => self.get_ref().size_hint(),
        };
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower() + ahead as u64);
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper + ahead as u64);
        }
        hint
    }
}
