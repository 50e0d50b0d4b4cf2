//! What a layer is set to.

use std::{fmt, sync::Arc, time::Duration};

use http::{Extensions, StatusCode, request::Parts};
use tokio::time::Instant;

use super::Deadline;
use crate::{
    gate::{SEARCH_DEADLINE, SearchGate},
    page::THROTTLE_STATUSES,
};

/// The longest that one request may take of its search's budget, 30 s: the provider answers within seconds or not at all.
pub const REQUEST_LIMIT: Duration = Duration::from_secs(30);

/// What stands for a budget that no clock can count: thirty years, as in tokio.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The end of a budget that begins now.
pub(crate) fn deadline_in(budget: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(budget).unwrap_or(now + FAR)
}

type Predicate = Arc<dyn Fn(&Parts) -> bool + Send + Sync>;

/// What a layer and its services share.
#[derive(Clone)]
pub(super) struct Config {
    pub(super) gate: SearchGate,
    pub(super) budget: Duration,
    pub(super) request_limit: Duration,
    pub(super) throttle_statuses: Vec<StatusCode>,
    pub(super) peek: bool,
    pub(super) refusal_status: StatusCode,
    pub(super) only: Option<Predicate>,
}

impl Config {
    pub(super) fn new(gate: SearchGate) -> Self {
        Self {
            gate,
            budget: SEARCH_DEADLINE,
            request_limit: REQUEST_LIMIT,
            throttle_statuses: THROTTLE_STATUSES.to_vec(),
            peek: false,
            refusal_status: StatusCode::TOO_MANY_REQUESTS,
            only: None,
        }
    }

    /// The request's own deadline, or the budget from now on.
    pub(super) fn deadline_of(&self, extensions: &Extensions) -> Instant {
        let given = extensions.get().map(|&Deadline(deadline)| deadline);
        given.unwrap_or_else(|| deadline_in(self.budget))
    }

    /// Whether a request takes a turn.
    pub(super) fn covers(&self, request: &Parts) -> bool {
        self.only.as_ref().is_none_or(|only| only(request))
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("gate", &self.gate)
            .field("budget", &self.budget)
            .field("request_limit", &self.request_limit)
            .field("throttle_statuses", &self.throttle_statuses)
            .field("peek", &self.peek)
            .field("refusal_status", &self.refusal_status)
            .field("only", &self.only.is_some())
            .finish()
    }
}
