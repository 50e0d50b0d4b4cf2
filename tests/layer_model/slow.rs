//! The inner service.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use search_gate::{BoxError, Endpoint, testing::challenge_page};
use tokio::sync::oneshot;
use tower::Service;

use crate::{
    ops::Answer,
    support::{
        answer::{full, html, html_with, page},
        service::{Probe, Req, Res},
    },
};

/// A [`Probe`] whose answers come when they are told to.
#[derive(Clone, Debug)]
pub(crate) struct Slow {
    pub(crate) probe: Probe,
    pub(crate) broken: Arc<AtomicBool>,
    pub(crate) sent: Arc<Mutex<Vec<oneshot::Sender<Answer>>>>,
}

pub(crate) struct Answering(oneshot::Receiver<Answer>);

impl Service<Req> for Slow {
    type Response = Res;
    type Error = BoxError;
    type Future = Answering;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if self.broken.load(Ordering::SeqCst) {
            return Poll::Ready(Err("broken".into()));
        }
        Service::<Req>::poll_ready(&mut self.probe, cx).map_err(BoxError::from)
    }

    fn call(&mut self, request: Req) -> Answering {
        drop(self.probe.call(request));
        let (sender, answered) = oneshot::channel();
        self.sent.lock().unwrap().push(sender);
        Answering(answered)
    }
}

impl Future for Answering {
    type Output = Result<Res, BoxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(Pin::new(&mut self.0).poll(cx))? {
            Answer::Page => Ok(html(full(page("tower").to_html()))),
            Answer::Refusal => Ok(html_with(http::StatusCode::ACCEPTED, full(""))),
            Answer::Challenge => Ok(html(full(challenge_page(Endpoint::Html, "tower")))),
            Answer::Failure => Err("failed".into()),
        })
    }
}
