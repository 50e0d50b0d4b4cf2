//! Pages made the way the provider makes them, with texts of our own.
#![allow(dead_code, reason = "each test file uses its own part of it")]

use search_gate::{Page, PageReader, SearchResult, Stopped};

/// A target in the provider's redirect.
pub(crate) fn wrapped(target: &str) -> String {
    let target: String = form_urlencoded::byte_serialize(target.as_bytes()).collect();
    format!(
        "//duckduckgo.com/l/?uddg={}&amp;rut=0123456789abcdef",
        target.replace('-', "%2D")
    )
}

pub(crate) const AD_LINK: &str = "https://duckduckgo.com/y.js?ad_domain=shop.example&amp;ad_provider=maker&amp;u3=https%3A%2F%2Fads.example";

/// A row of the html page.
pub(crate) fn row(n: usize) -> String {
    row_of(
        &format!("Page <b>number</b> {n}"),
        &wrapped(&format!("https://site-{n}.example/page?a=1&b={n}")),
        &format!("What page {n} tells about the <b>words</b> asked for, and &#x27;more&#x27;."),
    )
}

pub(crate) fn row_of(title: &str, href: &str, snippet: &str) -> String {
    format!(
        r#"
        <div class="result results_links results_links_deep web-result ">
          <div class="links_main links_deep result__body"> <!-- This is the visible part -->
            <h2 class="result__title">
              <a rel="nofollow" class="result__a" href="{href}">{title}</a>
            </h2>
            <div class="result__extras">
              <div class="result__extras__url">
                <span class="result__icon">
                  <a rel="nofollow" href="{href}">
                    <img class="result__icon__img" width="16" height="16" alt="" src="//icons.example/site.ico" name="i15" />
                  </a>
                </span>
                <a class="result__url" href="{href}">
                  site.example/page
                </a>
                <span>&nbsp; &nbsp; 2026-07-30T16:53:00.0000000</span>
              </div>
            </div>
            <a class="result__snippet" href="{href}">{snippet}</a>
            <div class="clear"></div>
          </div>
        </div>"#
    )
}

/// An ad of the html page.
pub(crate) fn ad() -> String {
    format!(
        r#"
        <div class="result results_links results_links_deep result--ad ">
          <div class="links_main links_deep result__body"> <!-- This is the visible part -->
            <h2 class="result__title">
              <a rel="nofollow" class="result__a" href="{AD_LINK}">Buy things</a>
              <div class="result__badge-wrap"><button class="badge--ad">Ad</button></div>
            </h2>
            <div class="result__extras"><div class="result__extras__url">
              <!-- Disable Ad Favicon <span class="result__icon"><a class="result__icon__img" href="{AD_LINK}"></a></span> -->
              <a class="result__url" href="{AD_LINK}">shop.example</a>
            </div></div>
            <a class="result__snippet" href="{AD_LINK}">Things at prices.</a>
            <div class="clear"></div>
          </div>
        </div>"#
    )
}

/// The html page around rows.
pub(crate) fn html(rows: &str) -> String {
    format!(
        r#"<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<!--[if IE 6]><html class="ie6"><![endif]-->
<!--[if gt IE 8]><!--><html xmlns="http://www.w3.org/1999/xhtml"><!--<![endif]-->
<head>
  <meta http-equiv="content-type" content="text/html; charset=UTF-8" />
  <title>some words at a provider</title>
  <link rel="stylesheet" href="//duckduckgo.com/dist/h.css" type="text/css"/>
</head>
<body class="body--html">
  <form action="/html/" method="post"><input type="text" name="state_hidden" id="state_hidden" /></form>
  <div>
    <div id="header" class="header cw header--html">
      <form name="x" class="header__form" action="/html/" method="post">
        <input name="q" class="search__input" type="text" value="some words" />
        <input name="b" class="search__button" value="" type="submit" />
        <select name="kl"><option value="" >All Regions</option><option value="no-no" >Norway</option></select>
      </form>
    </div>
    <!-- Web results are present -->
    <div><div class="serp__results"><div id="links" class="results">{rows}
      <div class="nav-link">
        <form action="/html/" method="post">
          <input type="submit" class="btn btn--alt" value="Next" />
          <input type="hidden" name="q" value="some words &amp; &quot;more&quot;" />
          <input type="hidden" name="s" value="10" />
          <input type="hidden" name="nextParams" value="" />
          <input type="hidden" name="vqd" value="4-1234" />
          <input name="kl" value="wt-wt" type="hidden" />
        </form>
      </div>
      <div class="feedback-btn"><a rel="nofollow" href="//duckduckgo.com/feedback.html">Feedback</a></div>
    </div></div></div> <!-- links wrapper //-->
  </div>
</body>
</html>
"#
    )
}

