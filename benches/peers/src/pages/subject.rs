//! Who reads the pages. Each has one way to do it, which is checked, timed and counted alike.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use lol_html::{HtmlRewriter, Settings};
use search_gate::{BACKOFF, PageReader, SearchGate, SearchGateLayer};
use tokio::runtime::Runtime;
use tower::{Layer, ServiceExt};

use super::corpus::{Found, Page};
use super::trees;
use crate::report::OURS;

/// Who reads a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Results as the page arrives.
    Results,
    /// All of the page as data.
    Page,
    /// The html without its ads.
    Html,
    /// The same, through the layer.
    Layer,
    /// `lol_html` with no handlers.
    Bare,
    Scraper,
    Tl,
}

/// What comes out of a page.
pub enum Out {
    Result(Found),
    Html(Bytes),
    /// So many bytes, from who hands out no more than a look at them.
    Seen(usize),
}

/// Work that is ready to be done.
pub type Work<'a> = Box<dyn FnOnce(&mut dyn FnMut(Out)) + 'a>;

impl Subject {
    /// Ours first.
    pub const ALL: [Self; 7] = [
        Self::Results,
        Self::Page,
        Self::Html,
        Self::Layer,
        Self::Bare,
        Self::Scraper,
        Self::Tl,
    ];

    /// How it is called in every table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Results => OURS,
            Self::Page => "our page()",
            Self::Html => "our html",
            Self::Layer => "our layer",
            Self::Bare => "lol_html bare",
            Self::Scraper => "scraper",
            Self::Tl => "tl",
        }
    }

    /// Whether results come out of it.
    #[must_use]
    pub const fn finds_results(self) -> bool {
        matches!(self, Self::Results | Self::Page | Self::Scraper | Self::Tl)
    }

    /// Whether the page's own html comes out of it.
    #[must_use]
    pub const fn passes_html(self) -> bool {
        matches!(self, Self::Html | Self::Layer)
    }

    /// Gets ready to read a page in chunks of this length.
    #[must_use]
    pub fn ready<'a>(self, page: &'a Page, chunk: usize, runtime: &'a Runtime) -> Work<'a> {
        match self {
            Self::Results => Box::new(move |out| results(page, chunk, out)),
            Self::Page => Box::new(move |out| whole(page, chunk, out)),
            Self::Html => Box::new(move |out| html(page, chunk, out)),
            Self::Layer => layer(page, chunk, runtime),
            Self::Bare => Box::new(move |out| bare(page, chunk, out)),
            Self::Scraper => Box::new(move |out| trees::scraper(page, out)),
            Self::Tl => Box::new(move |out| trees::tl(page, out)),
        }
    }
}

fn chunks(page: &Page, length: usize) -> impl Iterator<Item = Bytes> + Clone + use<> {
    let mut rest = page.bytes.clone();
    std::iter::from_fn(move || {
        let length = length.min(rest.len());
        (length > 0).then(|| rest.split_to(length))
    })
}

fn results(page: &Page, length: usize, out: &mut dyn FnMut(Out)) {
    let mut reader = PageReader::new();
    for chunk in chunks(page, length) {
        reader.feed(chunk);
        while let Some(result) = reader.next_result() {
            out(Out::Result(result.into()));
        }
    }
    reader.end();
    while let Some(result) = reader.next_result() {
        out(Out::Result(result.into()));
    }
}

fn whole(page: &Page, length: usize, out: &mut dyn FnMut(Out)) {
    let mut reader = PageReader::new();
    for chunk in chunks(page, length) {
        reader.feed(chunk);
    }
    for result in std::hint::black_box(reader.finish()).results {
        out(Out::Result(result.into()));
    }
}

fn html(page: &Page, length: usize, out: &mut dyn FnMut(Out)) {
    let mut reader = PageReader::new().collect_results(false).pass_html(true);
    for chunk in chunks(page, length) {
        reader.feed(chunk);
        while let Some(slice) = reader.next_html() {
            out(Out::Html(slice));
        }
    }
    reader.end();
    while let Some(slice) = reader.next_html() {
        out(Out::Html(slice));
    }
}

/// The request has been made and its answer is there; what is left is its body.
fn layer<'a>(page: &Page, length: usize, runtime: &'a Runtime) -> Work<'a> {
    let frames = chunks(page, length).map(|chunk| Ok::<_, Infallible>(Frame::data(chunk)));
    let body = StreamBody::new(stream::iter(frames));
    let answer = Response::builder()
        .header(CONTENT_TYPE, "text/html")
        .body(body)
        .expect("a sound head");
    // A gate for each page: a challenge closes it.
    let gate = SearchGate::new(Duration::from_nanos(1), BACKOFF);
    let mut answer = Some(answer);
    let client = tower::service_fn(move |_: Request<Full<Bytes>>| {
        std::future::ready(Ok::<_, Infallible>(answer.take().expect("one request")))
    });
    let service = SearchGateLayer::new(gate).layer(client);
    let answer = runtime.block_on(service.oneshot(Request::new(Full::default())));
    let Ok(answer) = answer else {
        panic!("the gate is open and the service answers")
    };
    let mut body = answer.into_body();
    Box::new(move |out| {
        runtime.block_on(async {
            while let Some(frame) = body.frame().await {
                let frame = frame.expect("the body is whole");
                out(Out::Html(frame.into_data().unwrap_or_default()));
            }
        });
    })
}

fn bare(page: &Page, length: usize, out: &mut dyn FnMut(Out)) {
    let sink = |bytes: &[u8]| out(Out::Seen(bytes.len()));
    let mut rewriter = HtmlRewriter::new(Settings::new(), sink);
    for chunk in chunks(page, length) {
        rewriter.write(&chunk).expect("nothing is too long");
    }
    rewriter.end().expect("nothing is too long");
}
