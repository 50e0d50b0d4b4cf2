use std::pin::Pin;

use http::{Method, Response};
use http_body::Body;
use tokio::time::Sleep;

use super::{
    body::SearchBody, body_reading::BodyReading, config::Config, peek::Peek, plan::Plan,
    signs::Sign, source::Source, watch::Watch,
};
use crate::gate::Turn;

/// What a request that has started carries.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) turn: Turn,
    pub(super) method: Method,
    /// Ends the request, its answer's body included.
    pub(super) limit: Pin<Box<Sleep>>,
}

/// An answer whose head has come.
#[derive(Debug)]
pub(super) enum Received<B> {
    Answer(Response<SearchBody<B>>),
    /// Its body is to be looked at before its head is handed out.
    Unsure(Peek<B>),
}

impl Exchange {
    /// Tells the gate what the answer's head says, and sees to its body.
    pub(super) fn receive<B: Body>(self, response: Response<B>, config: &Config) -> Received<B> {
        let (mut head, body) = response.into_parts();
        let plan = Plan::of(&head, &self.method);
        let sign = Sign::in_head(&head, &config.throttle_statuses);
        let watch = Watch::begin(self.turn, &head, sign);
        let unsure = config.peek && plan.is_ok() && sign.is_none();
        let mut reading = BodyReading::new(plan, watch, Some(self.limit));
        if unsure {
            return Received::Unsure(Peek::new(head, reading, body));
        }
        reading.prepare(&mut head);
        if body.is_end_stream() {
            // Who passes an empty body on may not ask for its end.
            reading.end();
        }
        let body = SearchBody::new(Source::new(body), reading);
        Received::Answer(Response::from_parts(head, body))
    }
}
