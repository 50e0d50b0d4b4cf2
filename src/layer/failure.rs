use super::error::{Error, Phase};
use crate::{BoxError, gate::TurnError};

/// Why a request has no answer, with the inner service's error as it came.
#[derive(Debug)]
pub(super) enum Failure<E> {
    Refused(TurnError),
    /// The time was up before the answer began.
    Timeout,
    Service(E),
}

impl<E: Into<BoxError>> From<Failure<E>> for Error {
    fn from(failure: Failure<E>) -> Self {
        match failure {
            Failure::Refused(refused) => Self::refused(refused),
            Failure::Timeout => Self::timeout(Phase::Head),
            Failure::Service(error) => Self::service(error),
        }
    }
}
