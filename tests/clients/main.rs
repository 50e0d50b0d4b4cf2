//! The clients of others behind the gate, over sockets: what each takes, and what of theirs is kept.

mod redirects;
mod reqwest;
mod retries;
mod servers;
mod stacks;
mod tonic;

use std::{net::SocketAddr, time::Duration};

use axum::Router;
use search_gate::{BACKOFF, SearchGate};

fn gate() -> SearchGate {
    SearchGate::new(Duration::from_millis(10), BACKOFF)
}

/// A server of our own, for as long as the runtime lives.
async fn serve(app: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    addr
}
