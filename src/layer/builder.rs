use std::{marker::PhantomData, sync::Arc, time::Duration};

use http::{StatusCode, request::Parts};

use super::{
    SearchGateLayer,
    config::Config,
    respond::{AsErrors, AsResponses},
};
use crate::gate::{BuildError, SearchGate};

/// Sets up a [`SearchGateLayer`]; made by [`SearchGateLayer::builder`].
///
/// ```
/// use std::time::Duration;
/// use http::StatusCode;
/// use search_gate::{SearchGate, SearchGateLayer};
///
/// let layer = SearchGateLayer::builder()
///     .gate(SearchGate::builder().interval(Duration::from_secs(4)).build()?)
///     .budget(Duration::from_secs(90))
///     .request_limit(Duration::from_secs(20))
///     .throttle_status(StatusCode::IM_A_TEAPOT)
///     .only(|request| request.uri.host() == Some("html.duckduckgo.com"))
///     .build()?;
/// # Ok::<_, search_gate::BuildError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct SearchGateLayerBuilder<M = AsErrors> {
    config: Config,
    refusals: PhantomData<M>,
}

impl SearchGateLayerBuilder {
    pub(super) fn new() -> Self {
        Self {
            config: Config::new(SearchGate::duckduckgo()),
            refusals: PhantomData,
        }
    }

    /// Answers a request that the gate refuses, instead of failing it: see [`AsResponses`].
    pub fn respond(self) -> SearchGateLayerBuilder<AsResponses> {
        SearchGateLayerBuilder {
            config: self.config,
            refusals: PhantomData,
        }
    }
}

impl SearchGateLayerBuilder<AsResponses> {
    /// The status of the answer to a request that the gate refuses. Default: 429; 503 suits a server whose clients did not ask too much
    /// themselves. Answers to gRPC requests have gRPC's own.
    pub fn refusal_status(mut self, status: StatusCode) -> Self {
        self.config.refusal_status = status;
        self
    }
}

impl<M> SearchGateLayerBuilder<M> {
    /// The gate that gives the turns. Default: [`SearchGate::duckduckgo`], the one of the whole process.
    pub fn gate(mut self, gate: SearchGate) -> Self {
        self.config.gate = gate;
        self
    }

    /// How long a request may take with its wait for a turn, from the first poll of its future, unless it carries a
    /// [`Deadline`](super::Deadline). Default: [`SEARCH_DEADLINE`](crate::SEARCH_DEADLINE).
    pub fn budget(mut self, budget: Duration) -> Self {
        self.config.budget = budget;
        self
    }

    /// How much of its budget a request may take once it has started, its answer's body included. Default: [`REQUEST_LIMIT`](super::REQUEST_LIMIT).
    ///
    /// A gate waits no longer than its [`turn_lease`](crate::SearchGateBuilder::turn_lease) for news of a request that tries whether a back-off is
    /// over; make that as long as this.
    pub fn request_limit(mut self, limit: Duration) -> Self {
        self.config.request_limit = limit;
        self
    }

    /// One more status that says that the provider throttles.
    pub fn throttle_status(mut self, status: StatusCode) -> Self {
        if !self.config.throttle_statuses.contains(&status) {
            self.config.throttle_statuses.push(status);
        }
        self
    }

    /// The statuses that say that the provider throttles, instead of [the usual ones](crate::is_throttle_status).
    pub fn throttle_statuses(mut self, statuses: impl IntoIterator<Item = StatusCode>) -> Self {
        self.config.throttle_statuses = statuses.into_iter().collect();
        self
    }

    /// Whether a page's head is held back until its first result, its challenge form, its end or its first 32 KiB have been read, and no
    /// other turn is given until then. A challenge page under status 200 then carries [`Throttled`](super::Throttled) in its head,
    /// and no other request follows it. Default: off; a challenge under status 200 is found while the body is read.
    ///
    /// An answer that is no page to read is handed out at once, and the next turn is given when its body has ended or been dropped.
    /// What was read is handed out again as it came, uncopied. The body is boxed for it, and its first lines are parsed twice.
    pub fn peek(mut self, peek: bool) -> Self {
        self.config.peek = peek;
        self
    }

    /// Which requests take a turn. The others go through at once, without a limit, and their answers are not looked at. Default: all.
    pub fn only(mut self, covers: impl Fn(&Parts) -> bool + Send + Sync + 'static) -> Self {
        self.config.only = Some(Arc::new(covers));
        self
    }

    /// Makes the layer.
    ///
    /// # Errors
    ///
    /// When the budget or the request limit is zero: every request would be refused or time out. When the status of a refusal is none of an error.
    pub fn build(self) -> Result<SearchGateLayer<M>, BuildError> {
        for (name, value) in [
            ("budget", self.config.budget),
            ("request_limit", self.config.request_limit),
        ] {
            if value.is_zero() {
                return Err(BuildError::new(format!(
                    "the {name} is zero; set how long a request may take"
                )));
            }
        }
        let status = self.config.refusal_status;
        if !(status.is_client_error() || status.is_server_error()) {
            return Err(BuildError::new(format!(
                "the refusal_status is {status}, which is no error; set 429 or 503"
            )));
        }
        Ok(SearchGateLayer::from_config(self.config))
    }
}
