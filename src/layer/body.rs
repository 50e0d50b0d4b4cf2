use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::{
    body_reading::BodyReading,
    error::Error,
    plan::{Unreadable, strip},
    results::Results,
    source::Source,
};
use crate::{BoxError, page::Page};

pin_project! {
    /// The body of an answer through the gate.
    ///
    /// Read it as data with [`results`](Self::results) or [`page`](Self::page), or pass it on: a page of results then goes on without
    /// its ads, byte for byte as it came otherwise, and anything else untouched, trailers too. A challenge page closes the gate in the moment
    /// its form has been read, whichever way the body is read.
    ///
    /// The body must end within its request's limit. Bytes that have arrived are handed out first, so a limit that passes
    /// while the reader of the body is busy loses nothing. A page that arrives without a pause is read 64 KiB at a time, so that other
    /// tasks get to run.
    #[derive(Debug)]
    pub struct SearchBody<B> {
        #[pin]
        source: Source<B>,
        reading: BodyReading,
        // What comes after the page's last byte: trailers, or the error that broke it off.
        last: Option<Result<Frame<Bytes>, Error>>,
        ended: bool,
    }
}

impl<B> SearchBody<B> {
    pub(super) fn new(source: Source<B>, reading: BodyReading) -> Self {
        Self {
            source,
            reading,
            last: None,
            ended: false,
        }
    }

    /// The body of an answer to a request that the layer does not cover.
    pub(super) fn untouched(inner: B) -> Self {
        Self::new(
            Source::new(inner),
            BodyReading::none(Unreadable::NotCovered),
        )
    }

    /// The inner service's body. Part of what it gave may be held here.
    pub fn get_ref(&self) -> &B {
        self.source.get_ref()
    }
}

impl<B> SearchBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    /// The page's results, each as soon as its markup has arrived. Ads are not among them.
    ///
    /// The stream ends in an error when the page is a challenge, is of no known kind, cannot be read, breaks off or takes too long; and when
    /// it was cut short or is more than the reader takes, so that not all of its results may have come ([`Error::is_incomplete`]). A page
    /// that has no results is an empty stream. Dropping the stream drops the body.
    pub fn results(self) -> Results<B> {
        Results::new(self)
    }

    /// Reads the whole page.
    ///
    /// # Errors
    ///
    /// When the page is a challenge ([`Error::is_throttled`]), is of no known kind ([`Error::is_unrecognised`]), cannot be read
    /// ([`Error::is_unreadable`]), breaks off ([`Error::is_transport`]) or takes too long ([`Error::is_timeout`]). What had been read is lost
    /// then; [`results`](Self::results) hands it out as it comes. A page that has no results is a page; so is one that was read only in
    /// part, which [`truncated`](Page::truncated) and [`stopped`](Page::stopped) tell.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the body, and what had been read.
    pub async fn page(self) -> Result<Page, Error> {
        let mut body = pin!(self);
        loop {
            if let Some(page) = poll_fn(|cx| body.as_mut().poll_page(cx)).await {
                return page;
            }
        }
    }

    /// The next frame of the inner body, shown to the reader. An error, or the time being up, is the last thing that comes.
    fn poll_inner(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let mut this = self.project();
        if *this.ended {
            return Poll::Ready(None);
        }
        let frame = ready!(
            this.reading
                .poll_more(cx, |cx| this.source.as_mut().poll_frame(cx))
        );
        let frame = frame.unwrap_or_else(|timeout| Some(Err(timeout)));
        match &frame {
            Some(Ok(frame)) => {
                this.reading.see(frame);
                // Who passes the body on may not ask again.
                *this.ended = this.source.is_over();
            }
            Some(Err(_)) | None => *this.ended = true,
        }
        match &frame {
            Some(Err(_)) => this.reading.break_off(),
            _ if *this.ended => this.reading.end(),
            _ => {}
        }
        Poll::Ready(frame)
    }

    /// Reads the page as data: `None` after each step of it, then the page with the results not yet taken, or why there is none.
    pub(super) fn poll_page(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Page, Error>>> {
        if let Err(unreadable) = self.as_mut().reading().as_data() {
            return Poll::Ready(Some(Err(unreadable)));
        }
        let frame = ready!(self.as_mut().poll_inner(cx));
        let reading = self.reading();
        Poll::Ready(match frame {
            Some(Err(error)) => Some(Err(error)),
            Some(Ok(_)) if !reading.is_over() => None,
            Some(Ok(_)) | None => Some(reading.take_page()),
        })
    }

    pub(super) fn reading(self: Pin<&mut Self>) -> &mut BodyReading {
        self.project().reading
    }
}

impl<B> Body for SearchBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let cuts = self.as_mut().reading().pass_on();
        loop {
            if let Some(html) = self.as_mut().reading().next_html() {
                return Poll::Ready(Some(Ok(Frame::data(html))));
            }
            if self.ended || self.last.is_some() {
                return Poll::Ready(self.as_mut().project().last.take());
            }
            match ready!(self.as_mut().poll_inner(cx)) {
                Some(Ok(frame)) if !cuts => return Poll::Ready(Some(Ok(frame))),
                Some(Ok(frame)) if frame.is_data() => {}
                Some(mut last) => {
                    let this = self.as_mut().project();
                    if let Ok(frame) = &mut last {
                        frame.trailers_mut().map(strip);
                        this.reading.end();
                    }
                    *this.last = Some(last);
                }
                None => {}
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self.reading.is_on() {
            true => self.ended && self.last.is_none() && !self.reading.holds_html(),
            false => self.ended || self.source.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        if self.reading.may_cut() {
            SizeHint::default()
        } else {
            self.source.size_hint()
        }
    }
}

impl<B: Default> Default for SearchBody<B> {
    fn default() -> Self {
        Self::untouched(B::default())
    }
}
