use super::{Limits, PageError, PageReader, Stopped};
use crate::query::{Endpoint, Query};
use std::ops::Range;

/// What a page of the provider holds.
///
/// ```
/// use search_gate::{Page, PageKind};
///
/// let html = br#"<div class="result"><a class="result__a" href="https://a.example/">A <b>word</b></a></div>"#;
/// let page = Page::read(200, "text/html; charset=UTF-8", html).ok()?;
/// assert_eq!(page.kind, PageKind::Results);
/// assert_eq!(page.results[0].title, "A word");
/// # Ok::<(), search_gate::PageError>(())
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// What kind of page it is.
    pub kind: PageKind,
    /// Which endpoint it came from, if the page tells.
    pub endpoint: Option<Endpoint>,
    /// The status it came with, if known. It says nothing about `kind`: challenges come under 200 too.
    pub status: Option<u16>,
    /// The results in the page's order, ads not among them; only those not taken from the reader before.
    pub results: Vec<SearchResult>,
    /// How many ads were left out.
    pub ads_dropped: usize,
    /// How many results were left out because a person would not see them.
    pub hidden_dropped: usize,
    /// The answer in a box above the results.
    pub zero_click: Option<ZeroClick>,
    /// What the provider says about the query's spelling.
    pub spelling: Option<Spelling>,
    /// What asks for the next page: the page's own form, all its hidden fields in their order. It goes to the provider's own address by the
    /// default user agent, unless it is [asked as the first page was](Query::asked_as).
    pub next: Option<Query>,
    /// Why reading stopped before the page's end, if it did.
    pub stopped: Option<Stopped>,
    /// The page was read to its end and has none: it was cut off on its way.
    pub truncated: bool,
}

impl Page {
    /// Reads a whole page. Plain types only, so that any HTTP client's answer can be read.
    ///
    /// `content_type` is the response's header of that name; `bytes` is the body, decompressed. It never fails: what the
    /// bytes are is told by `kind`, and [`Page::ok`] makes an error of what is not an answer.
    #[must_use]
    pub fn read<'a>(status: u16, content_type: impl Into<Option<&'a str>>, bytes: &[u8]) -> Self {
        Self::read_with(Limits::default(), status, content_type.into(), bytes)
    }

    pub(super) fn read_with(
        limits: Limits,
        status: u16,
        content_type: Option<&str>,
        bytes: &[u8],
    ) -> Self {
        let mut reader = PageReader::new().limits(limits);
        if let Some(content_type) = content_type {
            reader = reader.content_type(content_type);
        }
        reader.parse(bytes);
        let mut page = reader.finish();
        page.status = Some(status);
        page
    }

    /// The page, if it is an answer: results, or the statement that there are none.
    ///
    /// # Errors
    ///
    /// When it is a challenge, when it is none of the known pages, and when a person would see none of its results.
    pub fn ok(self) -> Result<Self, PageError> {
        let answered = matches!(self.kind, PageKind::Results | PageKind::NoResults);
        if answered {
            Ok(self)
        } else {
            Err(PageError::of(&self))
        }
    }

    /// The results of the page, if it is an answer.
    ///
    /// # Errors
    ///
    /// As [`Page::ok`].
    pub fn into_results(self) -> Result<Vec<SearchResult>, PageError> {
        self.ok().map(|page| page.results)
    }
}

/// The kinds of page.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// A page with results.
    Results,
    /// An answer that says that there are no results, with or without ads.
    NoResults,
    /// The provider asks for proof that a person searches: it is throttling this address.
    Challenge,
    /// None of the known pages. The markup changed, or it is not the provider's page.
    Unrecognised,
}

/// One result of a search.
///
/// Texts are as a person reads them: entities resolved, white space collapsed.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The title, without a file-type badge.
    pub title: String,
    /// Where it leads: http or https, the provider's redirect taken off.
    pub url: String,
    /// The text below the title; empty if there is none.
    pub snippet: String,
    /// The address as the page shows it.
    pub display_url: Option<String>,
    /// When the page found was published, as far as the provider knows.
    pub published: Option<Published>,
    /// The file type that stands before the title, as `PDF`.
    pub file_type: Option<String>,
    /// The address of the site's icon.
    pub icon: Option<String>,
    /// Its place among the page's results, from 1.
    pub position: usize,
    /// The byte ranges of `title` that are bold: words of the query.
    pub title_bold: Vec<Range<usize>>,
    /// The byte ranges of `snippet` that are bold: words of the query.
    pub snippet_bold: Vec<Range<usize>>,
}

/// When a result was published. The provider names no time zone.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// As it stands in the page.
    pub text: String,
    /// The date; `None` if the text is no date.
    pub date: Option<jiff::civil::Date>,
    /// The time of day; `None` if only the date is known, which the page writes as midnight.
    pub time: Option<jiff::civil::Time>,
}

impl Published {
    pub(super) fn new(text: String) -> Self {
        let at = text.parse::<jiff::civil::DateTime>().ok();
        let date = at
            .map(jiff::civil::DateTime::date)
            .or_else(|| text.parse().ok());
        let time = at
            .map(jiff::civil::DateTime::time)
            .filter(|time| *time != jiff::civil::Time::midnight());
        Self { text, date, time }
    }
}

/// The answer above the results, taken from an encyclopedia as a rule.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ZeroClick {
    /// Its heading, if it has one.
    pub heading: Option<String>,
    /// Its text.
    pub text: String,
    /// Where the text is from, as `Wikipedia`.
    pub source: Option<String>,
    /// The address of the text's page.
    pub url: Option<String>,
    /// The address of its image.
    pub image: Option<String>,
}

/// What the provider says about the query's spelling.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spelling {
    /// All it says, as `Did you mean …?` or `Including results for …`.
    pub text: String,
    /// The query it suggests or has searched for instead.
    pub query: Option<String>,
}
