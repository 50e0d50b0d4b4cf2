//! What a tonic client makes of an error, unless it is told otherwise, is `Unknown`.

use std::sync::Arc;

use tonic::{Code, Status};

use super::{
    error::{Kind, REFUSED},
    grpc::PUSHBACK,
};

/// The status of an error that a gRPC client should act on.
pub(super) fn of(kind: &Kind) -> Option<Status> {
    match kind {
        Kind::Refused(refused) => {
            let message = format!("{REFUSED}: {refused}");
            let mut status = Status::new(Code::ResourceExhausted, message);
            let pushback = refused.retry_after().as_millis();
            let pushback = u64::try_from(pushback).unwrap_or(u64::MAX);
            status.metadata_mut().insert(PUSHBACK, pushback.into());
            status.set_source(Arc::new(refused.clone()));
            Some(status)
        }
        Kind::Timeout(_) => Some(Status::new(
            Code::DeadlineExceeded,
            "the request's time was up",
        )),
        _ => None,
    }
}
