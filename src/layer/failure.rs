use std::time::Duration;

use super::error::{Error, Phase};
use crate::{BoxError, gate::Refusal};

/// Why a request has no answer, with the inner service's error as it came.
#[derive(Debug)]
pub(super) enum Failure<E> {
    Refused {
        refusal: Refusal,
        retry_after: Duration,
    },
    /// The time was up before the answer began.
    Timeout,
    Service(E),
}

impl<E: Into<BoxError>> From<Failure<E>> for Error {
    fn from(failure: Failure<E>) -> Self {
        match failure {
            Failure::Refused {
                refusal,
                retry_after,
            } => Self::refused(refusal, retry_after),
            Failure::Timeout => Self::timeout(Phase::Head),
            Failure::Service(error) => Self::service(error),
        }
    }
}
