//! The html page's markup.

mod rows;

use self::rows::{ad, no_result, result};
use super::markup::{ABOUT_ENTRY, instead, regions, times};
use super::page::ResultPage;
use htmlize::{escape_attribute, escape_text};
use std::fmt::Write;

const HEAD: &str = r#"<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">

<!--[if IE 6]><html class="ie6" xmlns="http://www.w3.org/1999/xhtml"><![endif]-->
<!--[if gt IE 8]><!--><html xmlns="http://www.w3.org/1999/xhtml"><!--<![endif]-->
<head>
  <meta http-equiv="content-type" content="text/html; charset=UTF-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1.0" />
  <meta name="referrer" content="origin" />
  <meta name="robots" content="noindex, nofollow" />
"#;

/// The whole page.
pub(super) fn page(page: &ResultPage) -> String {
    let mut out = String::with_capacity(48 * 1024);
    out.push_str(HEAD);
    write(&mut out, page).expect("a String takes all that is written");
    out
}

fn write(out: &mut String, page: &ResultPage) -> std::fmt::Result {
    writeln!(
        out,
        "  <title>{} at DuckDuckGo</title>",
        escape_text(page.query())
    )?;
    out.push_str(
        r#"  <link title="DuckDuckGo (HTML)" type="application/opensearchdescription+xml" rel="search" href="//duckduckgo.com/opensearch_html_v2.xml" />
  <link href="//duckduckgo.com/favicon.ico" rel="shortcut icon" />
  <link rel="icon" href="//duckduckgo.com/favicon.ico" type="image/x-icon" />
  <link id="icon60" rel="apple-touch-icon" href="//duckduckgo.com/assets/icons/meta/DDG-iOS-icon_60x60.png?v=2"/>
  <link id="icon76" rel="apple-touch-icon" sizes="76x76" href="//duckduckgo.com/assets/icons/meta/DDG-iOS-icon_76x76.png?v=2"/>
  <link id="icon120" rel="apple-touch-icon" sizes="120x120" href="//duckduckgo.com/assets/icons/meta/DDG-iOS-icon_120x120.png?v=2"/>
  <link id="icon152" rel="apple-touch-icon" sizes="152x152" href="//duckduckgo.com/assets/icons/meta/DDG-iOS-icon_152x152.png?v=2"/>
  <link rel="image_src" href="//duckduckgo.com/assets/icons/meta/DDG-icon_256x256.png">
  <link rel="stylesheet" media="handheld, all" href="//duckduckgo.com/dist/h.0123456789abcdef0123.css" type="text/css"/>
</head>

<body class="body--html">
  <a name="top" id="top"></a>

  <form action="/html/" method="post">
    <input type="text" name="state_hidden" id="state_hidden" />
  </form>

  <div>
    <div id="header" class="header cw header--html">
      <a title="DuckDuckGo" href="/html/" class="header__logo-wrap"></a>

      <form name="x" class="header__form" action="/html/" method="post">
        <div class="search search--header">
"#,
    );
    let query = escape_attribute(page.query());
    writeln!(
        out,
        r#"          <input name="q" autocomplete="off" class="search__input" id="search_form_input_homepage" type="text" value="{query}" />
          <input name="b" id="search_button_homepage" class="search__button search__button--html" value="" title="Search" alt="Search" type="submit" />
        </div>

        <div class="frm__select">"#
    )?;
    regions(out, "", &page.region)?;
    out.push_str("        </div>\n\n        <div class=\"frm__select frm__select--last\">\n");
    times(out, "", &page.time)?;
    out.push_str("        </div>\n      </form>\n    </div>\n\n");
    if let Some(text) = &page.zero_click {
        zero_click(out, page, text)?;
    }
    out.push_str(
        r#"      <!-- Web results are present -->
      <div>
        <div class="serp__results">
          <div id="links" class="results">
"#,
    );
    if let Some(text) = &page.spelling {
        writeln!(
            out,
            r#"            <div class="msg msg--spelling">
              <div id="did_you_mean">Did you mean {}?</div>
            </div>"#,
            instead(text, "/html/")
        )?;
    }
    for (index, link) in page.ad_links().enumerate() {
        ad(out, page, index + 1, &link)?;
    }
    let rows = page.rows();
    for row in &rows {
        result(out, page, row)?;
    }
    if rows.is_empty() {
        no_result(out, page)?;
    }
    if let Some(fields) = page.next_form() {
        out.push_str(
            r#"            <div class="nav-link">
              <form action="/html/" method="post">
                <input type="submit" class="btn btn--alt" value="Next" />
"#,
        );
        for (name, value) in fields {
            writeln!(
                out,
                r#"                <input type="hidden" name="{name}" value="{}" />"#,
                escape_attribute(value)
            )?;
        }
        out.push_str("              </form>\n            </div>\n");
    }
    out.push_str(
        r#"            <div class="feedback-btn">
              <a rel="nofollow" href="//duckduckgo.com/feedback.html" target="_new">Feedback</a>
            </div>
            <div class="clear"></div>
          </div>
        </div>
      </div> <!-- links wrapper //-->
  </div>

  <div id="bottom_spacing2"></div>
    <img src="//duckduckgo.com/t/sl_h"/>
</body>
</html>
"#,
    );
    Ok(())
}

fn zero_click(out: &mut String, page: &ResultPage, text: &str) -> std::fmt::Result {
    let link = page.href(ABOUT_ENTRY);
    writeln!(
        out,
        r#"      <!-- If zero click results are present -->
      <div class="zci-wrapper">
        <div class="zci">
          <h1 class="zci__heading">
            <a rel="nofollow" href="{link}">{}</a>
          </h1>
            <div class="zci__result" id="zero_click_abstract">
                <a rel="nofollow" href="{link}">
                  <img alt="" title="" id="i0" class="zci__image" src="https://i.duckduckgo.com/i/0123456789abcdef.png" name="i0" />
                </a>
              {}
                <a rel="nofollow" href="{link}" >More at <q>Reference</q></a>
            </div>
        </div>
      </div>
"#,
        escape_text(page.query()),
        escape_text(text),
    )
}
