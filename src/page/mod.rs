//! Reading the provider's result pages: results, kinds of page, and the page itself without its ads.
//!
//! The provider has no interface for programs; what it gives is pages. This module makes data of them while they arrive.
//! It tells an empty answer from a challenge and both from a page it does not know, so that nobody takes "you are being
//! throttled" or "the markup changed" for "nothing was found".
//!
//! [`Page::read`] is for who has a whole body, [`PageReader`] for who gets it in pieces:
//!
//! ```
//! use search_gate::PageReader;
//!
//! let body = r#"<html><body>
//!   <div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?x">Buy</a></div>
//!   <div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F&amp;rut=1">A &amp; B</a></div>
//! </body></html>"#;
//! let mut reader = PageReader::new().pass_html(true);
//! for chunk in body.as_bytes().chunks(16) {
//!     reader.feed(chunk.to_vec());
//! }
//! reader.end();
//!
//! let result = reader.next_result().unwrap();
//! assert_eq!((&*result.title, &*result.url), ("A & B", "https://a.example/"));
//!
//! let mut html = Vec::new();
//! while let Some(slice) = reader.next_html() {
//!     html.extend_from_slice(&slice);
//! }
//! assert!(!String::from_utf8(html).unwrap().contains("Buy"));
//! assert_eq!(reader.finish().ads_dropped, 1);
//! ```
//!
//! The guide's page on [reading](crate::guide::reading) tells what is read, what is left out, and how far reading goes.

mod anchors;
mod around;
mod attrs;
mod content;
mod cuts;
mod edges;
mod elements;
mod encoding;
mod error;
mod feed;
mod fields;
mod foreign;
mod forms;
mod hidden;
mod html;
#[cfg(feature = "json")]
mod instant;
mod limits;
mod links;
mod lite;
mod markup;
mod names;
mod reader;
mod reading;
mod scopes;
mod sink;
mod state;
mod tags;
mod text;
mod walker;

pub use content::{Page, PageKind, Published, SearchResult, Spelling, ZeroClick};
pub use error::PageError;
#[cfg(feature = "json")]
pub use instant::{InstantAnswer, InstantError, InstantKind, Topic};
pub use limits::{Limits, Stopped};
pub use links::is_ad_link;
pub use reader::PageReader;
pub(crate) use reader::is_html;

use http::StatusCode;

/// The statuses with which the provider throttles.
pub(crate) const THROTTLE_STATUSES: [StatusCode; 3] = [
    StatusCode::ACCEPTED,
    StatusCode::FORBIDDEN,
    StatusCode::TOO_MANY_REQUESTS,
];

/// Whether DuckDuckGo answers with this status when it throttles or blocks a client: 202 (with its challenge page), 403 or 429.
///
/// ```
/// assert!(search_gate::is_throttle_status(202));
/// assert!(!search_gate::is_throttle_status(200));
/// ```
#[must_use]
pub fn is_throttle_status(status: u16) -> bool {
    THROTTLE_STATUSES
        .iter()
        .any(|throttle| throttle.as_u16() == status)
}

/// Whether a page is the provider's challenge, which it gives instead of an answer when it throttles.
///
/// It is one by its form, not by words: a page of results for a query that names the challenge's markup is none.
///
/// ```
/// use search_gate::is_challenge_page;
///
/// assert!(is_challenge_page(r#"<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>"#));
/// assert!(!is_challenge_page("<title>challenge-form</title>"));
/// ```
#[must_use]
pub fn is_challenge_page(html: &str) -> bool {
    Page::read(200, None, html.as_bytes()).kind == PageKind::Challenge
}
