//! The layer's types in the stacks of others: what crosses threads, what boxes, what can be put around.

mod support;

use std::{cell::RefCell, convert::Infallible, fmt::Debug, io, rc::Rc, time::Duration};

use bytes::Bytes;
use futures_util::StreamExt;
use http::{Request, Response, header};
use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use search_gate::{
    BoxError, Cause, Deadline, Error, Gated, Query, Results, SearchBody, SearchGateLayer,
    SearchGateLayerBuilder, Throttled, layer::ResponseFuture, testing::StandIn,
};
use support::{
    answer::{full, html, layer, page, through},
    gate,
    service::{Probe, Req, request},
};
use tower::{
    Layer, Service, ServiceBuilder, ServiceExt,
    buffer::BufferLayer,
    service_fn,
    util::{BoxCloneService, BoxCloneSyncService},
};
use tower_http::{compression::CompressionLayer, decompression::DecompressionLayer};

type HyperClient = Client<HttpConnector, Full<Bytes>>;

fn hyper_client() -> HyperClient {
    Client::builder(TokioExecutor::new()).build_http()
}

fn asks(provider: &StandIn) -> Req {
    let query = Query::new("tower").base_url(provider.url());
    query.into_request().unwrap()
}

fn shareable<T: Send + Sync + Unpin + Debug + 'static>() {}
fn movable<T: Send + Unpin + Debug + 'static>() {}
fn cloned<T: Clone>() {}

#[test]
fn every_type_is_as_free_as_its_parts() {
    shareable::<SearchGateLayer>();
    shareable::<SearchGateLayerBuilder>();
    shareable::<Gated<HyperClient>>();
    shareable::<SearchBody<Incoming>>();
    shareable::<Results<Incoming>>();
    shareable::<Error>();
    shareable::<Throttled>();
    shareable::<Cause>();
    shareable::<Deadline>();
    cloned::<SearchGateLayer>();
    cloned::<SearchGateLayerBuilder>();
    cloned::<Gated<HyperClient>>();
    type OfProbe = ResponseFuture<Probe, Full<Bytes>, <Probe as Service<Req>>::Future, Full<Bytes>>;
    shareable::<OfProbe>();
    // A service behind a `dyn` cannot be shared between threads, nor moved once it runs.
    type Boxed = BoxCloneService<Req, Response<Full<Bytes>>, BoxError>;
    movable::<Gated<Boxed>>();
    fn crosses<T: Send>(_: &T) {}
    let boxed = Boxed::new(ServiceExt::<Req>::map_err(Probe::default(), BoxError::from));
    crosses(&layer().layer(boxed).call(request()));
}

#[test]
fn a_request_under_way_can_be_shared_whatever_its_bodies_are() {
    fn shared<T: Send + Sync>(_: &T) {}
    type Unshared = UnsyncBoxBody<Bytes, BoxError>;
    type Client = BoxCloneSyncService<Request<Unshared>, Response<Unshared>, BoxError>;
    let client = Client::new(service_fn(|_: Request<Unshared>| async {
        Ok(Response::new(Unshared::default()))
    }));
    let gated = layer().layer(client);
    shared(&gated);
    shared(&gated.clone().call(Request::new(Unshared::default())));
    fn boxes(service: impl Service<Request<Unshared>, Future: Send + Sync> + Clone + Send + Sync) {
        drop(service);
    }
    boxes(gated);
}

