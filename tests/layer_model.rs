//! Requests through the layer under random orders of polls, drops, answers, back-offs and an inner service that comes and goes.

mod support;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use proptest::prelude::*;
use search_gate::{
    BACKOFF, BoxError, Deadline, Endpoint, Gated, Refusal, SearchBody, SearchGate, SearchGateLayer,
    layer::ResponseFuture, testing::challenge_page,
};
use support::{
    INTERVAL,
    answer::{full, html, html_with},
    far, gate,
    service::{Probe, Req, Res, request},
    within,
};
use tokio::{
    sync::{Semaphore, oneshot},
    time::{Instant, advance},
};
use tokio_test::task::{Spawn, spawn};
use tower::{Layer, Service, limit::ConcurrencyLimit};

/// What happens next. Numbers choose among the requests that are there.
#[derive(Clone, Debug)]
enum Op {
    /// A request is made, with a deadline in so many seconds, and not polled.
    Come(Option<u64>),
    /// One is polled, woken or not.
    Poll(usize),
    /// All who were woken are polled.
    PollWoken,
    /// One is dropped, whatever it is at.
    Leave(usize),
    Wait(Duration),
    /// The inner service gets ready for nobody, or for everybody again.
    Busy(bool),
    /// It fails whoever asks whether it is ready, or no longer.
    Broken(bool),
    /// One of the requests sent is answered, or all of them.
    Answer(Option<usize>, Answer),
    Throttle,
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    Page,
    Refusal,
    Challenge,
    Failure,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let answer = prop_oneof![
        6 => Just(Answer::Page),
        1 => Just(Answer::Refusal),
        1 => Just(Answer::Challenge),
        1 => Just(Answer::Failure),
    ];
    let millis = prop_oneof![0..600_u64, 1_900..2_600_u64, Just(2_000), 0..70_000_u64];
    let op = prop_oneof![
        4 => prop_oneof![4 => Just(None), 1 => (0..40_u64).prop_map(Some)].prop_map(Op::Come),
        6 => any::<usize>().prop_map(Op::Poll),
        6 => Just(Op::PollWoken),
        2 => any::<usize>().prop_map(Op::Leave),
        5 => millis.prop_map(|millis| Op::Wait(Duration::from_millis(millis))),
        2 => any::<bool>().prop_map(Op::Busy),
        1 => proptest::bool::weighted(0.2).prop_map(Op::Broken),
        3 => (any::<Option<usize>>(), answer).prop_map(|(which, answer)| Op::Answer(which, answer)),
        1 => Just(Op::Throttle),
    ];
    proptest::collection::vec(op, 1..80)
}

/// A [`Probe`] whose answers come when they are told to.
#[derive(Clone, Debug)]
struct Slow {
    probe: Probe,
    broken: Arc<AtomicBool>,
    sent: Arc<Mutex<Vec<oneshot::Sender<Answer>>>>,
}

struct Answering(oneshot::Receiver<Answer>);

impl Service<Req> for Slow {
    type Response = Res;
    type Error = BoxError;
    type Future = Answering;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if self.broken.load(Ordering::SeqCst) {
            return Poll::Ready(Err("broken".into()));
        }
        Service::<Req>::poll_ready(&mut self.probe, cx).map_err(BoxError::from)
    }

    fn call(&mut self, request: Req) -> Answering {
        drop(self.probe.call(request));
        let (sender, answered) = oneshot::channel();
        self.sent.lock().unwrap().push(sender);
        Answering(answered)
    }
}

impl Future for Answering {
    type Output = Result<Res, BoxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(Pin::new(&mut self.0).poll(cx))? {
            Answer::Page => Ok(html(full(support::answer::page("tower").to_html()))),
            Answer::Refusal => Ok(html_with(http::StatusCode::ACCEPTED, full(""))),
            Answer::Challenge => Ok(html(full(challenge_page(Endpoint::Html, "tower")))),
            Answer::Failure => Err("failed".into()),
        })
    }
}

/// How many may be under way at once.
const PERMITS: usize = 3;

