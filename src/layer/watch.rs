use std::time::Duration;

use http::{HeaderMap, response::Parts};

use super::{
    grpc,
    signs::{Sign, Throttled},
};
use crate::gate::{Turn, Verdict};

/// Watches one answer for what it says of the provider, and tells the gate, once.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// `None` when the gate has been told, or is not to be.
    turn: Option<Turn>,
    throttled: Option<Throttled>,
    is_grpc: bool,
    /// Whether the answer, if nothing more is seen, is as it should be.
    is_sound: bool,
}

impl Watch {
    /// Looks at the head. If that says that the provider throttles, the gate is told.
    pub(super) fn begin(turn: Turn, head: &Parts, sign: Option<Sign>) -> Self {
        let is_grpc = grpc::is_grpc(&head.headers);
        let mut watch = Self {
            turn: Some(turn),
            throttled: None,
            is_grpc,
            is_sound: match is_grpc {
                true => grpc::is_ok(&head.headers),
                false => head.status.is_success(),
            },
        };
        if let Some(sign) = sign {
            watch.throttled(sign);
        }
        watch
    }

    /// Puts what is known of throttling into a head that has not yet been handed out.
    pub(super) fn mark(&self, head: &mut Parts) {
        if let Some(throttled) = self.throttled {
            head.extensions.insert(throttled);
        }
    }

    /// What the gate was told, if the answer has shown that the provider throttles.
    pub(super) fn found_throttled(&self) -> Option<Throttled> {
        self.throttled
    }

    /// The provider throttled this request.
    pub(super) fn throttled(&mut self, sign: Sign) {
        if self.throttled.is_some() {
            return;
        }
        let turn = self.turn.take();
        let backoff = turn.and_then(|turn| turn.throttled(sign.retry_after, sign.cause.into()));
        let backoff = backoff.unwrap_or(Duration::ZERO);
        self.throttled = Some(Throttled::new(sign.cause, backoff));
    }

    /// Part of the answer shows that the request was not throttled. The turn is still out.
    pub(super) fn answered(&self) {
        if let Some(turn) = &self.turn {
            turn.answered();
        }
    }

    pub(super) fn see_trailers(&mut self, trailers: &HeaderMap) {
        if !self.is_grpc {
            return;
        }
        match grpc::sign_in(trailers) {
            Some(sign) => self.throttled(sign),
            None => self.is_sound |= grpc::is_ok(trailers),
        }
    }

    /// The answer has been read to its end, and was this; or, if it was no page, what its head and trailers said.
    pub(super) fn end(&mut self, verdict: Option<Verdict>) {
        let sound = match self.is_sound {
            true => Verdict::Answered,
            false => Verdict::Unknown,
        };
        if let Some(turn) = self.turn.take() {
            turn.settle(verdict.unwrap_or(sound));
        }
    }

    /// Nothing will be heard any more.
    pub(super) fn break_off(&mut self) {
        self.turn = None;
    }
}
