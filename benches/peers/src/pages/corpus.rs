//! The pages that are read, and those that are made to be.

use bytes::Bytes;
use search_gate::{
    Endpoint,
    testing::{ResultPage, Row},
};
use serde::Deserialize;

/// What makes a result right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Found {
    pub title: String,
    pub url: String,
    pub snippet: String,
}

impl Found {
    /// All white space collapsed, no-break spaces included: parsers differ in it.
    #[must_use]
    pub fn collapsed(self) -> Self {
        Self {
            title: collapse(&self.title),
            url: self.url,
            snippet: collapse(&self.snippet),
        }
    }
}

impl From<Row> for Found {
    fn from(row: Row) -> Self {
        Self {
            title: row.title,
            url: row.url,
            snippet: row.snippet,
        }
    }
}

impl From<search_gate::SearchResult> for Found {
    fn from(result: search_gate::SearchResult) -> Self {
        Self {
            title: result.title,
            url: result.url,
            snippet: result.snippet,
        }
    }
}

/// `text` with a single space wherever it has white space.
#[must_use]
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// One page, and what a reader should find.
#[derive(Debug, Clone)]
pub struct Page {
    pub name: String,
    pub bytes: Bytes,
    pub endpoint: Endpoint,
    pub expected: Vec<Found>,
}

/// Pages of one kind, which are measured together.
#[derive(Debug, Clone)]
pub struct Group {
    pub name: String,
    pub pages: Vec<Page>,
}

impl Group {
    /// The length of all of its pages.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pages.iter().map(|page| page.bytes.len()).sum()
    }

    /// How many results there are to find.
    #[must_use]
    pub fn results(&self) -> usize {
        self.pages.iter().map(|page| page.expected.len()).sum()
    }
}

const QUERY: &str = "rust async runtime";

/// Pages made after the provider's markup, `long` results on the longest: each a group of its own.
#[must_use]
pub fn made(long: usize) -> Vec<Group> {
    let page = |results| {
        ResultPage::new(QUERY)
            .wrapped(true)
            .with_rows((1..=results).map(row))
    };
    let organic = page(10);
    let full = ResultPage::new(QUERY).wrapped(true).results(30).ads(3);
    let long = page(long).ads(long / 10);
    let lite = page(10).endpoint(Endpoint::Lite).ads(1);
    let of = |name: &str, made: &ResultPage, html: String, endpoint| {
        let name = format!("{name}, {}", length(html.len()));
        let page = Page {
            name: name.clone(),
            bytes: html.into(),
            endpoint,
            expected: made.rows().into_iter().map(Found::from).collect(),
        };
        Group {
            name,
            pages: vec![page],
        }
    };
    vec![
        of("organic", &organic, organic.to_html(), Endpoint::Html),
        of(
            "ads and a long head",
            &full,
            with_long_head(&full.to_html()),
            Endpoint::Html,
        ),
        of("long", &long, long.to_html(), Endpoint::Html),
        of("lite", &lite, lite.to_html(), Endpoint::Lite),
    ]
}

/// A result about as long as the provider's are.
fn row(number: usize) -> Row {
    let mut row = Row::sample(QUERY, number);
    row.title = format!("{} | Notes on runtimes", row.title);
    row.url = format!("{}&from=a+b&section=schedulers/work-stealing", row.url);
    row.snippet = format!(
        "{} An async runtime polls futures until they are ready; a rust program picks one & starts it in main.",
        row.snippet
    );
    row
}

/// 10 KB more in the head, most of it styles.
fn with_long_head(html: &str) -> String {
    let mut head = String::new();
    for icon in 0..20 {
        head += &format!(
            "  <link id=\"size{icon}\" rel=\"apple-touch-icon\" sizes=\"{icon}0x{icon}0\" href=\"//duckduckgo.com/assets/size-{icon}.png?v=2\"/>\n"
        );
    }
    head += "  <style>\n";
    for rule in 0..150 {
        head +=
            &format!("    .page__part-{rule} > .page__box {{ margin: 0 {rule}px; color: #666 }}\n");
    }
    head += "  </style>\n</head>";
    html.replacen("</head>", &head, 1)
}

fn length(bytes: usize) -> String {
    match bytes {
        ..1_000_000 => format!("{} KB", (bytes + 500) / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
