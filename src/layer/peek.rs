use std::{
    mem,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{Response, response::Parts};
use http_body::Body;

use super::{body::SearchBody, body_reading::BodyReading, source::Source};
use crate::{
    BoxError,
    page::{PageKind, PageReader},
};

/// The most of a body that is read before its head is handed out. A challenge form stands within the first 4 KiB, the first result within
/// 21 KiB of the pages measured.
const LIMIT: usize = 32 * 1024;

/// Holds a head back until the body's first lines have told whether the page is a challenge.
#[derive(Debug)]
pub(super) struct Peek<B> {
    answer: Option<(Parts, BodyReading, Source<B>)>,
    reader: PageReader,
    /// How much has been read. An empty frame is kept like any other, and so counts as a byte.
    seen: usize,
}

impl<B> Peek<B> {
    pub(super) fn new(head: Parts, reading: BodyReading, body: B) -> Self {
        let reader = reading.new_reader().unwrap_or_default();
        Self {
            answer: Some((head, reading, Source::to_read_ahead(body))),
            reader: reader.collect_results(false),
            seen: 0,
        }
    }
}

impl<B> Peek<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Response<SearchBody<B>>> {
        let (_, reading, source) = self.answer.as_mut().expect("polled after completion");
        let kind = loop {
            let frame = match ready!(reading.poll_more(cx, |cx| source.poll_ahead(cx))) {
                Ok(frame) => frame,
                Err(timeout) => {
                    source.end_ahead_with(timeout);
                    break None;
                }
            };
            let data = match frame {
                Some(Ok(frame)) => frame.data_ref(),
                // Anything could have followed.
                Some(Err(_)) => break None,
                None => None,
            };
            if let Some(data) = data {
                self.seen += data.len().max(1);
                reading.made_progress(data.len());
                self.reader.feed(data.clone());
            }
            if data.is_none() || source.is_read_out() {
                break Some(mem::take(&mut self.reader).finish().kind);
            }
            if self.reader.is_challenge() {
                break Some(PageKind::Challenge);
            }
            if self.reader.has_results() {
                break Some(PageKind::Results);
            }
            if self.seen >= LIMIT || self.reader.stopped().is_some() {
                break None;
            }
        };
        let (mut head, mut reading, source) = self.answer.take().expect("just looked at");
        if let Some(kind) = kind {
            reading.recognised(kind);
        }
        reading.prepare(&mut head);
        let body = SearchBody::new(source, reading);
        Poll::Ready(Response::from_parts(head, body))
    }
}
