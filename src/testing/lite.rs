//! The lite page's markup: rows of a table without a container for each result.

use super::markup::{ABOUT_ADS, ABOUT_ENTRY, bold, instead, regions, times};
use super::page::ResultPage;
use super::row::Row;
use htmlize::{escape_attribute, escape_text};
use std::fmt::Write;

const HEAD: &str = r#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html>

<head>
  <meta http-equiv="content-type" content="text/html; charset=UTF-8">
  <meta name="viewport" content="width=device-width, initial-scale=1.0;">
  <meta name="referrer" content="origin">
  <meta name="robots" content="noindex, nofollow" />
"#;

/// The whole page.
pub(super) fn page(page: &ResultPage) -> String {
    let mut out = String::with_capacity(24 * 1024);
    out.push_str(HEAD);
    write(&mut out, page).expect("a String takes all that is written");
    out
}

fn write(out: &mut String, page: &ResultPage) -> std::fmt::Result {
    let query = escape_attribute(page.query());
    writeln!(
        out,
        r#"  <title>{} at DuckDuckGo</title>
  <link title="DuckDuckGo (Lite)" type="application/opensearchdescription+xml" rel="search" href="//duckduckgo.com/opensearch_lite_v2.xml">
  <link rel="stylesheet" media="handheld, all" href="//duckduckgo.com/dist/lr.0123456789abcdef0123.css" type="text/css"/>
</head>

<body>
  <p class='extra'>&nbsp;</p>
  <div class="header">
    DuckDuckGo
  </div>

  <form action="/lite/" method="post">
      <input class='query' type="text" size="40" name="q" value="{query}">
      <input class='submit' type="submit" value="Search">
      <div class="filters">"#,
        escape_text(page.query()),
    )?;
    regions(out, "submit", &page.region)?;
    times(out, "submit", &page.time)?;
    out.push_str("      </div>\n  </form>\n\n");
    out.push_str("  <table border=\"0\">\n");
    next_form(out, page)?;
    out.push_str("  </table>\n");
    if let Some(text) = &page.zero_click {
        let link = page.href(ABOUT_ENTRY);
        writeln!(
            out,
            r#"  <table border="0">
    <tr>
      <td>Zero-click info: <a rel="nofollow" href="{link}">{}</a></td>
    </tr>
    <tr>
      <td>
        {}
        <a rel="nofollow" href="{link}">More at <q>Reference</q></a>
      </td>
    </tr>
  </table>"#,
            escape_text(page.query()),
            escape_text(text),
        )?;
    }
    if let Some(text) = &page.spelling {
        writeln!(
            out,
            r#"  <span class='did-you-mean'>
        <div class="msg msg--spelling">
            <div id="did_you_mean">Did you mean {}?</div>
        </div>
  </span>"#,
            instead(text, "/lite/")
        )?;
    }
    out.push_str("  <table border=\"0\">\n      <!-- Web results are present -->\n");
    let mut counter = 0;
    for link in page.ad_links() {
        counter += 1;
        sponsored(out, page, counter, &link)?;
    }
    let rows = page.rows();
    for row in &rows {
        counter += 1;
        result(out, page, counter, row)?;
    }
    if rows.is_empty() {
        writeln!(
            out,
            "            <tr>\n                <td><span class='no-results'>No results found for <strong>{}</strong></span></td>\n            </tr>",
            escape_text(page.query())
        )?;
    }
    next_form(out, page)?;
    out.push_str("  </table>\n\n");
    writeln!(
        out,
        r#"  <form action="/lite/" method="post">
      <input class='query' type="text" size="40" name="q" value="{query}" >
      <input class='submit' type="submit" value="Search">
  </form>
    <img src="//duckduckgo.com/t/sl_l"/>
  <div id='end-spacer'>&nbsp;</div>

</body>
</html>"#
    )
}

/// The form for the next page, which stands both above and below the results.
fn next_form(out: &mut String, page: &ResultPage) -> std::fmt::Result {
    let Some(fields) = page.next_form() else {
        return Ok(());
    };
    out.push_str(
        r#"      <tr>
        <td colspan=2>
<form class="next_form" action="/lite/" method="post">
    <input type="submit" class='navbutton' value="Next Page &gt;">
"#,
    );
    for (name, value) in fields {
        writeln!(
            out,
            r#"    <input type="hidden" name="{name}" value="{}">"#,
            escape_attribute(value)
        )?;
    }
    writeln!(out, "</form>\n        </td>\n      </tr>")
}

fn sponsored(out: &mut String, page: &ResultPage, counter: usize, link: &str) -> std::fmt::Result {
    let link = page.href(link);
    let query = escape_text(page.query());
    writeln!(
        out,
        r#"            <tr class="result-sponsored">
                <!-- Sponsored result with counter -->
                <td valign="top">
                    {counter}.&nbsp;
                </td>
                <td>
                  <a rel="nofollow" href="{link}" class='result-link'>Advertisement {counter} for {query}</a>
                  (Sponsored link - <a
                    href="{ABOUT_ADS}/"
                    rel="nofollow" class="result-link">about ads</a>)
                </td>
            </tr>
              <tr class="result-sponsored">
                <td>&nbsp;&nbsp;&nbsp;</td>
                <td class='result-snippet'>
                  Buy {query} from shop {counter}: cheap &amp; cheerful.
                </td>
              </tr>
              <tr class="result-sponsored">
                <td>&nbsp;&nbsp;&nbsp;</td>
                <td>
                  <span class='link-text'>shop-{counter}.example</span>
                </td>
              </tr>
{SPACER}"#
    )
}

fn result(out: &mut String, page: &ResultPage, counter: usize, row: &Row) -> std::fmt::Result {
    let date = row.published.as_ref().map_or(String::new(), |d| {
        format!(
            "\n                    <span class='timestamp'>{}</span>",
            escape_text(d)
        )
    });
    writeln!(
        out,
        r#"            <tr>
                <td valign="top">
                    {counter}.&nbsp;
                </td>
                <td>
                  <a rel="nofollow" href="{}" class='result-link'>{}</a>
                </td>
            </tr>
                <!-- Only show abstract separately if there's a click URL (not EOF) -->
                <tr>
                  <td>&nbsp;&nbsp;&nbsp;</td>
                  <td class='result-snippet'>
                    {}
                  </td>
                </tr>
              <tr>
                <td>&nbsp;&nbsp;&nbsp;</td>
                <td>
                  <span class='link-text'>{}</span>{date}
                </td>
              </tr>
{SPACER}"#,
        page.href(&row.url),
        escape_text(&row.title),
        bold(&row.snippet, page.query()),
        escape_text(row.display_url()),
    )
}

const SPACER: &str = "            <tr>\n              <td>&nbsp;</td>\n              <td>&nbsp;</td>\n            </tr>";
