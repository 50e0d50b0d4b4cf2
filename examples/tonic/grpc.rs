//! A search service in gRPC, client and server, as a generator would write it. Messages are text, so that no protoc is needed.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::{Buf, BufMut, Bytes};
use futures_util::stream;
use http::uri::PathAndQuery;
use search_gate::BoxError;
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    client::GrpcService,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    server::{Grpc, NamedService},
};
use tower::{Service, service_fn};

const SEARCH: &str = "/example.Search/Search";
const RESULTS: &str = "/example.Search/Results";

/// The client, on any service that speaks gRPC: a channel, or a channel behind a gate.
#[derive(Debug)]
pub(crate) struct SearchClient<T> {
    inner: tonic::client::Grpc<T>,
}

impl<T> SearchClient<T>
where
    T: GrpcService<
            Body,
            ResponseBody: http_body::Body<Data = Bytes, Error: Into<BoxError> + Send>
                              + Send
                              + 'static,
        >,
    T::Error: Into<BoxError>,
{
    pub(crate) fn new(inner: T) -> Self {
        Self {
            inner: tonic::client::Grpc::new(inner),
        }
    }

    /// One question, one answer.
    pub(crate) async fn search(&mut self, query: &str) -> Result<String, Status> {
        let request = self.request(query).await?;
        let path = PathAndQuery::from_static(SEARCH);
        let response = self.inner.unary(request, path, TextCodec).await?;
        Ok(response.into_inner())
    }

    /// One question, a stream of answers.
    pub(crate) async fn results(&mut self, query: &str) -> Result<Streaming<String>, Status> {
        let request = self.request(query).await?;
        let path = PathAndQuery::from_static(RESULTS);
        let streaming = self
            .inner
            .server_streaming(request, path, TextCodec)
            .await?;
        Ok(streaming.into_inner())
    }

    async fn request(&mut self, query: &str) -> Result<Request<String>, Status> {
        let ready = self.inner.ready().await;
        ready.map_err(|error| Status::unavailable(error.into().to_string()))?;
        Ok(Request::new(query.to_owned()))
    }
}

/// The server. It answers so many requests, then says that it has had enough: at once where it has said nothing yet, in the trailers where it
/// has begun to stream.
#[derive(Debug, Clone)]
pub(crate) struct SearchServer {
    left: Arc<AtomicUsize>,
}

impl SearchServer {
    pub(crate) fn new(requests: usize) -> Self {
        Self {
            left: Arc::new(AtomicUsize::new(requests)),
        }
    }

    /// Whether one more is answered.
    fn take(&self) -> Result<(), Status> {
        let take = |left: usize| left.checked_sub(1);
        let taken = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        let enough = |_| Status::resource_exhausted("too many searches");
        taken.map(drop).map_err(enough)
    }
}

impl NamedService for SearchServer {
    const NAME: &'static str = "example.Search";
}

impl Service<http::Request<Body>> for SearchServer {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let mut grpc = Grpc::new(TextCodec);
        let server = self.clone();
        Box::pin(async move {
            Ok(match request.uri().path() {
                SEARCH => {
                    let search = service_fn(|request: Request<String>| {
                        let answer = server.take();
                        async move {
                            answer.map(|()| Response::new(format!("about {}", request.get_ref())))
                        }
                    });
                    grpc.unary(search, request).await
                }
                RESULTS => {
                    let results = service_fn(|request: Request<String>| {
                        let end = server.take().err();
                        let result = move |i| format!("result {i} about {}", request.get_ref());
                        let results = (1..=3).map(result).map(Ok);
                        let results = stream::iter(results.chain(end.map(Err)));
                        async move { Ok::<_, Status>(Response::new(results)) }
                    });
                    grpc.server_streaming(results, request).await
                }
                _ => Status::unimplemented("there are Search and Results").into_http(),
            })
        })
    }
}

/// A message is its text.
#[derive(Debug, Clone, Copy)]
struct TextCodec;

impl Codec for TextCodec {
    type Encode = String;
    type Decode = String;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for TextCodec {
    type Item = String;
    type Error = Status;

    fn encode(&mut self, text: String, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put_slice(text.as_bytes());
        Ok(())
    }
}

impl Decoder for TextCodec {
    type Item = String;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<String>, Status> {
        let bytes = from.copy_to_bytes(from.remaining());
        let text = String::from_utf8(bytes.into());
        text.map(Some)
            .map_err(|_| Status::internal("a message is not text"))
    }
}
