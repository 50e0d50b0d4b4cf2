use super::encoding::charset;
use super::feed::Feed;
use super::state::lock;
use super::{Limits, Page, SearchResult, Stopped};
use bytes::Bytes;
use encoding_rs::Encoding;
use std::collections::HashSet;
use std::fmt;

/// Reads a page of the provider while it arrives.
///
/// Feed it the body in chunks of any size and take results as soon as their markup is there; with [`PageReader::pass_html`]
/// take the page's own bytes too, without its ads.
///
/// ```
/// use search_gate::PageReader;
///
/// let mut reader = PageReader::new().content_type("text/html; charset=UTF-8");
/// reader.feed(r#"<div class="result"><a class="result__a" href="https://a.ex"#);
/// assert!(reader.next_result().is_none());
/// reader.feed(r#"ample/">A page</a></div>"#);
/// assert_eq!(reader.next_result().unwrap().url, "https://a.example/");
/// ```
pub struct PageReader(Box<Feed>);

impl PageReader {
    /// A reader that collects results and passes no html on, with the default [`Limits`].
    #[must_use]
    pub fn new() -> Self {
        Self(Box::default())
    }

    /// The response's `content-type`: what is not html is not read, and a charset is taken from it.
    #[must_use]
    pub fn content_type(self, content_type: &str) -> Self {
        let mut core = lock(&self.0.shared);
        if !essence(content_type).is_empty() && !is_html(content_type) {
            core.stop(Stopped::NotHtml);
        }
        if let Some(encoding) = charset(content_type.as_bytes()).and_then(Encoding::for_label) {
            core.reading.encoding_open = false;
            core.reading.encoding = encoding;
            if !encoding.is_ascii_compatible() {
                core.stop(Stopped::Encoding);
            }
        }
        drop(core);
        self
    }

    /// How much is read at most.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        lock(&self.0.shared)
            .reading
            .limit(limits.clone(), self.0.pass_html);
        self.0.limits = limits;
        self
    }

    /// Whether the page's bytes are kept for [`PageReader::next_html`]. Off by default; if on, take them, or they pile up.
    #[must_use]
    pub fn pass_html(mut self, pass_html: bool) -> Self {
        self.0.pass_html = pass_html;
        let limits = self.0.limits.clone();
        lock(&self.0.shared).reading.limit(limits, pass_html);
        self
    }

    /// Whether results are kept for [`PageReader::next_result`]. On by default; if off, they are only counted.
    #[must_use]
    pub fn collect_results(self, collect: bool) -> Self {
        lock(&self.0.shared).reading.collect = collect;
        self
    }

    /// Whether a result whose address an earlier one of the page has is left out. Off by default.
    #[must_use]
    pub fn skip_duplicates(self, skip: bool) -> Self {
        lock(&self.0.shared).reading.unique = skip.then(HashSet::new);
        self
    }

    pub(super) fn parse(&mut self, bytes: &[u8]) {
        self.0.parse(bytes);
    }

    /// Reads on in the body. Chunks may be of any size.
    pub fn feed(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        self.parse(&chunk);
        if self.0.pass_html && !self.0.ended {
            self.0.output.push(chunk);
        }
    }

    /// The next result, if its markup has arrived.
    pub fn next_result(&mut self) -> Option<SearchResult> {
        lock(&self.0.shared).reading.results.pop_front()
    }

    /// The next piece of the page without its ads: a slice of what was fed, not a copy.
    ///
    /// All pieces together are the page byte for byte but for the ads; without ads, they are the page.
    pub fn next_html(&mut self) -> Option<Bytes> {
        let mut core = lock(&self.0.shared);
        let decided = core.decided();
        self.0.output.next(&mut core.reading.cuts, decided)
    }

    /// Whether a result has been read, taken or not.
    #[must_use]
    pub fn has_results(&self) -> bool {
        self.results_read() > 0
    }

    pub(crate) fn results_read(&self) -> usize {
        lock(&self.0.shared).reading.seen
    }

    /// Whether the page is a challenge, as far as it has been read. It is known when the challenge's form has been read.
    #[must_use]
    pub fn is_challenge(&self) -> bool {
        lock(&self.0.shared).reading.is_challenge()
    }

    /// Why the reader has stopped reading, if it has. Html is passed on nevertheless.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        lock(&self.0.shared).stopped
    }

    /// The body is over: what is held back comes out. What is fed after this is ignored.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Ends the reading and gives the page: the results not taken yet, and what stands around them.
    #[must_use]
    pub fn finish(mut self) -> Page {
        self.end();
        lock(&self.0.shared).page()
    }
}

/// Whether that `content-type` is one of html.
pub(crate) fn is_html(content_type: &str) -> bool {
    ["text/html", "application/xhtml+xml"]
        .iter()
        .any(|html| essence(content_type).eq_ignore_ascii_case(html))
}

/// A `content-type` without its parameters.
fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

impl Default for PageReader {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for PageReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageReader")
            .field("fed", &self.0.fed)
            .field("ended", &self.0.ended)
            .field("stopped", &self.stopped())
            .finish_non_exhaustive()
    }
}
