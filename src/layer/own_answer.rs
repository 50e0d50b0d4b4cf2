//! Answers of the gate's own to requests that have none from the inner service.

use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{
    error::{NO_ANSWER_IN_TIME, REFUSED},
    grpc::{self, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED},
    respond_body::RespondBody,
};
use crate::gate::{Refusal, TurnError};

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
            message: format!("{REFUSED}: {refused}"),
        }
    }

    pub(super) fn timeout() -> Self {
        Self {
            status: StatusCode::GATEWAY_TIMEOUT,
            grpc_status: DEADLINE_EXCEEDED,
            refusal: None,
            message: NO_ANSWER_IN_TIME.to_owned(),
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
