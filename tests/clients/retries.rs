//! A retry layer outside the gate: each attempt takes a turn, and a refusal is not tried again at once.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use search_gate::{BACKOFF, Error, SearchBody, SearchGate, SearchGateLayer};
use tokio::time::Instant;
use tower::{Service, ServiceBuilder, ServiceExt, retry::Policy, service_fn};

const INTERVAL: Duration = Duration::from_secs(2);

type Req = Request<Full<Bytes>>;
type Answer = Response<SearchBody<Full<Bytes>>>;

/// Tries a server error again, twice. What the gate refused, and what the provider throttled, is for later.
#[derive(Clone)]
struct Twice(usize);

impl Policy<Req, Answer, Error> for Twice {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut Req, result: &mut Result<Answer, Error>) -> Option<Ready<()>> {
        let again = match result {
            Ok(response) => response.status().is_server_error(),
            Err(error) => error.is_transport(),
        };
        self.0 = self.0.checked_sub(1).filter(|_| again)?;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &Req) -> Option<Req> {
        Some(request.clone())
    }
}

/// Counts the requests and answers all with `status`.
fn client(
    gate: &SearchGate,
    status: StatusCode,
) -> (
    impl Service<Req, Response = Answer, Error = Error> + Clone,
    Arc<AtomicUsize>,
) {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let client = ServiceBuilder::new()
        .retry(Twice(2))
        .layer(SearchGateLayer::new(gate.clone()))
        .service(service_fn(move |_: Req| {
            count.fetch_add(1, Ordering::SeqCst);
            let mut response = Response::new(Full::default());
            *response.status_mut() = status;
            async { Ok::<_, Infallible>(response) }
        }));
    (client, sent)
}

#[tokio::test(start_paused = true)]
async fn each_attempt_takes_a_turn() {
    let gate = SearchGate::new(INTERVAL, BACKOFF);
    let (client, sent) = client(&gate, StatusCode::BAD_GATEWAY);
    let begun = Instant::now();
    let response = client.oneshot(Req::default()).await.unwrap();

    assert_eq!(response.status(), StatusCode::BAD_GATEWAY);
    assert_eq!(sent.load(Ordering::SeqCst), 3);
    assert_eq!(gate.snapshot().counts.granted, 3);
    assert_eq!(begun.elapsed(), 2 * INTERVAL);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_and_a_throttled_answer_are_not_tried_again_at_once() {
    let gate = SearchGate::new(INTERVAL, BACKOFF);
    let (client, sent) = client(&gate, StatusCode::ACCEPTED);
    let response = client.clone().oneshot(Req::default()).await.unwrap();
    assert_eq!(response.status(), StatusCode::ACCEPTED);

    let Err(error) = client.oneshot(Req::default()).await else {
        panic!("the gate was closed");
    };
    assert!(error.is_refused());
    assert_eq!(sent.load(Ordering::SeqCst), 1);
    assert_eq!(gate.snapshot().counts.refused_backing_off, 1);
}
