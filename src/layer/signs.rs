//! How an answer says that the provider throttles.

use std::{fmt, time::Duration};

use http::{StatusCode, response::Parts};

use super::{grpc, retry_after::retry_after};
use crate::{
    gate::Verdict,
    page::{Page, PageKind, is_throttle_status},
    telemetry,
};

/// Why a provider answers with a challenge page or with a 202, 403 or 429. Meant to stand behind such a finding: "HTTP 202" and this.
pub const THROTTLE_HINT: &str = ", its answer to an address that asks too often or looks automated; leave it alone for a while, then try again";

/// The mark on a response that the provider throttled: the layer puts it into the response's extensions.
///
/// The gate was told before the response was handed out. The response itself is as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttled {
    cause: Cause,
    backoff: Duration,
}

impl Throttled {
    pub(super) fn new(cause: Cause, backoff: Duration) -> Self {
        Self { cause, backoff }
    }

    /// By what it was known.
    #[must_use]
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// How long the gate backs off, from the moment of the answer.
    #[must_use]
    pub fn backoff(&self) -> Duration {
        self.backoff
    }
}

/// By what a throttled answer was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The response's status.
    Status(StatusCode),
    /// The challenge form in the page.
    Challenge,
    /// gRPC's status RESOURCE_EXHAUSTED.
    GrpcStatus,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {}", status.as_u16()),
            Self::Challenge => f.write_str("a challenge page"),
            Self::GrpcStatus => f.write_str("gRPC status RESOURCE_EXHAUSTED"),
        }
    }
}

impl From<Cause> for telemetry::Cause {
    fn from(cause: Cause) -> Self {
        let (name, status) = match cause {
            Cause::Status(status) => ("status", Some(status.as_u16())),
            Cause::Challenge => ("challenge", None),
            Cause::GrpcStatus => ("grpc", None),
        };
        Self { name, status }
    }
}

/// What an answer says of throttling.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sign {
    pub(super) cause: Cause,
    /// How long the provider asks to be left alone.
    pub(super) retry_after: Option<Duration>,
}

impl Sign {
    pub(super) const CHALLENGE: Self = Self {
        cause: Cause::Challenge,
        retry_after: None,
    };

    /// The sign in an answer's head: one of `statuses`, a 503 that says when to come again, or gRPC's own.
    pub(super) fn in_head(head: &Parts, statuses: &[StatusCode]) -> Option<Self> {
        let retry_after = retry_after(&head.headers);
        let busy = head.status == StatusCode::SERVICE_UNAVAILABLE && retry_after.is_some();
        if busy || statuses.contains(&head.status) {
            return Some(Self {
                cause: Cause::Status(head.status),
                retry_after,
            });
        }
        match grpc::is_grpc(&head.headers) {
            true => grpc::sign_in(&head.headers),
            false => None,
        }
    }
}

/// What a page says by its kind alone, whatever status it came with.
pub(super) fn verdict_of(kind: PageKind) -> Verdict {
    match kind {
        PageKind::Challenge => Verdict::Throttled { retry_after: None },
        PageKind::Results | PageKind::NoResults => Verdict::Answered,
        PageKind::Unrecognised => Verdict::Unknown,
    }
}

/// A challenge is a throttled request; results, and a page that truly has none, are an answer. A page of no known kind says nothing,
/// unless it came with a [throttle status](is_throttle_status).
impl From<&Page> for Verdict {
    fn from(page: &Page) -> Self {
        if page.status.is_some_and(is_throttle_status) {
            return Self::Throttled { retry_after: None };
        }
        verdict_of(page.kind)
    }
}