/// The four rows of a result on the lite page.
pub(crate) fn lite_row(n: usize) -> String {
    format!(
        r#"
    <tr><td valign="top">{n}.&nbsp;</td><td>
      <a rel="nofollow" href="{}" class='result-link'>Page <b>number</b> {n}</a>
    </td></tr>
    <!-- Only show abstract separately if there's a click URL (not EOF) -->
    <tr><td>&nbsp;</td><td class='result-snippet'>
      What page {n} tells about the <b>words</b>.
    </td></tr>
    <tr><td>&nbsp;</td><td>
      <span class='link-text'>site-{n}.example/page</span> &nbsp; <span class='timestamp'>2026-01-20T09:43:00.0000000</span>
    </td></tr>
    <tr><td>&nbsp;</td><td>&nbsp;</td></tr>"#,
        wrapped(&format!("https://site-{n}.example/"))
    )
}

/// An ad on the lite page; `class` is what marks its rows.
pub(crate) fn lite_ad(class: &str) -> String {
    format!(
        r#"
    <tr{class}><td valign="top">1.&nbsp;</td><td>
      <a rel="nofollow" href="{AD_LINK}" class='result-link'>Buy things</a>
      (Sponsored link - <a href="https://duckduckgo.com/duckduckgo-help-pages/company/ads-by-microsoft-on-duckduckgo-private-search/" rel="nofollow" class="result-link">more info</a>)
    </td></tr>
    <tr{class}><td>&nbsp;</td><td class='result-snippet'>Things at prices.</td></tr>
    <tr{class}><td>&nbsp;</td><td><span class='link-text'>shop.example</span></td></tr>
    <tr><td>&nbsp;</td><td>&nbsp;</td></tr>"#
    )
}

/// The lite page around rows.
pub(crate) fn lite(rows: &str) -> String {
    let next = r#"<form class="next_form" action="/lite/" method="post">
      <input type="submit" class='navbutton' value="Next Page &gt;">
      <input type="hidden" name="q" value="some words"><input type="hidden" name="s" value="10">
    </form>"#;
    format!(
        r#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"><title>some words</title></head>
<body>
  <form action="/lite/" method="post"><input class='query' type="text" name="q" value="some words"></form>
  <table border="0"><tr><td></td><td>{next}</td></tr></table>
  <table border="0">{rows}
    <tr><td colspan=2>{next}</td></tr>
  </table>
  <form action="/lite/" method="post"><input name="q" value="some words"><input name="kl" value="wt-wt" type="hidden"></form>
</body></html>"#
    )
}

/// A challenge, as either endpoint gives it.
pub(crate) fn challenge() -> String {
    let action =
        "//duckduckgo.com/anomaly.js?sv=html&cc=sre&st=1&gk=0&p=1-2&q=some words&o=0&r=usc";
    format!(
        r#"<!-- <!DOCTYPE html> --><html><head><title>A provider</title></head><body><center id="lite_wrapper">
<a class="header-url" href="/html/"><span class="header">A provider</span></a>
<iframe name="ifr" width="0" height="0" class="hidden"></iframe>
<form id="img-form" action="{action}" target="ifr" method="POST"></form>
<form id="challenge-form" action="{action}" method="POST">
  <div class="anomaly-modal__mask"><div class="anomaly-modal__title">A riddle</div>
    <input class="anomaly-modal__check" type="checkbox"><img class="anomaly-modal__image" src="x.jpg"></img>
</form></center></body></html>"#
    )
}

pub(crate) fn read(page: &str) -> Page {
    Page::read(200, "text/html; charset=UTF-8", page.as_bytes())
}

/// All that a reader gives for a page.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) page: Page,
    pub(crate) results: Vec<SearchResult>,
    pub(crate) html: Vec<u8>,
    pub(crate) stopped: Option<Stopped>,
}

impl Read {
    pub(crate) fn html(&self) -> &str {
        std::str::from_utf8(&self.html).expect("the fixtures are UTF-8")
    }

    pub(crate) fn urls(&self) -> Vec<&str> {
        self.results.iter().map(|result| &*result.url).collect()
    }
}

/// Feeds the page in pieces of these sizes, one after the other, and takes what comes out after each.
pub(crate) fn read_in(reader: PageReader, page: &[u8], sizes: &[usize]) -> Read {
    let mut reader = reader.pass_html(true);
    let (mut results, mut html) = (Vec::new(), Vec::new());
    let mut sizes = sizes.iter().copied().cycle();
    let mut rest = page;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(sizes.next().unwrap_or(rest.len()).clamp(1, rest.len()));
        rest = after;
        reader.feed(piece.to_vec());
        while let Some(result) = reader.next_result() {
            results.push(result);
        }
        while let Some(slice) = reader.next_html() {
            html.extend_from_slice(&slice);
        }
    }
    reader.end();
    while let Some(slice) = reader.next_html() {
        html.extend_from_slice(&slice);
    }
    while let Some(result) = reader.next_result() {
        results.push(result);
    }
    let stopped = reader.stopped();
    Read {
        page: reader.finish(),
        results,
        html,
        stopped,
    }
}

pub(crate) fn pass(page: &str) -> Read {
    read_in(PageReader::new(), page.as_bytes(), &[])
}

/// What is left of a page is the page with pieces taken out.
pub(crate) fn is_cut_from(part: &[u8], whole: &[u8]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|byte| whole.any(|other| other == byte))
}
