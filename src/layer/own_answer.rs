//! Answers of the gate's own, and the body that both these and the inner service's have.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use http_body::{Body, Frame, SizeHint};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use pin_project_lite::pin_project;

use super::{
    body::SearchBody,
    error::Error,
    grpc::{self, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED},
};
use crate::{
    BoxError,
    gate::{Refusal, TurnError},
};

/// An answer of the gate's own.
pub(super) struct OwnAnswer {
    status: StatusCode,
    grpc_status: &'static str,
    /// With the seconds after which to come again.
    refusal: Option<(Refusal, u64)>,
    message: String,
}

/// What gRPC does not take in a message as it is.
const MESSAGE: &AsciiSet = &CONTROLS.add(b'%');

impl OwnAnswer {
    pub(super) fn refused(status: StatusCode, refused: &TurnError) -> Self {
        Self {
            status,
            grpc_status: RESOURCE_EXHAUSTED,
            refusal: Some((refused.refusal(), refused.retry_after().as_secs())),
            message: format!("the search gate refused the request: {refused}"),
        }
    }

    pub(super) fn timeout() -> Self {
        Self {
            status: StatusCode::GATEWAY_TIMEOUT,
            grpc_status: DEADLINE_EXCEEDED,
            refusal: None,
            message: "the request's time was up before its answer began".to_owned(),
        }
    }

    pub(super) fn into_http<B>(self) -> Response<RespondBody<B>> {
        let mut response = Response::new(RespondBody::own(self.message));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        if let Some((refusal, seconds)) = self.refusal {
            headers.insert(RETRY_AFTER, seconds.into());
            response.extensions_mut().insert(refusal);
        }
        response
    }

    /// The status in the headers and no messages, as gRPC has an answer that is over before it begins.
    pub(super) fn into_grpc<B>(self, content_type: HeaderValue) -> Response<RespondBody<B>> {
        let mut response = Response::new(RespondBody::default());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, content_type);
        headers.insert(
            HeaderName::from_static("grpc-status"),
            HeaderValue::from_static(self.grpc_status),
        );
        let message = utf8_percent_encode(&self.message, MESSAGE).to_string();
        if let Ok(message) = HeaderValue::try_from(message) {
            headers.insert(HeaderName::from_static("grpc-message"), message);
        }
        if let Some((refusal, seconds)) = self.refusal {
            let pushback = seconds.saturating_mul(1000).into();
            headers.insert(HeaderName::from_static(grpc::PUSHBACK), pushback);
            response.extensions_mut().insert(refusal);
        }
        response
    }
}

pin_project! {
    /// The body of an answer through a gate that answers what it refuses: the inner service's, or a sentence of the gate's.
    #[derive(Debug)]
    pub struct RespondBody<B> {
        #[pin]
        origin: Origin<B>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = OriginProj]
    enum Origin<B> {
        Service { #[pin] body: SearchBody<B> },
        Gate { text: Bytes },
    }
}

impl<B> RespondBody<B> {
    pub(super) fn answer(body: SearchBody<B>) -> Self {
        Self {
            origin: Origin::Service { body },
        }
    }

    fn own(text: String) -> Self {
        Self {
            origin: Origin::Gate { text: text.into() },
        }
    }

    /// The body of the inner service's answer, to read as data; `None` if the answer is the gate's.
    #[must_use]
    pub fn into_search_body(self) -> Option<SearchBody<B>> {
        match self.origin {
            Origin::Service { body } => Some(body),
            Origin::Gate { .. } => None,
        }
    }
}

impl<B> Default for RespondBody<B> {
    fn default() -> Self {
        Self::own(String::new())
    }
}

impl<B> Body for RespondBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match self.project().origin.project() {
            OriginProj::Service { body } => body.poll_frame(cx),
            OriginProj::Gate { text } if text.is_empty() => Poll::Ready(None),
            OriginProj::Gate { text } => Poll::Ready(Some(Ok(Frame::data(std::mem::take(text))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.origin {
            Origin::Service { body } => body.is_end_stream(),
            Origin::Gate { text } => text.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.origin {
            Origin::Service { body } => body.size_hint(),
            Origin::Gate { text } => SizeHint::with_exact(text.len() as u64),
        }
    }
}
