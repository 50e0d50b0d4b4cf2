//! A stand-in for the provider, for testing programs that search.
//!
//! [`StandIn`] is a small web server on this machine that answers like DuckDuckGo's keyless pages were measured to: with result pages of
//! the same markup (and texts of its own), and, when requests come too fast, with status 202 and a challenge page. It tells afterwards
//! what arrived and when. So a program that searches can be tested without the network, and without wearing out anyone's patience:
//!
//! ```
//! use bytes::Bytes;
//! use http_body_util::{BodyExt, Full};
//! use hyper_util::{client::legacy::Client, rt::TokioExecutor};
//! use search_gate::{Query, testing::{Outcome, StandIn}};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let provider = StandIn::start().await?;
//! let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
//!
//! let query = Query::new("tower middleware").base_url(provider.url());
//! let response = client.request(query.clone().into_request()?).await?;
//! assert_eq!(response.status(), 200);
//! let page = response.into_body().collect().await?.to_bytes();
//! assert!(String::from_utf8_lossy(&page).contains("<title>tower middleware at DuckDuckGo</title>"));
//!
//! // Ten in a row are answered. This is how the provider says that it was too much:
//! for _ in 1..10 {
//!     assert_eq!(client.request(query.clone().into_request()?).await?.status(), 200);
//! }
//! assert_eq!(client.request(query.clone().into_request()?).await?.status(), 202);
//!
//! let log = provider.log();
//! assert_eq!(log[0].query(), Some("tower middleware"));
//! assert_eq!(log[10].outcome, Outcome::Refused);
//! # Ok(())
//! # }
//! ```
//!
//! The guide's page on [testing](crate::guide::testing) shows how to test a program of yours with it.
//!
//! # Time
//!
//! A refusal lasts 46 s. A test need not: [`time_scale`](StandInBuilder::time_scale) shrinks every duration of the stand-in by one factor,
//! and [`StandIn::scaled`] gives what a duration of the program under test must be to match:
//!
//! ```
//! # use search_gate::testing::StandIn;
//! # use std::time::Duration;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let provider = StandIn::builder().time_scale(0.01).start().await?;
//! let interval = provider.scaled(Duration::from_millis(2500));
//! assert_eq!(interval, Duration::from_millis(25));
//! // All of it at once, for the program under test:
//! let gate = provider.gate();
//! assert_eq!(gate.snapshot().interval, interval);
//! # Ok(())
//! # }
//! ```
//!
//! The server lives in real time, as sockets do: under tokio's paused clock time leaps ahead while a request is on its way, and time
//! limits strike that should not. For tests under a paused clock use the parts without sockets: [`Throttle`] says which requests are
//! refused, [`ResultPage`] and [`challenge_page`] make the pages.
//!
//! # Differences from the provider
//!
//! - It speaks HTTP/1.1 without TLS.
//! - It compresses with gzip alone, pages, challenges and instant answers, and for every client whose `Accept-Encoding` allows it: one that takes
//!   brotli and not gzip gets them as they are. Each piece that it sends can be read when it has come.
//! - It knows the html and the lite page and, with the feature `json`, instant answers. It knows no redirects of bangs.
//! - It refuses by rate alone. The provider also looks at headers, TLS and the history of an address.
//! - It does not solve, nor accept, a challenge.
//! - A form without a query, or with one of over 499 characters, gets status 400. (The provider refuses the latter too; with which status is
//!   not known.)

mod body;
mod builder;
mod challenge;
mod clients;
mod gzip;
mod html;
#[cfg(feature = "json")]
mod instant;
mod lite;
mod log;
mod markup;
mod page;
mod request;
mod row;
mod server;
mod service;
mod throttle;

pub use self::builder::StandInBuilder;
pub use self::challenge::challenge_page;
pub use self::log::{Entry, LOG_LIMIT};
pub use self::page::ResultPage;
pub use self::request::BODY_LIMIT;
pub use self::row::Row;
pub use self::server::StandIn;
pub use self::throttle::{Outcome, Throttle};