type Client = ConcurrencyLimit<Slow>;
type Sending =
    Spawn<ResponseFuture<Client, Full<Bytes>, <Client as Service<Req>>::Future, Full<Bytes>>>;

struct Request {
    future: Sending,
    polled: bool,
    sent: bool,
}

struct World {
    gate: SearchGate,
    gated: Gated<Client>,
    permits: Arc<Semaphore>,
    slow: Slow,
    requests: Vec<Request>,
    closed_until: Instant,
    seen: usize,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} requests", self.gate, self.requests.len())
    }
}

impl World {
    fn new() -> Self {
        let gate = gate();
        let slow = Slow {
            probe: Probe::default(),
            broken: Arc::default(),
            sent: Arc::default(),
        };
        let permits = Arc::new(Semaphore::new(PERMITS));
        let client = ConcurrencyLimit::with_semaphore(slow.clone(), Arc::clone(&permits));
        Self {
            gated: SearchGateLayer::new(gate.clone()).layer(client),
            permits,
            gate,
            slow,
            requests: Vec::new(),
            closed_until: Instant::now(),
            seen: 0,
        }
    }

    async fn apply(&mut self, op: &Op) {
        match *op {
            Op::Come(seconds) => {
                let deadline = seconds.map_or_else(far, |s| within(Duration::from_secs(s)));
                let mut request = request();
                request.extensions_mut().insert(Deadline(deadline));
                self.requests.push(Request {
                    future: spawn(self.gated.call(request)),
                    polled: false,
                    sent: false,
                });
            }
            Op::Poll(which) if !self.requests.is_empty() => {
                self.poll(which % self.requests.len()).await;
            }
            Op::PollWoken => self.settle().await,
            Op::Leave(which) if !self.requests.is_empty() => {
                drop(self.requests.remove(which % self.requests.len()));
            }
            Op::Poll(_) | Op::Leave(_) => {}
            Op::Wait(time) => advance(time).await,
            Op::Busy(busy) => self.slow.probe.set_busy(busy),
            Op::Broken(broken) => self.slow.broken.store(broken, Ordering::SeqCst),
            Op::Answer(which, answer) => self.answer(which, answer),
            Op::Throttle => {
                self.gate.throttled();
                self.closed_until = Instant::now() + BACKOFF;
            }
        }
    }

    fn answer(&self, which: Option<usize>, answer: Answer) {
        let mut sent = self.slow.sent.lock().unwrap();
        let answered: Vec<_> = match which {
            Some(which) if !sent.is_empty() => {
                let which = which % sent.len();
                vec![sent.remove(which)]
            }
            _ => sent.drain(..).collect(),
        };
        for request in answered {
            // Those that were dropped are not there to hear it.
            let _ = request.send(answer);
        }
    }

    /// Polls one request once and looks at what it may have done.
    async fn poll(&mut self, which: usize) {
        let open = self.closed_until <= Instant::now();
        let request = &mut self.requests[which];
        request.polled = true;
        let was_sent = request.sent;
        let answer = request.future.poll();
        let starts = self.slow.probe.starts();
        if starts.len() > self.seen {
            assert!(open, "sent while the gate backs off");
            assert!(!was_sent && starts.len() == self.seen + 1, "sent twice");
            if let Some(before) = self.seen.checked_sub(1) {
                assert!(starts[self.seen] - starts[before] >= INTERVAL);
            }
            self.seen = starts.len();
            request.sent = true;
        }
        let refused = match &answer {
            Poll::Ready(Err(error)) => error.refusal(),
            _ => None,
        };
        assert!(!request.sent || refused.is_none(), "sent and refused");
        if !open && !request.sent {
            assert!(matches!(refused, Some(Refusal::BackingOff(_))));
        }
        let Poll::Ready(answer) = answer else { return };
        drop(self.requests.remove(which));
        if let Ok(response) = answer
            && self.is_throttled(response).await
        {
            self.closed_until = Instant::now() + BACKOFF;
        }
    }