#[tokio::test(start_paused = true)]
async fn the_service_can_be_sent_into_a_task() {
    let gated = layer().layer(Probe::default());
    let spawned: Vec<_> = (0..3)
        .map(|_| tokio::spawn(gated.clone().oneshot(request())))
        .collect();
    for task in spawned {
        task.await.unwrap().unwrap();
    }
    let page = tokio::spawn(async {
        let answer = html(full(page("tower").to_html()));
        through(&layer(), answer).await.into_body().page().await
    });
    assert_eq!(page.await.unwrap().unwrap().results.len(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_service_of_one_thread_that_borrows_will_do() {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let name = String::from("here");
    let client = service_fn(|request: Request<Empty<Bytes>>| {
        let (asked, name) = (Rc::clone(&asked), &name);
        async move {
            asked.borrow_mut().push(request.uri().path().to_owned());
            Ok::<_, Infallible>(Response::new(full(name.clone())))
        }
    });
    let response = layer().layer(client).oneshot(Request::default()).await;
    let body = response.unwrap().into_body().collect().await.unwrap();
    assert_eq!(body.to_bytes(), "here");
    assert_eq!(*asked.borrow(), ["/"]);
}

#[tokio::test]
async fn the_usual_stack_reads_a_page_over_a_socket() {
    let provider = StandIn::builder().ads(1).start().await.unwrap();
    let client = ServiceBuilder::new()
        .layer(SearchGateLayer::new(gate()))
        .layer(DecompressionLayer::new())
        .service(hyper_client());
    let response = client.oneshot(asks(&provider)).await.unwrap();
    let mut results = response.into_body().results();
    let first = results.next().await.unwrap().unwrap();
    assert_eq!(first.url, page("tower").rows()[0].url);
    assert_eq!(results.count().await, 9);
}

/// A provider that compresses.
fn compressing() -> impl Service<
    Req,
    Response = Response<impl http_body::Body<Data = Bytes, Error: Into<BoxError>>>,
    Error = Infallible,
    Future: Send,
> + Clone {
    ServiceBuilder::new()
        .layer(CompressionLayer::new())
        .service(service_fn(|_: Req| async {
            Ok(html(full(page("tower").ads(1).to_html())))
        }))
}

#[tokio::test(start_paused = true)]
async fn decompression_belongs_inside() {
    let client = ServiceBuilder::new()
        .layer(layer())
        .layer(DecompressionLayer::new())
        .service(compressing());
    let response = client.oneshot(request()).await.unwrap();
    assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
    let page = response.into_body().page().await.unwrap();
    assert_eq!((page.results.len(), page.ads_dropped), (10, 1));
}

#[tokio::test(start_paused = true)]
async fn with_decompression_outside_the_page_passes_and_data_is_an_error() {
    let client = ServiceBuilder::new()
        .layer(DecompressionLayer::new())
        .layer(layer())
        .service(compressing());
    let response = client.oneshot(request()).await.unwrap();
    let passed = response.into_body().collect().await.unwrap().to_bytes();
    assert!(passed == page("tower").ads(1).to_html());

    let gated = layer().layer(compressing());
    let mut asked = request();
    let gzip = header::HeaderValue::from_static("gzip");
    asked.headers_mut().insert(header::ACCEPT_ENCODING, gzip);
    let response = gated.oneshot(asked).await.unwrap();
    let error = response.into_body().page().await.unwrap_err();
    assert!(error.is_unreadable());
    let advice = "still encoded (gzip); put a decompression layer inside the gate's";
    assert!(error.to_string().contains(advice), "{error}");
}

#[tokio::test(start_paused = true)]
async fn it_can_be_boxed_buffered_mapped_and_timed() {
    let boxed = ServiceBuilder::new()
        .boxed_clone()
        .layer(layer())
        .service(Probe::default());
    boxed.clone().oneshot(request()).await.unwrap();
    let shared = ServiceBuilder::new()
        .boxed_clone_sync()
        .layer(layer())
        .service(Probe::default());
    shared.clone().oneshot(request()).await.unwrap();
    let around = ServiceBuilder::new()
        .layer(BufferLayer::new(4))
        .map_err(|error: Error| io::Error::other(error))
        .map_response(|response: Response<SearchBody<Full<Bytes>>>| response.map(BodyExt::boxed))
        .layer(layer())
        .layer(BufferLayer::new(4))
        .service(Probe::default());
    around.clone().oneshot(request()).await.unwrap();
    // A limit outside counts the wait for the turn: the next one is two seconds away.
    let timed = tokio::time::timeout(Duration::from_secs(1), around.oneshot(request()));
    assert!(timed.await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_gate_within_a_gate_takes_a_turn_at_each() {
    let (inner, outer) = (layer(), layer());
    let client = ServiceBuilder::new()
        .layer(&outer)
        .layer(&inner)
        .service(Probe::default());
    client.clone().oneshot(request()).await.unwrap();
    let response = client.oneshot(request()).await.unwrap();
    response.into_body().collect().await.unwrap();
    for layer in [&inner, &outer] {
        assert_eq!(layer.gate().snapshot().counts.granted, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn the_inner_service_can_be_had() {
    let mut gated = layer().layer(Probe::default());
    gated.call(request()).await.unwrap();
    assert_eq!(gated.get_ref().starts().len(), 1);
    gated.get_mut().set_busy(true);
    assert_eq!(gated.into_inner().starts().len(), 1);
}
