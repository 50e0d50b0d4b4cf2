//! Inner services for the tests of the layer.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use search_gate::SearchGateLayer;
use tokio::time::Instant;
use tower::{Layer, Service, ServiceExt};

pub type Req = Request<Full<Bytes>>;
pub type Res = Response<Full<Bytes>>;

/// A request with nothing in it.
pub fn request() -> Req {
    Request::new(Full::default())
}

/// Answers every request with an empty 200, notes when each started, and holds every caller to tower's contract: it panics when a
/// clone is called that was not readied.
#[derive(Debug, Default)]
pub struct Probe {
    shared: Arc<Shared>,
    readied: bool,
}

#[derive(Debug, Default)]
struct Shared {
    starts: Mutex<Vec<Instant>>,
    busy: AtomicBool,
    readied: AtomicUsize,
    wakers: Mutex<Vec<Waker>>,
}

impl Probe {
    pub fn starts(&self) -> Vec<Instant> {
        self.shared.starts.lock().unwrap().clone()
    }

    /// How many clones are readied and not called.
    pub fn readied(&self) -> usize {
        self.shared.readied.load(Ordering::SeqCst)
    }

    /// While busy, no clone gets ready.
    pub fn set_busy(&self, busy: bool) {
        self.shared.busy.store(busy, Ordering::SeqCst);
        self.shared
            .wakers
            .lock()
            .unwrap()
            .drain(..)
            .for_each(Waker::wake);
    }

    pub fn is_busy(&self) -> bool {
        self.shared.busy.load(Ordering::SeqCst)
    }

    fn unready(&mut self) {
        if std::mem::take(&mut self.readied) {
            self.shared.readied.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Clone for Probe {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            readied: false,
        }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.unready();
    }
}

impl<B> Service<Request<B>> for Probe {
    type Response = Res;
    type Error = Infallible;
    type Future = Ready<Result<Res, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        if self.is_busy() {
            self.shared.wakers.lock().unwrap().push(cx.waker().clone());
            return Poll::Pending;
        }
        if !std::mem::replace(&mut self.readied, true) {
            self.shared.readied.fetch_add(1, Ordering::SeqCst);
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<B>) -> Self::Future {
        assert!(self.readied, "called on a clone that was not readied");
        self.unready();
        self.shared.starts.lock().unwrap().push(Instant::now());
        ready(Ok(Response::new(Full::default())))
    }
}

/// Runs this whenever it is asked whether it is ready.
#[derive(Clone)]
pub struct WhenReadying<F>(pub F);

impl<F: FnMut()> Service<Req> for WhenReadying<F> {
    type Response = Res;
    type Error = Infallible;
    type Future = Ready<Result<Res, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        (self.0)();
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Req) -> Self::Future {
        ready(Ok(Response::new(Full::default())))
    }
}

/// The next request is sent after that wait, and nobody is left in the queue.
pub async fn goes_after(layer: &SearchGateLayer, wait: Duration) {
    let begun = Instant::now();
    layer
        .layer(Probe::default())
        .oneshot(request())
        .await
        .unwrap();
    assert_eq!(begun.elapsed(), wait);
    assert_eq!(layer.gate().snapshot().queued, 0);
}
