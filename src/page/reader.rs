use super::cuts::{Cuts, Output};
use super::forms::charset;
use super::options::{LONGEST_TAG, plain_list};
use super::reading::Reading;
use super::sink::{Core, Parser, Shared, lock, parser};
use super::{Limits, Page, PageKind, SearchResult, Stopped};
use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use sync_wrapper::SyncWrapper;

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
pub struct PageReader(Box<Inner>);

struct Inner {
    shared: Shared,
    limits: Limits,
    parser: Option<SyncWrapper<Parser>>,
    output: Output,
    pass_html: bool,
    /// The body's first bytes, by which some formats are known.
    head: Vec<u8>,
    fed: u64,
    ended: bool,
}

/// lol_html copies a slice whole when a tag goes on in it, so slices are small.
const SLICE: usize = 8 * 1024;

impl PageReader {
    /// A reader that collects results and passes no html on, with the default [`Limits`].
    #[must_use]
    pub fn new() -> Self {
        let limits = Limits::default();
        let reading = Reading::new(limits.clone(), true, Cuts::default());
        let core = Core::new(reading);
        Self(Box::new(Inner {
            shared: Arc::new(Mutex::new(core)),
            limits,
            parser: None,
            output: Output::default(),
            pass_html: false,
            head: Vec::new(),
            fed: 0,
            ended: false,
        }))
    }

    /// The response's `content-type`: what is not html is not read, and a charset is taken from it.
    #[must_use]
    pub fn content_type(self, content_type: &str) -> Self {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let is_html = ["", "text/html", "application/xhtml+xml"]
            .iter()
            .any(|html| essence.eq_ignore_ascii_case(html));
        let mut core = lock(&self.0.shared);
        if !is_html {
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

    /// Reads on in the body. Chunks may be of any size.
    pub fn feed(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        self.parse(&chunk);
        if self.0.pass_html && !self.0.ended {
            self.0.output.push(chunk);
        }
    }

    pub(super) fn parse(&mut self, bytes: &[u8]) {
        if self.0.ended {
            return;
        }
        self.0.begins_with(bytes);
        let mut rest = bytes;
        while self.0.is_before_results()
            && let Some(list) = plain_list(rest)
        {
            self.0.write(&rest[..list.start]);
            rest = &rest[list.start..];
            if lock(&self.0.shared).pass_over(list.len(), self.0.fed) {
                self.0.fed += list.len() as u64;
                rest = &rest[list.len()..];
            }
        }
        self.0.write(rest);
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
        if !self.0.ended {
            self.0.end();
        }
    }

    /// Ends the reading and gives the page: the results not taken yet, and what stands around them.
    #[must_use]
    pub fn finish(mut self) -> Page {
        self.end();
        lock(&self.0.shared).page()
    }
}

impl Inner {
    /// Knows by its first bytes what is not html however it calls itself.
    fn begins_with(&mut self, bytes: &[u8]) {
        let missing = 4_usize.saturating_sub(self.head.len());
        if missing == 0 {
            return;
        }
        self.head
            .extend_from_slice(&bytes[..bytes.len().min(missing)]);
        let mut core = lock(&self.shared);
        match self.head[..] {
            [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] => core.stop(Stopped::Compressed),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => core.stop(Stopped::Encoding),
            [b'{' | b'[', ..] => core.stop(Stopped::NotHtml),
            [0xef, 0xbb, 0xbf, ..] => {
                core.reading.encoding = UTF_8;
                core.reading.encoding_open = false;
            }
            _ => {}
        }
    }

    /// Lists of options stand above the results.
    fn is_before_results(&self) -> bool {
        lock(&self.shared).reading.watches_texts()
    }

    fn write(&mut self, bytes: &[u8]) {
        for slice in bytes.chunks(SLICE) {
            if lock(&self.shared).stopped.is_some() {
                self.parser = None;
                return;
            }
            let left = self.limits.page_bytes.saturating_sub(self.fed);
            let read = usize::try_from(left).map_or(slice.len(), |left| left.min(slice.len()));
            let (slice, is_last) = (&slice[..read], read < slice.len());
            self.fed += slice.len() as u64;
            if self.parser.is_none() {
                self.parser = parser(Arc::clone(&self.shared), &self.limits).map(SyncWrapper::new);
            }
            // A parser that has failed panics when it is used again.
            match self
                .parser
                .as_mut()
                .map(|parser| parser.get_mut().write(slice))
            {
                Some(Ok(())) => {}
                Some(Err(_)) => self.stop(Stopped::ParserMemory),
                None => self.stop(Stopped::Parser),
            }
            if is_last {
                return self.stop(Stopped::PageBytes);
            }
        }
    }

    fn stop(&mut self, why: Stopped) {
        self.parser = None;
        lock(&self.shared).stop(why);
    }

    fn end(&mut self) {
        self.ended = true;
        if let Some(parser) = self.parser.take()
            && lock(&self.shared).stopped.is_none()
            && parser.into_inner().end().is_err()
        {
            self.stop(Stopped::ParserMemory);
        }
        lock(&self.shared).end(self.fed);
    }
}

impl Core {
    /// Passes over options, if that is what comes next in the page.
    fn pass_over(&mut self, length: usize, fed: u64) -> bool {
        let passes = self.stopped.is_none()
            && self.walker.at == fed
            && !self.walker.is_amid()
            && self.reading.is_in_idle_select();
        if passes {
            self.walker.at += length as u64;
            self.passed += length as u64;
        }
        passes
    }

    fn end(&mut self, fed: u64) {
        if self.stopped.is_none() && self.walker.at != fed {
            self.stop(Stopped::Parser);
        }
        if self.stopped.is_none() {
            self.truncated = self.walker.is_amid() || self.reading.elements.page_is_open();
            self.reading.finish();
            if fed > 0 && !self.reading.any_tag {
                self.stopped = Some(Stopped::NotHtml);
            }
        }
        self.ended = true;
    }

    fn page(&mut self) -> Page {
        let reading = &mut self.reading;
        Page {
            kind: reading.kind(),
            endpoint: reading.endpoint,
            status: None,
            results: std::mem::take(&mut reading.results).into(),
            ads_dropped: reading.ads,
            hidden_dropped: reading.hidden,
            zero_click: reading
                .zero_click
                .take()
                .filter(|zero| zero.heading.is_some() || !zero.text.is_empty()),
            spelling: reading
                .spelling
                .take()
                .filter(|spelling| !spelling.text.is_empty()),
            next: reading.next.take(),
            stopped: self.stopped,
            truncated: self.truncated,
        }
    }
}

impl Reading {
    /// Whether a `select` has just begun, no text is being read and no cut is open, which an option would end.
    fn is_in_idle_select(&self) -> bool {
        self.field.is_none()
            && !self.cuts.is_open()
            && self.elements.in_select()
            && self.elements.depth() < self.limits.depth
            && self.limits.tag > LONGEST_TAG
    }

    fn limit(&mut self, limits: Limits, pass_html: bool) {
        self.cuts = Cuts::new(pass_html, limits.held);
        self.limits = limits;
    }

    fn is_challenge(&self) -> bool {
        self.challenge && self.seen == 0 && self.current.is_none() && self.ads == 0
    }

    fn kind(&self) -> PageKind {
        if self.seen > 0 {
            PageKind::Results
        } else if self.is_challenge() {
            PageKind::Challenge
        } else if self.hidden == 0 && (self.no_results || self.ads > 0) {
            PageKind::NoResults
        } else {
            PageKind::Unrecognised
        }
    }
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

#[cfg(test)]
mod tests;
