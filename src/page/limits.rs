use std::fmt;

/// How much of a page is read, and how much memory reading it may take.
///
/// Every bound has a default that no page of the provider comes near. A body that passes a bound is never lost: reading
/// stops or the one field is cut, the rest of the html is passed on as it came, and the reader says why ([`Stopped`]).
///
/// ```
/// use search_gate::{Limits, PageReader};
///
/// let reader = PageReader::new().limits(Limits::default().results(10).text_bytes(1024));
/// ```
#[derive(Debug, Clone)]
pub struct Limits {
    pub(super) parser_memory: usize,
    pub(super) page_bytes: u64,
    pub(super) results: usize,
    pub(super) text: usize,
    pub(super) url: usize,
    pub(super) held: u64,
    pub(super) depth: usize,
    pub(super) tag: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            parser_memory: 512 * 1024,
            page_bytes: 16 * 1024 * 1024,
            results: 10_000,
            text: 8 * 1024,
            url: 8 * 1024,
            held: 64 * 1024,
            depth: 256,
            tag: 64 * 1024,
        }
    }
}

impl Limits {
    /// The memory lol_html may use, in bytes. Default 512 KiB: a slice of 8 KiB that
    /// opens an element every third byte has to fit, and so has the longest tag.
    #[must_use]
    pub fn parser_memory(mut self, bytes: usize) -> Self {
        self.parser_memory = bytes;
        self
    }

    /// How much of a body is parsed, in bytes. Default 16 MiB; the provider's pages have 8 to 60 KiB.
    #[must_use]
    pub fn page_bytes(mut self, bytes: u64) -> Self {
        self.page_bytes = bytes;
        self
    }

    /// How many results are read from one page. Default 10,000; the provider's pages have up to 30.
    #[must_use]
    pub fn results(mut self, results: usize) -> Self {
        self.results = results;
        self
    }

    /// The length of a text (a title, a snippet, the zero-click text), in bytes. Default 8 KiB; longer ones are cut.
    #[must_use]
    pub fn text_bytes(mut self, bytes: usize) -> Self {
        self.text = bytes;
        self
    }

    /// The length of a result's address, in bytes. Default 8 KiB; a link that is longer is not read as a result.
    #[must_use]
    pub fn url_bytes(mut self, bytes: usize) -> Self {
        self.url = bytes;
        self
    }

    /// How much html is held back until it is known whether it is an ad, in bytes. Default 64 KiB; a real ad has 5 to
    /// 10 KiB. What is longer is passed on, but for the ad's links.
    #[must_use]
    pub fn held_bytes(mut self, bytes: u64) -> Self {
        self.held = bytes;
        self
    }

    /// How deep elements may be nested. Default 256; the provider's pages go 15 deep.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// The length of one tag, in bytes. Default 64 KiB; an ad's link has 2 KiB.
    #[must_use]
    pub fn tag_bytes(mut self, bytes: usize) -> Self {
        self.tag = bytes;
        self
    }
}

/// Why a reader stopped reading before the page's end.
///
/// What was read until then is kept, and the rest of the html is passed on as it came.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// The body is not html by its content type, or has no markup at all.
    NotHtml,
    /// The body is still compressed.
    Compressed,
    /// The body's encoding (UTF-16, ISO-2022-JP) cannot be read.
    Encoding,
    /// The page is longer than [`Limits::page_bytes`].
    PageBytes,
    /// The page has more results than [`Limits::results`].
    Results,
    /// Elements are nested deeper than [`Limits::depth`].
    Depth,
    /// A tag is longer than [`Limits::tag_bytes`].
    Tag,
    /// The parser needs more than [`Limits::parser_memory`].
    ParserMemory,
    /// The parser and the reader disagree on where they are in the page. This is a fault of this crate: please report it.
    Parser,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHtml => "the body is not html",
            Self::Compressed => "the body is still compressed: decompress it before it is read",
            Self::Encoding => "the body's encoding cannot be read: ask for UTF-8",
            Self::PageBytes => "the page is longer than Limits::page_bytes",
            Self::Results => "the page has more results than Limits::results",
            Self::Depth => "the page's elements are nested deeper than Limits::depth",
            Self::Tag => "a tag of the page is longer than Limits::tag_bytes",
            Self::ParserMemory => "parsing the page needs more memory than Limits::parser_memory",
            Self::Parser => "the parser lost its place in the page; this is a fault in search-gate",
        })
    }
}
