//! A result page: what is on it, apart from how the html and the lite page put it.

use super::{Row, html, lite};
use crate::query::Endpoint;
use htmlize::escape_attribute;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the provider leaves as it is in a wrapped link. The hyphen is not among it.
const WRAPPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'(')
    .remove(b')');

/// A page of results after the provider's markup, with texts of our own.
///
/// ```
/// use search_gate::testing::{ResultPage, Row};
///
/// let page = ResultPage::new("tower middleware").results(3).ads(1).wrapped(true);
/// assert_eq!(page.rows()[2], Row::sample("tower middleware", 3));
/// assert!(page.to_html().contains("//duckduckgo.com/l/?uddg=https%3A%2F%2Fsite%2D3.example"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct ResultPage {
    pub(super) query: String,
    endpoint: Endpoint,
    results: usize,
    given: Option<Vec<Row>>,
    ads: usize,
    wrapped: bool,
    pub(super) start: usize,
    pub(super) next: bool,
    pub(super) region: String,
    pub(super) time: String,
    pub(super) zero_click: Option<String>,
    pub(super) spelling: Option<String>,
}

impl ResultPage {
    /// The html page for `query`: ten sample results with direct links, no ads, a form for the next page.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            endpoint: Endpoint::Html,
            results: 10,
            given: None,
            ads: 0,
            wrapped: false,
            start: 0,
            next: true,
            region: String::new(),
            time: String::new(),
            zero_click: None,
            spelling: None,
        }
    }

    /// Which of the two pages. Default: html.
    pub fn endpoint(mut self, endpoint: Endpoint) -> Self {
        self.endpoint = endpoint;
        self
    }

    /// How many sample results. Default: 10. With none it is the page that says that nothing was found.
    pub fn results(mut self, results: usize) -> Self {
        self.results = results;
        self.given = None;
        self
    }

    /// These results instead of samples.
    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Row>) -> Self {
        self.given = Some(rows.into_iter().collect());
        self
    }

    /// How many ads, before the results. Default: none. The provider was seen to show up to two.
    pub fn ads(mut self, ads: usize) -> Self {
        self.ads = ads;
        self
    }

    /// Whether links are wrapped (`//duckduckgo.com/l/?uddg=…`), as in an answer to a GET, or direct, as in one to a POST. Default: direct.
    pub fn wrapped(mut self, wrapped: bool) -> Self {
        self.wrapped = wrapped;
        self
    }

    /// How many results were on the pages before this one. Default: 0, the first page.
    pub fn start(mut self, results_before: usize) -> Self {
        self.start = results_before;
        self
    }

    /// Whether there is a form for the next page. Default: yes. A page without results has none.
    pub fn next_page(mut self, next: bool) -> Self {
        self.next = next;
        self
    }

    /// The region that was asked for (`kl`). Default: all.
    pub fn region(mut self, code: impl Into<String>) -> Self {
        self.region = code.into();
        self
    }

    /// The time that was asked for (`df`). Default: any.
    pub fn time(mut self, code: impl Into<String>) -> Self {
        self.time = code.into();
        self
    }

    /// Adds a zero-click box with this text.
    pub fn zero_click(mut self, text: impl Into<String>) -> Self {
        self.zero_click = Some(text.into());
        self
    }

    /// Adds the question whether `text` was meant.
    pub fn spelling(mut self, text: impl Into<String>) -> Self {
        self.spelling = Some(text.into());
        self
    }

    /// What was searched for.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// The results: what a reader of the page should find.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        match &self.given {
            Some(rows) => rows.clone(),
            None => (1..=self.results)
                .map(|i| Row::sample(&self.query, self.start.saturating_add(i)))
                .collect(),
        }
    }

    /// The page.
    #[must_use]
    pub fn to_html(&self) -> String {
        match self.endpoint {
            Endpoint::Html => html::page(self),
            Endpoint::Lite => lite::page(self),
        }
    }

    /// The links of the ads, raw.
    pub(super) fn ad_links(&self) -> impl Iterator<Item = String> + '_ {
        (1..=self.ads).map(|number| {
            let target = format!("https://www.bing.com/aclick?ld={}&u=shop-{number}", token(&(&self.query, number), 32));
            let target: String = form_urlencoded::byte_serialize(target.as_bytes()).collect();
            let rut = token(&(number, &self.query), 64);
            format!(
                "https://duckduckgo.com/y.js?ad_domain=shop-{number}.example&ad_provider=bingv7aa&ad_type=txad&rut={rut}&u3={target}&vqd={}",
                self.vqd()
            )
        })
    }

    /// `url` as it stands in an `href`, wrapped or not.
    pub(super) fn href(&self, url: &str) -> String {
        if !self.wrapped {
            return escape_attribute(url).into_owned();
        }
        format!(
            "//duckduckgo.com/l/?uddg={}&amp;rut={}",
            utf8_percent_encode(url, WRAPPED),
            token(url, 64)
        )
    }

    /// The hidden fields of the form for the next page; `None` where there is none.
    pub(super) fn next_form(&self) -> Option<Vec<(&'static str, String)>> {
        let rows = self.given.as_ref().map_or(self.results, Vec::len);
        if !self.next || rows == 0 {
            return None;
        }
        let start = self.start.saturating_add(rows);
        let mut fields = vec![
            ("q", self.query.clone()),
            ("s", start.to_string()),
            ("nextParams", String::new()),
            ("v", "l".to_owned()),
            ("o", "json".to_owned()),
            (
                "dc",
                start.saturating_add(self.ads).saturating_add(1).to_string(),
            ),
            ("api", "d.js".to_owned()),
            ("vqd", self.vqd()),
            (
                "kl",
                if self.region.is_empty() {
                    crate::ALL_REGIONS.to_owned()
                } else {
                    self.region.clone()
                },
            ),
        ];
        if !self.time.is_empty() {
            fields.push(("df", self.time.clone()));
        }
        Some(fields)
    }

    /// The provider's token for the query: the same for the same query.
    fn vqd(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.query.hash(&mut hasher);
        format!("4-{:020}{:019}", hasher.finish(), hasher.finish() >> 1)
    }
}

/// `length` hex digits that depend on `seed` alone.
pub(super) fn token(seed: &(impl Hash + ?Sized), length: usize) -> String {
    let mut token = String::with_capacity(length + 16);
    for part in 0_u8.. {
        if token.len() >= length {
            break;
        }
        let mut hasher = DefaultHasher::new();
        (part, seed).hash(&mut hasher);
        token.push_str(&format!("{:016x}", hasher.finish()));
    }
    token.truncate(length);
    token
}
