//! What may come, and what may be done with it.

use std::{fmt, time::Duration};

use bytes::Bytes;
use proptest::prelude::*;
use search_gate::{Endpoint, testing::challenge_page};

use crate::support::answer::page;

/// What comes over the wire next.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// The next so many bytes of the page.
    Page(usize),
    Empty,
    Trailers,
    Failure,
    /// Nothing, for a while.
    Pause(Duration),
}

/// What is done with the head, or the body, that is there by then.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    PassOn,
    AsPage,
    Drop,
}

/// A page, shown by how it begins.
#[derive(Clone)]
pub(crate) struct Content(pub(crate) Bytes);

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (length, start) = (self.0.len(), self.0.slice(..self.0.len().min(500)));
        write!(f, "{length} bytes, {start:?}")
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) page: Content,
    pub(crate) came: Vec<Came>,
    pub(crate) ends: bool,
    pub(crate) used: Use,
    /// After which step the request is given up, if it is.
    pub(crate) given_up: Option<usize>,
    pub(crate) on_trial: bool,
}

fn pages() -> impl Strategy<Value = Content> {
    let form = r#"<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>"#;
    let hidden =
        r#"<div class="result"><a class="result__a" href="https://a.example/"><b hidden>a</b></a>"#;
    prop_oneof![
        Just(page("tower").results(3).ads(1).to_html()),
        Just(page("tower").results(3).to_html()),
        Just(page("tower").results(0).to_html()),
        Just(page("tower").results(0).ads(1).to_html()),
        Just(challenge_page(Endpoint::Html, "tower")),
        Just("<p>Something else.</p>".repeat(3000)),
        proptest::collection::vec(
            prop_oneof![
                Just(form),
                Just(hidden),
                Just("</div>"),
                Just("<p>text"),
                Just("<"),
                Just("\u{1f}\u{8b}"),
                Just("<select><option>"),
            ],
            0..8
        )
        .prop_map(|parts| parts.concat()),
    ]
    .prop_map(|page| Content(page.into()))
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let length = prop_oneof![2 => 0..50_usize, 2 => 0..5_000_usize, 1 => Just(usize::MAX)];
    let pause = prop_oneof![3 => 0..4_000_u64, 1 => 0..40_000_u64];
    let came = prop_oneof![
        12 => length.prop_map(Came::Page),
        1 => Just(Came::Empty),
        1 => Just(Came::Trailers),
        1 => Just(Came::Failure),
        3 => pause.prop_map(|millis| Came::Pause(Duration::from_millis(millis))),
    ];
    let used = prop_oneof![3 => Just(Use::PassOn), 2 => Just(Use::AsPage), 1 => Just(Use::Drop)];
    let given_up = prop_oneof![3 => Just(None), 1 => (0..30_usize).prop_map(Some)];
    let came = proptest::collection::vec(came, 0..30);
    let flags = (any::<bool>(), any::<bool>());
    (pages(), came, used, given_up, flags).prop_map(
        |(page, came, used, given_up, (ends, on_trial))| Case {
            page,
            came,
            ends,
            used,
            given_up,
            on_trial,
        },
    )
}
