//! What an error says.

use std::{error::Error as StdError, fmt};

use super::{Error, Kind, Phase};
use crate::{gate::whole_seconds, layer::signs::THROTTLE_HINT, reasons};

/// What is told of a refusal, before why.
pub(in crate::layer) const REFUSED: &str = "the search gate refused the request";

/// What is told when the time was up before there was an answer.
pub(in crate::layer) const NO_ANSWER_IN_TIME: &str =
    "the request's time was up before its answer began";

const MORE_TIME: &str = "; give it more time, or come again later";

impl Error {
    fn cause(&self) -> Option<&(dyn StdError + 'static)> {
        match &*self.kind {
            Kind::Refused(refused) => Some(refused),
            Kind::Service(source) | Kind::Body(source) | Kind::Answer(source) => Some(&**source),
            Kind::Page(source) => Some(source),
            Kind::Query(source) => Some(source),
            Kind::Throttled(_) | Kind::Timeout(_) | Kind::Incomplete(_) | Kind::Unreadable(_) => {
                None
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Error").field(&self.kind).finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            Kind::Refused(_) => f.write_str(REFUSED),
            Kind::Throttled(throttled) => {
                let seconds = whole_seconds(throttled.backoff());
                write!(
                    f,
                    "the search provider answered with {}{THROTTLE_HINT}: in {seconds} s the gate is open again",
                    throttled.cause()
                )
            }
            Kind::Timeout(Phase::Head) => write!(f, "{NO_ANSWER_IN_TIME}{MORE_TIME}"),
            Kind::Timeout(Phase::Body) => write!(
                f,
                "the request's time was up before its answer ended{MORE_TIME}"
            ),
            Kind::Service(_) => f.write_str("the request failed"),
            Kind::Body(_) => f.write_str("the answer broke off"),
            Kind::Page(_) => f.write_str("the answer is not a page of results"),
            Kind::Incomplete(None) => f.write_str("the page was cut off before its end"),
            Kind::Incomplete(Some(stopped)) => {
                write!(f, "the page was not read to its end: {stopped}")
            }
            Kind::Unreadable(why) => f.write_str(why),
            Kind::Query(_) => f.write_str("the query cannot be sent"),
            Kind::Answer(_) => f.write_str("the answer is not an instant answer"),
        }?;
        // Not a status made for tonic, which says the same over again.
        reasons::tell(f, self.cause())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        #[cfg(feature = "tonic")]
        if let Some(status) = &self.status {
            return Some(&**status);
        }
        self.cause()
    }
}