    async fn is_throttled(&self, response: http::Response<SearchBody<Full<Bytes>>>) -> bool {
        if response.status() == 202 {
            return true;
        }
        match response.into_body().page().await {
            Ok(page) => {
                assert_eq!(page.results.len(), 10);
                false
            }
            Err(error) => {
                assert!(error.is_throttled(), "{error}");
                true
            }
        }
    }

    /// Polls everyone who was woken or has never been polled, as a runtime would.
    async fn poll_woken(&mut self) -> bool {
        let mut any = false;
        let mut which = 0;
        while which < self.requests.len() {
            let request = &self.requests[which];
            let there = self.requests.len();
            if request.future.is_woken() || !request.polled {
                any = true;
                self.poll(which).await;
            }
            which += 1 - (there - self.requests.len());
        }
        any
    }

    /// Polls until nobody is woken any more.
    async fn settle(&mut self) {
        while self.poll_woken().await {
            self.check();
        }
        if !self.slow.probe.is_busy() {
            let sent = self.requests.iter().filter(|request| request.sent);
            let free = self.permits.available_permits();
            assert_eq!(free + sent.count(), PERMITS, "held by who is not sent");
        }
    }

    fn check(&self) {
        assert_eq!(self.slow.probe.readied(), 0, "readiness is held");
        let snapshot = self.gate.snapshot();
        let polled = self
            .requests
            .iter()
            .filter(|request| request.polled)
            .count();
        assert!(snapshot.queued <= polled, "{snapshot:?} for {polled}");
        assert_eq!(snapshot.counts.granted, self.seen as u64);
        let left = self.closed_until.checked_duration_since(Instant::now());
        let left = left.filter(|left| !left.is_zero());
        assert_eq!(snapshot.backoff_left, left);
    }

    /// Everything works again: whoever is left must come to an end, polled only when woken.
    async fn finish(&mut self) {
        self.slow.broken.store(false, Ordering::SeqCst);
        self.slow.probe.set_busy(false);
        let intervals = 100 + BACKOFF.as_secs() / INTERVAL.as_secs();
        for _ in 0..intervals {
            self.settle().await;
            self.answer(None, Answer::Page);
            self.settle().await;
            advance(INTERVAL).await;
        }
        assert!(self.requests.is_empty(), "{self:?} are stuck");
        assert_eq!(self.gate.snapshot().queued, 0);
    }
}

fn paused() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_requests_keep_their_distance_and_no_place_is_lost(ops in ops()) {
        paused().block_on(async {
            let mut world = World::new();
            for op in &ops {
                world.apply(op).await;
                world.check();
            }
            world.finish().await;
        });
    }
}

/// Numbers without a pattern, the same in each run.
fn numbers() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1_u64), |n| {
        Some(
            n.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407),
        )
    })
    .map(|n| (n >> 40) as usize)
}

#[test]
fn ten_thousand_requests_cancelled_wherever_they_are_leave_nothing_behind() {
    paused().block_on(async {
        let mut world = World::new();
        let mut numbers = numbers();
        for _ in 0..10_000 {
            world.apply(&Op::Come(None)).await;
        }
        // A tenth is dropped before its first poll.
        for _ in 0..1_000 {
            world.apply(&Op::Leave(numbers.next().unwrap())).await;
        }
        world.settle().await;
        world.check();
        assert_eq!(world.gate.snapshot().queued, 8_999);
        let mut busy = false;
        while world.requests.len() > 500 {
            for _ in 0..100 {
                world.apply(&Op::Leave(numbers.next().unwrap())).await;
            }
            // The front of the queue, too: those who are due, or sent.
            world.apply(&Op::Leave(0)).await;
            busy = !busy;
            world.apply(&Op::Busy(busy)).await;
            world.apply(&Op::Wait(INTERVAL)).await;
            world.settle().await;
            world.answer(Some(0), Answer::Page);
            world.check();
        }
        assert!(world.seen > 30, "{} were sent", world.seen);
        world.apply(&Op::Throttle).await;
        assert_eq!(world.gate.snapshot().queued, 0);
        world.settle().await;
        world.check();
        world.finish().await;
    });
}
