//! The page generator: what a page of the stand-in holds.

use search_gate::Endpoint;
use search_gate::testing::{ResultPage, Row, challenge_page};

#[test]
fn a_page_has_the_measured_shape() {
    let page = ResultPage::new("tower middleware").ads(2).to_html();
    assert!((28_000..53_000).contains(&page.len()), "{}", page.len());
    let options = page.matches("<option value=").count();
    assert_eq!(options, 64 + 5);
    let first_row = page.find("class=\"result results_links").unwrap();
    assert!((7_000..10_000).contains(&first_row), "{first_row}");
    assert_eq!(page.matches("<!-- Disable Ad Favicon").count(), 1);
    assert_eq!(page.matches("result--ad--small").count(), 1);
    assert_eq!(page.matches("badge--ad\"").count(), 2);
}

#[test]
fn rows_say_what_is_on_the_page() {
    let page = ResultPage::new("a <b> & c").results(6);
    let html = page.to_html();
    for row in page.rows() {
        assert!(html.contains(&*htmlize::escape_text(&row.title)), "{row:?}");
        assert!(
            html.contains(&*htmlize::escape_attribute(&row.url)),
            "{row:?}"
        );
        if let Some(date) = &row.published {
            assert!(
                html.contains(&format!("<span>&nbsp; &nbsp; {date}</span>")),
                "{row:?}"
            );
        }
    }
    assert_eq!(html.matches("<span>&nbsp; &nbsp; 2026-").count(), 2);
    assert_eq!(
        html.matches("<span class=\"result__type\">PDF</span> ")
            .count(),
        1
    );
}

#[test]
fn the_same_query_gives_the_same_page_and_another_another() {
    assert_eq!(
        ResultPage::new("a").ads(1).to_html(),
        ResultPage::new("a").ads(1).to_html()
    );
    assert_ne!(ResultPage::new("a").rows(), ResultPage::new("b").rows());
    assert_ne!(
        ResultPage::new("a").start(10).rows()[0],
        ResultPage::new("a").rows()[0]
    );
}

#[test]
fn words_of_the_query_are_bold_in_snippets() {
    let row = Row::new("t", "https://t.example/").snippet("Rust, said <rust>: rusty\u{a0}rust");
    let html = ResultPage::new("rust").with_rows([row]).to_html();
    assert!(
        html.contains("<b>Rust</b>, said &lt;<b>rust</b>&gt;: rusty\u{a0}<b>rust</b></a>"),
        "{html}"
    );
}

#[test]
fn without_results_there_are_a_message_and_no_next_form() {
    for (page, message) in [
        (
            ResultPage::new("q<q").results(0),
            "No results found for <strong>q&lt;q</strong>",
        ),
        (
            ResultPage::new("q").results(0).ads(2),
            "No more results found for <strong>q</strong>",
        ),
        (
            ResultPage::new("q").with_rows([]).start(10),
            "No more results found for <strong>q</strong>",
        ),
    ] {
        let html = page.to_html();
        assert!(
            html.contains(message) && html.contains("web-result result--no-result"),
            "{html}"
        );
        assert!(
            !html.contains("nav-link")
                && !html.contains("class=\"result__snippet\" href=\"https://site")
        );
    }
}

#[test]
fn extras_appear_when_asked_for() {
    for endpoint in [Endpoint::Html, Endpoint::Lite] {
        let page = ResultPage::new("tee").endpoint(endpoint);
        let plain = page.to_html();
        assert!(!plain.contains("did_you_mean") && !plain.to_lowercase().contains("more at <q>"));
        let html = page
            .zero_click("Tea & more")
            .spelling("tea <pot>")
            .region("de-de")
            .time("m")
            .next_page(false)
            .to_html();
        assert!(html.contains("Tea &amp; more") && html.contains("More at <q>Reference</q>"));
        assert!(html.contains("?q=tea%20%3Cpot%3E\">tea &lt;pot&gt;</a>?"));
        assert!(
            html.contains("<option value=\"de-de\" selected>")
                && html.contains("<option value=\"m\" selected>")
        );
        assert!(!html.contains("name=\"vqd\""));
    }
}

#[test]
fn the_challenge_has_the_measured_shape() {
    for (endpoint, version) in [(Endpoint::Html, "sv=html"), (Endpoint::Lite, "sv=lite")] {
        let page = challenge_page(endpoint, "say \"<b>\"");
        assert!((11_000..15_000).contains(&page.len()), "{}", page.len());
        let form = page.find("<form id=\"challenge-form\"").unwrap();
        assert!((1_500..2_800).contains(&form), "{form}");
        assert!(page.contains(version) && page.contains("&q=say &quot;<b>&quot;&"));
        assert_eq!(page.matches("class=\"anomaly-modal__box\"").count(), 9);
        assert!(!page.contains("web-result") && !page.contains("result-link"));
    }
}
