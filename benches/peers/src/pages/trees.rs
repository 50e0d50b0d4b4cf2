//! Readers that parse a whole page before they look for anything in it.
//!
//! Both know what a result is by its link's class, and do no more: no date, no badge, no ads, nothing hidden.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use scraper::{Html, Selector};
use search_gate::Endpoint;

use super::corpus::{Found, Page, collapse};
use super::subject::Out;

/// Titles and snippets, each in its own element, in the page's order.
struct Rules {
    title: &'static str,
    snippet: &'static str,
    /// Both of them.
    parts: Selector,
}

fn rules(page: &Page) -> &'static Rules {
    static HTML: LazyLock<Rules> = LazyLock::new(|| Rules {
        title: "result__a",
        snippet: "result__snippet",
        parts: selector("a.result__a, a.result__snippet"),
    });
    static LITE: LazyLock<Rules> = LazyLock::new(|| Rules {
        title: "result-link",
        snippet: "result-snippet",
        parts: selector("a.result-link, td.result-snippet"),
    });
    match page.endpoint {
        Endpoint::Lite => &LITE,
        _ => &HTML,
    }
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).expect("a sound selector")
}

/// Hands out a result when the next one's title comes, or nothing more.
struct Rows<'a> {
    current: Option<Found>,
    out: &'a mut dyn FnMut(Out),
}

impl Rows<'_> {
    fn title(&mut self, href: &str, text: &str) {
        self.end();
        self.current = Some(Found {
            title: collapse(text),
            url: target(href),
            snippet: String::new(),
        });
    }

    fn snippet(&mut self, text: &str) {
        if let Some(result) = &mut self.current {
            result.snippet = collapse(text);
        }
    }

    fn end(&mut self) {
        if let Some(result) = self.current.take() {
            (self.out)(Out::Result(result));
        }
    }
}

/// Where a link leads behind the provider's redirect.
fn target(href: &str) -> String {
    let Some((_, target)) = href.split_once("duckduckgo.com/l/?uddg=") else {
        return href.to_owned();
    };
    let target = target.split('&').next().unwrap_or_default();
    percent_decode_str(target).decode_utf8_lossy().into_owned()
}

pub(super) fn scraper(page: &Page, out: &mut dyn FnMut(Out)) {
    let rules = rules(page);
    let tree = Html::parse_document(&String::from_utf8_lossy(&page.bytes));
    let mut rows = Rows { current: None, out };
    for element in tree.select(&rules.parts) {
        let text: String = element.text().collect();
        if element.value().classes().any(|class| class == rules.title) {
            rows.title(element.attr("href").unwrap_or_default(), &text);
        } else {
            rows.snippet(&text);
        }
    }
    rows.end();
}

/// tl resolves no entities, so that is done here.
pub(super) fn tl(page: &Page, out: &mut dyn FnMut(Out)) {
    let rules = rules(page);
    let html = String::from_utf8_lossy(&page.bytes);
    let Ok(tree) = tl::parse(&html, tl::ParserOptions::default()) else {
        return;
    };
    let mut rows = Rows { current: None, out };
    for tag in tree.nodes().iter().filter_map(|node| node.as_tag()) {
        let attributes = tag.attributes();
        let is_title = attributes.is_class_member(rules.title);
        if !is_title && !attributes.is_class_member(rules.snippet) {
            continue;
        }
        let text = tag.inner_text(tree.parser());
        let text = htmlize::unescape(&*text);
        if is_title {
            let href = attributes.get("href").flatten();
            let href = href.map(|href| href.as_utf8_str()).unwrap_or_default();
            rows.title(&htmlize::unescape_attribute(&*href), &text);
        } else {
            rows.snippet(&text);
        }
    }
    rows.end();
}
