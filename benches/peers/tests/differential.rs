//! Ours and scraper read the same titles, urls and snippets on clean pages.
//!
//! The rules are written out here once more, the simplest way. `SEARCH_GATE_PAGES` names a folder of saved pages to compare on, beside those
//! that are made.

use std::env;

use percent_encoding::percent_decode_str;
use scraper::{ElementRef, Html, Selector};
use search_gate::{
    Endpoint, Page,
    testing::{ResultPage, Row},
};
use search_gate_peers::pages::{
    corpus::{Found, collapse},
    saved,
};

/// Reads a page by its tree.
fn by_tree(html: &str, endpoint: Endpoint) -> Vec<Found> {
    let tree = Html::parse_document(html);
    let found = match endpoint {
        Endpoint::Lite => by_rows(&tree),
        _ => by_blocks(&tree),
    };
    let is_page_of_ours = |found: &Found| found.title == "EOF" || found.url.is_empty();
    found
        .into_iter()
        .filter(|found| !is_page_of_ours(found))
        .collect()
}

fn by_blocks(tree: &Html) -> Vec<Found> {
    let title = select("a.result__a");
    let snippet = select("a.result__snippet, div.result__snippet");
    let mut found = Vec::new();
    for block in tree.select(&select("div.result:not(.result--ad)")) {
        let Some(link) = block.select(&title).next() else {
            continue;
        };
        let badge: String = link
            .select(&select("span.result__type"))
            .flat_map(|badge| badge.text())
            .collect();
        let text = text(link);
        let text = text.strip_prefix(&*collapse(&badge)).unwrap_or(&text);
        found.push(Found {
            title: text.trim_start().to_owned(),
            url: target(link),
            snippet: block
                .select(&snippet)
                .next()
                .map(self::text)
                .unwrap_or_default(),
        });
    }
    found.retain(|found| !is_ad(&found.url));
    found
}

fn by_rows(tree: &Html) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut after_ad = false;
    for part in tree.select(&select("a.result-link, td.result-snippet")) {
        if part.value().name() == "td" {
            if let Some(last) = found.last_mut().filter(|_| !after_ad) {
                last.snippet = text(part);
            }
            continue;
        }
        let url = target(part);
        // The link after an ad's own leads to what the provider has to say on ads.
        after_ad = is_ad(&url) || url.starts_with("https://duckduckgo.com/duckduckgo-help-pages/");
        if !after_ad {
            found.push(Found {
                title: text(part),
                url,
                snippet: String::new(),
            });
        }
    }
    found
}

fn select(text: &str) -> Selector {
    Selector::parse(text).unwrap()
}

fn text(element: ElementRef<'_>) -> String {
    collapse(&element.text().collect::<String>())
}

fn target(link: ElementRef<'_>) -> String {
    let href = link.attr("href").unwrap_or_default();
    let Some((_, target)) = href.split_once("//duckduckgo.com/l/?uddg=") else {
        return href.to_owned();
    };
    let target = target.split('&').next().unwrap_or_default();
    percent_decode_str(target).decode_utf8_lossy().into_owned()
}

fn is_ad(url: &str) -> bool {
    url.contains("//duckduckgo.com/y.js?")
}

fn by_ours(html: &[u8]) -> Vec<Found> {
    let results = Page::read(200, None, html).results;
    results
        .into_iter()
        .map(|result| Found::from(result).collapsed())
        .collect()
}

/// Texts of all sorts.
struct Texts(fastrand::Rng);

impl Texts {
    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "rust",
            "Tokio",
            "a",
            "&",
            "<b>",
            "</a>",
            "\"quoted\"",
            "it's",
            "&amp;",
            "&copy=1",
            "naïve",
            "日本語",
            "мир",
            "🦀",
            "  ",
            "\u{a0}",
            "\n",
            "-->",
            "<!--",
            "50 %",
            "C++",
            "/etc",
            "…",
            "x",
            "]]>",
            "&#39;",
            "\u{301}",
        ];
        let length = self.0.usize(1..12);
        let pieces: Vec<_> = (0..length)
            .map(|_| *self.0.choice(PIECES).unwrap())
            .collect();
        // A text begins with a letter, so that there is one.
        format!("T{}", pieces.join(" "))
    }

    fn url(&mut self) -> String {
        const PIECES: &[&str] = &[
            "path",
            "/",
            "?",
            "q=1",
            "&",
            "+",
            "%2C",
            "%20",
            "%26amp;",
            "#top",
            ";",
            "=",
            "~",
            "(x)",
            "%E2%9C%93",
            "'",
            "!",
        ];
        let length = self.0.usize(0..10);
        let pieces: Vec<_> = (0..length)
            .map(|_| *self.0.choice(PIECES).unwrap())
            .collect();
        let scheme = self.0.choice(["http", "https"]).unwrap();
        format!(
            "{scheme}://site-{}.example/{}",
            self.0.u16(..),
            pieces.concat()
        )
    }

    fn row(&mut self) -> Row {
        let mut row = Row::new(self.text(), self.url()).snippet(self.text());
        if self.0.bool() {
            row = row.published("2026-07-30T16:53:00.0000000");
        }
        if self.0.u8(..4) == 0 {
            row = row.file_type("PDF");
        }
        row
    }

    fn page(&mut self, endpoint: Endpoint) -> ResultPage {
        let rows: Vec<_> = (0..self.0.usize(0..12)).map(|_| self.row()).collect();
        let mut page = ResultPage::new(self.text())
            .endpoint(endpoint)
            .with_rows(rows)
            .ads(self.0.usize(0..3))
            .wrapped(self.0.bool());
        if self.0.bool() {
            page = page.zero_click(self.text());
        }
        if self.0.bool() {
            page = page.spelling(self.text());
        }
        page
    }
}

#[test]
fn made_pages_read_the_same() {
    let mut texts = Texts(fastrand::Rng::with_seed(3));
    for round in 0..100 {
        for endpoint in [Endpoint::Html, Endpoint::Lite] {
            let page = texts.page(endpoint);
            let html = page.to_html();
            let rows: Vec<_> = page
                .rows()
                .into_iter()
                .map(|row| Found::from(row).collapsed())
                .collect();
            let tree = by_tree(&html, endpoint);
            assert_eq!(tree, rows, "scraper, {endpoint:?}, round {round}");
            assert_eq!(
                by_ours(html.as_bytes()),
                tree,
                "ours, {endpoint:?}, round {round}"
            );
        }
    }
}

#[test]
fn saved_pages_read_the_same() {
    let Some(folder) = env::var_os("SEARCH_GATE_PAGES") else {
        println!("skipped: SEARCH_GATE_PAGES is not set");
        return;
    };
    let groups = saved::groups(folder.as_ref()).unwrap();
    let mut results = 0;
    for page in groups.iter().flat_map(|group| &group.pages) {
        let tree = by_tree(&String::from_utf8_lossy(&page.bytes), page.endpoint);
        results += tree.len();
        assert_eq!(by_ours(&page.bytes), tree, "{}", page.name);
    }
    assert!(results > 0, "no page has a result");
}
