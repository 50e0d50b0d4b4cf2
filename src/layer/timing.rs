//! When a body is polled for more: with a pause now and then, and until its request's time is up.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::time::Sleep;

use super::error::{Error, Phase};

/// How much of a body is read without a pause. Parsing it takes a fraction of a millisecond.
const STINT: usize = 64 * 1024;

/// The least that a frame counts for, so that a stint is no more than 128 of them: tokio's own measure for what a task may do at once.
const FRAME: usize = STINT / 128;

#[derive(Debug)]
pub(super) struct Timing {
    /// Ends the request.
    limit: Option<Pin<Box<Sleep>>>,
    pauses: Pauses,
}

impl Timing {
    pub(super) fn new(limit: Option<Pin<Box<Sleep>>>) -> Self {
        Self {
            limit,
            pauses: Pauses::default(),
        }
    }

    /// Polls for more of the body, with a pause now and then, until the request's time is up. What has arrived comes first; empty frames
    /// alone are nothing.
    pub(super) fn poll_more<T>(
        &mut self,
        cx: &mut Context<'_>,
        poll: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<Result<T, Error>> {
        let polled = match self.pauses.pause(cx) {
            None => poll(cx),
            Some(pause) if pause.is_idle => Poll::Pending,
            Some(_) => return Poll::Pending,
        };
        match polled {
            Poll::Ready(more) => Poll::Ready(Ok(more)),
            Poll::Pending => self.poll_limit(cx).map(Err),
        }
    }

    /// So much of the body has been read.
    pub(super) fn made_progress(&mut self, bytes: usize) {
        self.pauses.made_progress(bytes);
    }

    /// Ready with the error to give when the request's time is up.
    fn poll_limit(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        let Some(limit) = &mut self.limit else {
            return Poll::Pending;
        };
        ready!(limit.as_mut().poll(cx));
        Poll::Ready(Error::timeout(Phase::Body))
    }
}

/// Lets others run now and then while a body that never pauses is read.
#[derive(Debug, Default)]
struct Pauses {
    spent: usize,
    bytes: usize,
}

/// A pause is due.
struct Pause {
    /// Whether nothing but empty frames has come since the last one.
    is_idle: bool,
}

impl Pauses {
    /// The pause, if one is due; whoever polls is woken at once then, and must return.
    fn pause(&mut self, cx: &mut Context<'_>) -> Option<Pause> {
        if self.spent < STINT {
            return None;
        }
        cx.waker().wake_by_ref();
        let is_idle = self.bytes == 0;
        *self = Self::default();
        Some(Pause { is_idle })
    }

    fn made_progress(&mut self, bytes: usize) {
        self.spent += bytes.max(FRAME);
        self.bytes += bytes;
    }
}
