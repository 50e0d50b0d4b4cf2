//! One request, from the wait for its head to the end of its body.

use std::{pin::Pin, task::Poll};

use http::{HeaderMap, Response, header::CONTENT_LENGTH};
use http_body::Body;
use search_gate::{BACKOFF, Error, Page, SearchBody, SearchGateLayer, Throttled};
use tokio_test::task::{Spawn, spawn};

use crate::{cases::Use, given::append, support::answer::FedBody};

/// What has become of the request.
pub(crate) enum Stage {
    Head(Spawn<Pin<Box<dyn Future<Output = Response<SearchBody<FedBody>>>>>>),
    Passing(Spawn<SearchBody<FedBody>>, Vec<Result<Vec<u8>, HeaderMap>>),
    Reading(Spawn<Pin<Box<dyn Future<Output = Result<Page, Error>>>>>),
    Passed(Vec<Result<Vec<u8>, HeaderMap>>, Option<Error>),
    Read(Result<Box<Page>, Error>),
    Dropped,
}

pub(crate) struct World {
    pub(crate) layer: SearchGateLayer,
    pub(crate) stage: Stage,
    pub(crate) used: Use,
    pub(crate) throttled: bool,
}

impl World {
    /// Polls on until it waits for what is yet to come.
    pub(crate) fn settle(&mut self) {
        loop {
            self.stage = match std::mem::replace(&mut self.stage, Stage::Dropped) {
                Stage::Head(mut head) => match head.poll() {
                    Poll::Pending if head.is_woken() => Stage::Head(head),
                    Poll::Pending => return self.stage = Stage::Head(head),
                    Poll::Ready(response) => self.has_head(response),
                },
                Stage::Passing(mut body, mut passed) => {
                    match body.enter(|cx, body| body.poll_frame(cx)) {
                        Poll::Pending if body.is_woken() => Stage::Passing(body, passed),
                        Poll::Pending => return self.stage = Stage::Passing(body, passed),
                        Poll::Ready(Some(Ok(frame))) => {
                            match frame.into_data() {
                                Ok(data) => append(&mut passed, &data),
                                Err(last) => {
                                    let last = last.into_trailers().unwrap();
                                    passed.extend([Err(last), Ok(Vec::new())]);
                                }
                            }
                            Stage::Passing(body, passed)
                        }
                        Poll::Ready(Some(Err(error))) => Stage::Passed(passed, Some(error)),
                        Poll::Ready(None) => Stage::Passed(passed, None),
                    }
                }
                Stage::Reading(mut page) => match page.poll() {
                    Poll::Pending if page.is_woken() => Stage::Reading(page),
                    Poll::Pending => return self.stage = Stage::Reading(page),
                    Poll::Ready(page) => Stage::Read(page.map(Box::new)),
                },
                over => return self.stage = over,
            };
        }
    }

    fn has_head(&mut self, response: Response<SearchBody<FedBody>>) -> Stage {
        self.throttled = response.extensions().get::<Throttled>().is_some();
        let has_length = response.headers().contains_key(CONTENT_LENGTH);
        assert_eq!(
            self.throttled, has_length,
            "the length is told of what is not cut"
        );
        if self.throttled {
            assert_eq!(self.layer.gate().backoff_left(), Some(BACKOFF));
        }
        let body = response.into_body();
        match self.used {
            Use::PassOn => Stage::Passing(spawn(body), vec![Ok(Vec::new())]),
            Use::AsPage => Stage::Reading(spawn(Box::pin(body.page()))),
            Use::Drop => Stage::Dropped,
        }
    }
}
