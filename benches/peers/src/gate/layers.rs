//! What a layer adds to a call when its turn is free.

use std::{convert::Infallible, future::ready};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::Full;
use search_gate::{BACKOFF, SearchGate, SearchGateLayer};
use tokio::runtime::Runtime;
use tower::{Layer, Service, ServiceExt, buffer::Buffer, limit::RateLimit};

use super::{
    Sizes,
    turns::{AT_ONCE, rate},
};
use crate::{
    measure::{Timed, cpu, medians, nanos_each, runtime},
    peers::{BUFFERED, RATE_LIMIT, RESILIENCE, resilience_layer},
    report::{OURS, Section},
};

type Ask = Request<Full<Bytes>>;
type Answer = Response<Full<Bytes>>;

const BARE: &str = "bare service";

pub(super) fn measure(sizes: &Sizes) -> Section {
    let mut section = Section::new(
        "What a layer adds to a call through a ready service, the answer's body dropped unread (CPU time)",
    );
    for (name, content_type) in [
        (
            "call, an answer that is no page",
            "application/octet-stream",
        ),
        ("call, a result page", "text/html; charset=UTF-8"),
    ] {
        let runtime = runtime();
        let times = medians(sizes.rounds, subjects(&runtime, sizes.batch, content_type));
        let nanos = |time| nanos_each(time, sizes.batch);
        let bare = times.iter().find(|(subject, _)| *subject == BARE);
        let bare = bare.map_or(0.0, |&(_, time)| nanos(time));
        let added = times.iter().filter(|(subject, _)| *subject != BARE);
        section.add(
            name,
            "ns",
            added.map(|&(subject, time)| (subject, Some(nanos(time) - bare))),
        );
    }
    section
}

fn subjects<'a>(runtime: &'a Runtime, batch: usize, content_type: &'static str) -> Vec<Timed<'a>> {
    let _in_runtime = runtime.enter();
    let client = tower::service_fn(move |_: Ask| {
        let answer = Response::builder().header(CONTENT_TYPE, content_type);
        ready(Ok::<Answer, Infallible>(
            answer.body(Full::default()).expect("a sound head"),
        ))
    });
    let gate = SearchGate::new(AT_ONCE, BACKOFF);
    let ours = SearchGateLayer::new(gate).layer(client);
    let rate_limit = RateLimit::new(client, rate());
    let buffered = Buffer::new(RateLimit::new(client, rate()), 16);
    let resilience = resilience_layer(AT_ONCE, false).layer(client);
    vec![
        calls(BARE, runtime, batch, client),
        calls(OURS, runtime, batch, ours),
        calls(RATE_LIMIT, runtime, batch, rate_limit),
        calls(BUFFERED, runtime, batch, buffered),
        calls(RESILIENCE, runtime, batch, resilience),
    ]
}

/// A batch of calls, one after another.
fn calls<'a, S>(name: &'static str, runtime: &'a Runtime, batch: usize, mut service: S) -> Timed<'a>
where
    S: Service<Ask> + 'a,
{
    let run = move || {
        cpu(|| {
            runtime.block_on(async {
                for _ in 0..batch {
                    let Ok(ready) = service.ready().await else {
                        panic!("the service stays ready")
                    };
                    let answer = ready.call(Request::new(Full::default())).await;
                    assert!(answer.is_ok(), "the service answers");
                }
            });
        })
    };
    (name, Box::new(run))
}
