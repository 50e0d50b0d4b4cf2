//! Answers for the tests of the layer, and what becomes of them behind it.

use std::{
    collections::VecDeque,
    convert::Infallible,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, header::CONTENT_TYPE};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use search_gate::{
    BoxError, Endpoint, SearchBody, SearchGateLayer,
    testing::{ResultPage, challenge_page},
};
use tower::{Layer, ServiceExt, service_fn};

use super::{
    gate,
    service::{Req, request},
};

/// The lengths of chunks that a body is tried with.
pub const LENGTHS: [usize; 4] = [1, 7, 1000, usize::MAX];

/// A layer on a gate of its own.
pub fn layer() -> SearchGateLayer {
    SearchGateLayer::new(gate())
}

/// A layer on a gate of its own that holds heads back.
pub fn peeking() -> SearchGateLayer {
    let layer = SearchGateLayer::builder().gate(gate()).peek(true);
    layer.build().unwrap()
}

/// How often the layer's gate was told of a throttle.
pub fn times_throttled(layer: &SearchGateLayer) -> u64 {
    layer.gate().snapshot().counts.throttled
}

/// A page of our own for `query` in which nothing depends on the number of ads but the ads.
pub fn page(query: &str) -> ResultPage {
    ResultPage::new(query).next_page(false)
}

/// An html answer under 200.
pub fn html<B>(body: B) -> Response<B> {
    html_with(StatusCode::OK, body)
}

/// An html answer under `status`.
pub fn html_with<B>(status: StatusCode, body: B) -> Response<B> {
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "text/html; charset=UTF-8")
        .body(body)
        .unwrap()
}

/// What a client behind `layer` makes of this answer to a request.
pub async fn through<B>(layer: &SearchGateLayer, answer: Response<B>) -> Response<SearchBody<B>>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    through_for(layer, request(), answer).await
}

/// The same for a request of the caller's.
pub async fn through_for<B>(
    layer: &SearchGateLayer,
    request: Req,
    answer: Response<B>,
) -> Response<SearchBody<B>>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    let answer = Arc::new(Mutex::new(Some(answer)));
    let client = service_fn(move |_: Req| {
        let answer = answer.lock().unwrap().take().expect("one request");
        async { Ok::<_, Infallible>(answer) }
    });
    layer.layer(client).oneshot(request).await.unwrap()
}

/// The body that a layer on a gate of its own makes of this answer to a request.
pub async fn body_of<B>(answer: Response<B>) -> SearchBody<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    through(&layer(), answer).await.into_body()
}

/// The challenge of our own.
pub fn challenge() -> String {
    challenge_page(Endpoint::Html, "tower")
}

/// The hand that feeds a body; once it is dropped, the body ends.
#[derive(Debug)]
pub struct Feed(Arc<Mutex<Fed>>);

/// A body that is fed by hand.
#[derive(Debug)]
pub struct FedBody(Arc<Mutex<Fed>>);

#[derive(Debug, Default)]
struct Fed {
    frames: VecDeque<Result<Frame<Bytes>, BoxError>>,
    ended: bool,
    waker: Option<Waker>,
}

pub fn fed() -> (Feed, FedBody) {
    let fed = Arc::default();
    (Feed(Arc::clone(&fed)), FedBody(fed))
}

/// A body whose frames are chunks of this length.
pub fn chunked(bytes: impl Into<Bytes>, length: usize) -> FedBody {
    let (feed, body) = fed();
    let mut rest = bytes.into();
    while !rest.is_empty() {
        feed.data(rest.split_to(length.min(rest.len())));
    }
    body
}

impl Feed {
    pub fn data(&self, data: impl Into<Bytes>) {
        self.put(Ok(Frame::data(data.into())));
    }

    pub fn trailers(&self, trailers: HeaderMap) {
        self.put(Ok(Frame::trailers(trailers)));
    }

    pub fn fail(&self, error: impl Into<BoxError>) {
        self.put(Err(error.into()));
    }

    /// Whether the body was dropped.
    pub fn is_abandoned(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    fn put(&self, frame: Result<Frame<Bytes>, BoxError>) {
        let mut fed = self.0.lock().unwrap();
        fed.frames.push_back(frame);
        fed.wake();
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let mut fed = self.0.lock().unwrap();
        fed.ended = true;
        fed.wake();
    }
}

impl Fed {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Body for FedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let mut fed = self.0.lock().unwrap();
        match fed.frames.pop_front() {
            Some(frame) => Poll::Ready(Some(frame)),
            None if fed.ended => Poll::Ready(None),
            None => {
                fed.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// All of a body's bytes, and its trailers.
pub async fn all<B>(body: B) -> (Bytes, Option<HeaderMap>)
where
    B: Body<Data = Bytes>,
    B::Error: std::fmt::Debug,
{
    let collected = body.collect().await.unwrap();
    let trailers = collected.trailers().cloned();
    (collected.to_bytes(), trailers)
}

pub fn full(bytes: impl Into<Bytes>) -> Full<Bytes> {
    Full::new(bytes.into())
}

pub fn trailers() -> HeaderMap {
    [(
        http::HeaderName::from_static("x-served-by"),
        http::HeaderValue::from_static("stand-in"),
    )]
    .into_iter()
    .collect()
}

/// The page with its ad blocks taken out by hand: what stands from each block's first tag to its last.
pub fn without_ads(html: &str) -> String {
    let blocks: Vec<_> = html.match_indices("<div class=\"result ").collect();
    let ends = "</div>\n                  </div>\n";
    let mut out = String::new();
    let mut from = 0;
    for (start, _) in blocks {
        let tag = &html[start..start + html[start..].find('>').unwrap()];
        if tag.contains("result--ad") {
            out.push_str(&html[from..start]);
            from = start + html[start..].find(ends).unwrap() + ends.len() - 1;
        }
    }
    out + &html[from..]
}
