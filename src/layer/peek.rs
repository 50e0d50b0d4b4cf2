use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Response, response::Parts};
use http_body::{Body, Frame};

use super::{body::SearchBody, reading::Reading, signs::Sign, source::Source};
use crate::{BoxError, page::PageReader};

/// The most of a body that is read before its head is handed out. A challenge form stands within the first 4 KiB, the first result within
/// 21 KiB of the pages measured.
const LIMIT: usize = 32 * 1024;

/// Holds a head back until the body's first lines have told whether the page is a challenge.
#[derive(Debug)]
pub(super) struct Peek<B> {
    answer: Option<(Parts, Reading, Source<B>)>,
    reader: PageReader,
    seen: usize,
}

impl<B> Peek<B> {
    pub(super) fn new(head: Parts, reading: Reading, body: B) -> Self {
        Self {
            answer: Some((head, reading, Source::to_read_ahead(body))),
            reader: PageReader::new().collect_results(false),
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
        loop {
            let data = match source.poll_ahead(cx) {
                Poll::Ready(frame) => frame.and_then(Frame::data_ref),
                Poll::Pending => match reading.poll_limit(cx) {
                    Poll::Ready(timeout) => {
                        source.end_ahead_with(timeout);
                        break;
                    }
                    Poll::Pending => return Poll::Pending,
                },
            };
            // Trailers, an error or the end: nothing more comes that could tell.
            let Some(data) = data else { break };
            self.seen += data.len();
            self.reader.feed(data.clone());
            if self.reader.is_challenge() {
                reading.watch.throttled(Sign::CHALLENGE);
                break;
            }
            if self.reader.has_results() {
                reading.watch.answered();
                break;
            }
            if self.seen >= LIMIT || source.is_read_out() {
                break;
            }
        }
        let (mut head, mut reading, source) = self.answer.take().expect("just looked at");
        reading.prepare(&mut head);
        let body = SearchBody::new(source, reading);
        Poll::Ready(Response::from_parts(head, body))
    }
}
