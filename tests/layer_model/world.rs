//! Requests under way, and what must hold of them.

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    task::Poll,
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use search_gate::{
    BACKOFF, Deadline, Gated, Refusal, SearchBody, SearchGate, SearchGateLayer,
    layer::ResponseFuture,
};
use tokio::{
    sync::Semaphore,
    time::{Instant, advance},
};
use tokio_test::task::{Spawn, spawn};
use tower::{Layer, Service, limit::ConcurrencyLimit};

use crate::{
    ops::{Answer, Op},
    slow::Slow,
    support::{
        INTERVAL, far, gate,
        service::{Probe, Req, request},
        within,
    },
};

/// How many may be under way at once.
const PERMITS: usize = 3;

type Client = ConcurrencyLimit<Slow>;
type Sending =
    Spawn<ResponseFuture<Client, Full<Bytes>, <Client as Service<Req>>::Future, Full<Bytes>>>;

pub(crate) struct Request {
    future: Sending,
    polled: bool,
    sent: bool,
}

pub(crate) struct World {
    pub(crate) gate: SearchGate,
    gated: Gated<Client>,
    permits: Arc<Semaphore>,
    slow: Slow,
    pub(crate) requests: Vec<Request>,
    closed_until: Instant,
    pub(crate) seen: usize,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} requests", self.gate, self.requests.len())
    }
}

impl World {
    pub(crate) fn new() -> Self {
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

    pub(crate) async fn apply(&mut self, op: &Op) {
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

    pub(crate) fn answer(&self, which: Option<usize>, answer: Answer) {
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
    pub(crate) async fn settle(&mut self) {
        while self.poll_woken().await {
            self.check();
        }
        if !self.slow.probe.is_busy() {
            let sent = self.requests.iter().filter(|request| request.sent);
            let free = self.permits.available_permits();
            assert_eq!(free + sent.count(), PERMITS, "held by who is not sent");
        }
    }

    pub(crate) fn check(&self) {
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
    pub(crate) async fn finish(&mut self) {
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
