//! A result of a page, and its sample texts.

/// A result of a [`ResultPage`](super::ResultPage), as a person would read it: plain text, links not wrapped.
///
/// ```
/// use search_gate::testing::{ResultPage, Row};
///
/// let row = Row::new("Bread & butter", "https://bakery.example/?a=1&b=2").snippet("All about bread.");
/// let html = ResultPage::new("bread").with_rows([row]).to_html();
/// assert!(html.contains("Bread &amp; butter"));
/// assert!(html.contains("All about <b>bread</b>."));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use]
pub struct Row {
    /// The title.
    pub title: String,
    /// The link.
    pub url: String,
    /// The text below the title. The words of the query are shown bold in it.
    pub snippet: String,
    /// The date, as the provider writes it: `2026-07-30T16:53:00.0000000`, midnight for a date without a time.
    pub published: Option<String>,
    /// The badge before the title, such as `PDF`. Only the html page has one.
    pub file_type: Option<String>,
}

impl Row {
    /// A result with this title and link, and an empty snippet.
    pub fn new(title: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            url: url.into(),
            snippet: String::new(),
            published: None,
            file_type: None,
        }
    }

    /// Sets the snippet.
    pub fn snippet(mut self, text: impl Into<String>) -> Self {
        self.snippet = text.into();
        self
    }

    /// Sets the date. It is put in the page as it is.
    pub fn published(mut self, date: impl Into<String>) -> Self {
        self.published = Some(date.into());
        self
    }

    /// Sets the file type.
    pub fn file_type(mut self, badge: impl Into<String>) -> Self {
        self.file_type = Some(badge.into());
        self
    }

    /// The `number`th sample result for `query`, counted from 1.
    ///
    /// Its texts name the query and the number, so that pages can be told apart. Links hold what is hard to carry over (a `+`, a `%2C`, an
    /// `&amp;`), every third row has a date, every fifth a file type.
    pub fn sample(query: &str, number: usize) -> Self {
        let slug: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let mut row = Self::new(
            format!("{query}: notes & \"queries\", part {number}"),
            format!("https://site-{number}.example/read-me/{number}%2Cb?topic={slug}&part={number}"),
        )
        .snippet(format!("Part {number} of what there's to say about {query}, for those who read <slowly> & like it."));
        if number.is_multiple_of(3) {
            let time = if number.is_multiple_of(2) {
                "00:00:00"
            } else {
                "16:53:07"
            };
            row = row.published(format!(
                "2026-{:02}-{:02}T{time}.0000000",
                number / 28 % 12 + 1,
                number % 28 + 1
            ));
        }
        if number.is_multiple_of(5) {
            row = row.file_type("PDF");
        }
        row
    }

    /// The link as the page shows it: without scheme and what follows a `?`.
    pub(super) fn display_url(&self) -> &str {
        let rest = self
            .url
            .split_once("://")
            .map_or(self.url.as_str(), |(_, rest)| rest);
        rest.split('?').next().unwrap_or(rest)
    }

    /// The link's host.
    pub(super) fn host(&self) -> &str {
        let shown = self.display_url();
        shown.split('/').next().unwrap_or(shown)
    }
}
