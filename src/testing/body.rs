//! A page on its way: all at once or in chunks, whole or not.

use super::gzip::Gzip;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// What goes wrong with a body, and after how many bytes of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing more comes, and the connection stays.
    Stall(usize),
    /// The connection is closed.
    Cut(usize),
}

/// How a body is sent. The default is at once and whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Delivery {
    /// How much of the page a chunk has, and the real time between two.
    pub(super) chunks: Option<(usize, Duration)>,
    pub(super) fault: Option<Fault>,
}

/// The connection was cut on purpose.
#[derive(Debug)]
pub(super) struct CutOff;

impl std::fmt::Display for CutOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the stand-in cut the body off, as it was told")
    }
}

impl std::error::Error for CutOff {}

#[derive(Debug)]
pub(super) struct PageBody {
    rest: Bytes,
    sent: usize,
    delivery: Delivery,
    gzip: Option<Gzip>,
    pause: Option<Pin<Box<Sleep>>>,
    flushed: bool,
}

impl PageBody {
    pub(super) fn new(page: impl Into<Bytes>, delivery: Delivery) -> Self {
        Self {
            rest: page.into(),
            sent: 0,
            delivery,
            gzip: None,
            pause: None,
            flushed: false,
        }
    }

    /// Compressed. The delivery goes by the bytes of the page all the same.
    pub(super) fn gzipped(self) -> Self {
        Self {
            gzip: Some(Gzip::new()),
            ..self
        }
    }

    fn fault_in(&self) -> Option<usize> {
        self.delivery
            .fault
            .map(|(Fault::Stall(after) | Fault::Cut(after))| after.saturating_sub(self.sent))
    }
}

impl Body for PageBody {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        let fault_in = self.fault_in();
        if fault_in == Some(0) {
            if matches!(self.delivery.fault, Some(Fault::Cut(_))) {
                if self.flushed {
                    return Poll::Ready(Some(Err(CutOff)));
                }
                // hyper writes out what it has when the body has nothing to give; an error would throw it away.
                self.flushed = true;
                cx.waker().wake_by_ref();
            }
            // A stall has no waker: hyper itself sees that the client has gone.
            return Poll::Pending;
        }
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let chunk = self
            .delivery
            .chunks
            .map_or(usize::MAX, |(length, _)| length);
        let length = chunk
            .min(fault_in.unwrap_or(usize::MAX))
            .min(self.rest.len());
        let mut data = self.rest.split_to(length);
        self.sent += length;
        let last = self.rest.is_empty() && self.fault_in() != Some(0);
        if let Some(gzip) = &mut self.gzip {
            data = gzip.piece(&data, last);
        }
        if let Some((_, pause)) = self.delivery.chunks
            && !pause.is_zero()
            && !self.rest.is_empty()
        {
            self.pause = Some(Box::pin(sleep(pause)));
        }
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.delivery.fault.is_none()
    }

    /// Exact only for a page that is sent at once and as it is: then hyper sends its length, else chunks, as the provider does.
    fn size_hint(&self) -> SizeHint {
        let Delivery { chunks, fault } = self.delivery;
        if chunks.is_none() && fault.is_none() && self.gzip.is_none() {
            SizeHint::with_exact(self.rest.len() as u64)
        } else {
            SizeHint::new()
        }
    }
}
