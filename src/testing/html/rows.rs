//! The rows of the html page: ads, results, and the one that says that there are none.

use crate::testing::markup::{ABOUT_ADS, bold};
use crate::testing::{ResultPage, Row};
use htmlize::{escape_attribute, escape_text};
use std::fmt::Write;

pub(super) fn ad(
    out: &mut String,
    page: &ResultPage,
    number: usize,
    link: &str,
) -> std::fmt::Result {
    let first = number == 1;
    let link = page.href(link);
    let query = escape_text(page.query());
    writeln!(
        out,
        r#"                  <div class="result results_links results_links_deep result--ad {}">
                    <div class="links_main links_deep result__body"> <!-- This is the visible part -->
                      <h2 class="result__title">
                          <a rel="nofollow" class="result__a" href="{link}">Advertisement {number} for {query}</a>
                        <div class="result__badge-wrap">
                          <button class="badge--ad">Ad</button>
                          <div class="badge--ad__tooltip-wrap">
                            <div class="tooltip tooltip--right">
                              Somebody paid for this place (<a href="{ABOUT_ADS}" class="tooltip-link">about ads</a>).
                            </div>
                          </div>
                        </div>
                      </h2>"#,
        if first { "" } else { "result--ad--small" },
    )?;
    if first {
        writeln!(
            out,
            r#"                        <div class="result__extras">
                          <div class="result__extras__url">
                            <!-- Disable Ad Favicon
                            <span class="result__icon">
                                <a rel="nofollow" class="result__icon__img" href="{link}">
                                  <img width="16" height="16" alt="" src="//external-content.duckduckgo.com/ip3/.ico" name="i15" />
                                </a>
                            </span>
                            -->
                            <a class="result__url" href="{link}">shop-{number}.example</a>
                          </div>
                        </div>"#
        )?;
    } else {
        writeln!(
            out,
            "                        <a class=\"result__url sep--after\" href=\"{link}\">\n                          shop-{number}.example\n                        </a>"
        )?;
    }
    writeln!(
        out,
        r#"                        <a class="result__snippet" href="{link}">Buy {query} from shop {number}: cheap &amp; cheerful.</a>
                      <div class="clear"></div>
                    </div>
                  </div>"#
    )
}

pub(super) fn result(out: &mut String, page: &ResultPage, row: &Row) -> std::fmt::Result {
    let link = page.href(&row.url);
    let badge = row.file_type.as_ref().map_or(String::new(), |t| {
        format!(r#"<span class="result__type">{}</span> "#, escape_text(t))
    });
    let date = row.published.as_ref().map_or(String::new(), |d| {
        format!(
            "\n                              <span>&nbsp; &nbsp; {}</span>",
            escape_text(d)
        )
    });
    writeln!(
        out,
        r#"                <div class="result results_links results_links_deep web-result ">
                  <div class="links_main links_deep result__body"> <!-- This is the visible part -->
                      <h2 class="result__title">
                        <a rel="nofollow" class="result__a" href="{link}">{badge}{}</a>
                      </h2>
                      <div class="result__extras">
                        <div class="result__extras__url">
                          <span class="result__icon">
                            <a rel="nofollow" href="{link}">
                              <img class="result__icon__img" width="16" height="16" alt="" src="//external-content.duckduckgo.com/ip3/{}.ico" name="i15" />
                            </a>
                          </span>
                          <a class="result__url" href="{link}">
                            {}
                          </a>{date}
                        </div>
                      </div>
                        <a class="result__snippet" href="{link}">{}</a>
                    <div class="clear"></div>
                  </div>
                </div>"#,
        escape_text(&row.title),
        escape_attribute(row.host()),
        escape_text(row.display_url()),
        bold(&row.snippet, page.query()),
    )
}

pub(super) fn no_result(out: &mut String, page: &ResultPage) -> std::fmt::Result {
    let more = if page.start > 0 || page.ad_links().next().is_some() {
        "more "
    } else {
        ""
    };
    writeln!(
        out,
        r#"                <div class="result results_links results_links_deep web-result result--no-result">
                  <div class="links_main links_deep result__body"> <!-- This is the visible part -->
                      <div class="no-results__container result__title">
                        <span class='no-results'>
    <div class="no-results__message">
      <h1>No {more}results found for <strong>{}</strong></h1>
        <p><strong>What to try</strong>:<ul><li>Other words</li><li>Fewer words</li></ul></p>
    </div>
</span>
                      </div>
                    <div class="clear"></div>
                  </div>
                </div>"#,
        escape_text(page.query())
    )
}
