//! The signs of throttling in gRPC: status 8, in the headers of an answer without messages or in the trailers of any other.

use std::time::Duration;

use http::{HeaderMap, header::CONTENT_TYPE};

use super::signs::{Cause, Sign};

const OK: &str = "0";
pub(super) const DEADLINE_EXCEEDED: &str = "4";
pub(super) const RESOURCE_EXHAUSTED: &str = "8";

/// How long a server asks not to be asked again.
pub(super) const PUSHBACK: &str = "grpc-retry-pushback-ms";

pub(super) fn is_grpc(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE);
    value.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}

/// Whether these headers or trailers say that the server has had enough.
pub(super) fn sign_in(headers: &HeaderMap) -> Option<Sign> {
    (status(headers)? == RESOURCE_EXHAUSTED.as_bytes()).then(|| Sign {
        cause: Cause::GrpcStatus,
        retry_after: pushback(headers),
    })
}

pub(super) fn is_ok(headers: &HeaderMap) -> bool {
    status(headers).is_some_and(|status| status == OK.as_bytes())
}

fn status(headers: &HeaderMap) -> Option<&[u8]> {
    Some(headers.get("grpc-status")?.as_bytes())
}

/// How long the server asks not to be asked again. A negative number asks not to retry at all, which names no time.
fn pushback(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(PUSHBACK)?.to_str().ok()?;
    let wait = Duration::from_millis(value.trim().parse().ok()?);
    (!wait.is_zero()).then_some(wait)
}
