//! A gRPC client behind the gate: unary and streaming calls take turns, and a server that says RESOURCE_EXHAUSTED, even in the trailers of a stream,
//! backs the gate off. What the gate refuses then is RESOURCE_EXHAUSTED as well, with when to come again. Needs the feature `tonic`.
//!
//! ```text
//! cargo run --example tonic -- [--serve]
//! ```

use std::{net::Ipv4Addr, time::Duration};

use clap::Parser;
use search_gate::{BACKOFF, BoxError, SearchGate, SearchGateLayer};
use tokio::net::TcpListener;
use tonic::{
    Status,
    transport::{Endpoint, Server, server::TcpIncoming},
};
use tower::ServiceBuilder;

use self::{
    common::{CALLED, Failure, println},
    grpc::{SearchClient, SearchServer},
};

#[path = "../common/mod.rs"]
mod common;
mod grpc;

/// Calls a gRPC server on this machine through the gate, until the server says that it has had enough
#[derive(Parser)]
#[command(bin_name = CALLED)]
struct Arguments {
    /// Stay up: the server alone
    #[arg(long)]
    serve: bool,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let server = Server::builder()
        .add_service(SearchServer::new(2))
        .serve_with_incoming(TcpIncoming::from(listener));
    if arguments.serve {
        println!("serving example.Search on http://{address}");
        return Ok(server.await?);
    }
    tokio::spawn(server);

    let gate = SearchGate::new(Duration::from_millis(25), BACKOFF);
    let channel = Endpoint::from_shared(format!("http://{address}"))?;
    let mut client = SearchClient::new(
        ServiceBuilder::new()
            .layer(SearchGateLayer::new(gate.clone()))
            .service(channel.connect().await?),
    );

    println!("unary: {}", client.search("tower").await?);
    stream(&mut client).await?;
    println!("The server answers two calls. This is the third:");
    match stream(&mut client).await {
        Ok(()) => return Err("the server should have had enough".into()),
        Err(status) => tell("in the trailers", &status),
    }
    let left = gate.backoff_left().ok_or("the gate should back off")?;
    println!("gate: closed for the next {} s", left.as_secs_f64().ceil());
    match client.search("tower").await {
        Ok(_) => return Err("the gate should be closed".into()),
        Err(status) => tell("from the gate", &status),
    }
    Ok(())
}

async fn stream<T>(client: &mut SearchClient<T>) -> Result<(), Status>
where
    T: tonic::client::GrpcService<tonic::body::Body, Error: Into<BoxError>>,
    T::ResponseBody:
        http_body::Body<Data = bytes::Bytes, Error: Into<BoxError> + Send> + Send + 'static,
{
    let mut results = client.results("tower").await?;
    while let Some(result) = results.message().await? {
        println!("streamed: {result}");
    }
    Ok(())
}

fn tell(whence: &str, status: &Status) {
    println!("{whence}: {:?}: {}", status.code(), status.message());
    let pushback = status.metadata().get("grpc-retry-pushback-ms");
    if let Some(pushback) = pushback.and_then(|ms| ms.to_str().ok()) {
        println!("  come again in {pushback} ms");
    }
}
