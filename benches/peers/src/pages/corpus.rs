//! The pages that are read.

use std::{collections::HashMap, fs, io, path::Path};

use bytes::Bytes;
use search_gate::{
    Endpoint, Page as Read, PageKind,
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

/// Pages made after the provider's markup, `long` results on the longest: each a group of its own.
#[must_use]
pub fn made(long: usize) -> Vec<Group> {
    let page = |results| {
        ResultPage::new("rust async runtime")
            .wrapped(true)
            .with_rows((1..=results).map(row))
    };
    let organic = page(10);
    let full = page(30).ads(3);
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
    let mut row = Row::sample("rust async runtime", number);
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

/// The pages of a folder: `.html` files, and `.httprr` recordings of a request and its answer. Grouped by what ours takes them for.
///
/// # Errors
///
/// When the folder or a page in it cannot be read, and when there is no page in it.
pub fn saved(folder: &Path) -> io::Result<Vec<Group>> {
    let expected = expected(folder)?;
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    files.sort();
    let mut groups: Vec<Group> = Vec::new();
    for file in &files {
        let Some(bytes) = page_in(file)? else {
            continue;
        };
        let name = file.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let read = Read::read(200, None, &bytes);
        let endpoint = read.endpoint.unwrap_or(Endpoint::Html);
        let group = match (read.kind, endpoint) {
            (PageKind::Results, Endpoint::Html) => "html with results",
            (PageKind::Results, _) => "lite with results",
            (PageKind::NoResults, _) => "no results",
            (PageKind::Challenge, _) => "challenges",
            _ => "of no known kind",
        };
        let page = Page {
            expected: match expected.get(&name) {
                Some(found) => found.clone(),
                None => read.results.into_iter().map(Found::from).collect(),
            },
            name,
            bytes: bytes.into(),
            endpoint,
        };
        match groups.iter_mut().find(|known| known.name == group) {
            Some(known) => known.pages.push(page),
            None => groups.push(Group {
                name: group.to_owned(),
                pages: vec![page],
            }),
        }
    }
    if groups.is_empty() {
        let why = "there is no .html and no .httprr file in it";
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    for group in &mut groups {
        group.name = format!("{}, {} pages", group.name, group.pages.len());
    }
    Ok(groups)
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

/// The page in a file, if it is one of those that hold pages.
fn page_in(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let extension = file.extension().unwrap_or_default();
    if extension == "html" {
        return fs::read(file).map(Some);
    }
    if extension != "httprr" {
        return Ok(None);
    }
    let recording = fs::read(file)?;
    let doctype = b"<!doctype";
    let start = recording
        .windows(doctype.len())
        .position(|window| window.eq_ignore_ascii_case(doctype));
    Ok(start.map(|start| recording[start..].to_vec()))
}

#[derive(Deserialize)]
struct Expectation {
    file: String,
    results: Vec<Found>,
}

fn expected(folder: &Path) -> io::Result<HashMap<String, Vec<Found>>> {
    let text = match fs::read_to_string(folder.join("expected.jsonl")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        text => text?,
    };
    text.lines()
        .map(|line| {
            let line: Expectation = serde_json::from_str(line)?;
            Ok((line.file, line.results))
        })
        .collect()
}
