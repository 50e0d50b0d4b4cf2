//! The page by which the provider asks whether a person is there.

use super::page::token;
use crate::query::Endpoint;
use std::fmt::Write;

/// The challenge page for a search for `query`, after the provider's markup.
///
/// The same elements and classes (a `form#challenge-form` whose action is `anomaly.js`), about the same length, the query raw in an
/// attribute as the provider has it; texts and picture names of our own. Nothing answers the form.
///
/// ```
/// use search_gate::{Endpoint, testing::challenge_page};
///
/// let html = challenge_page(Endpoint::Html, "tower middleware");
/// assert!(html.contains(r#"<form id="challenge-form""#));
/// ```
#[must_use]
pub fn challenge_page(endpoint: Endpoint, query: &str) -> String {
    let mut out = String::with_capacity(16 * 1024);
    write(&mut out, endpoint, query).expect("a String takes all that is written");
    out
}

fn write(out: &mut String, endpoint: Endpoint, query: &str) -> std::fmt::Result {
    let version = match endpoint {
        Endpoint::Html => "html",
        Endpoint::Lite => "lite",
    };
    let key = token(&("key", query), 32);
    let pictures: Vec<String> = (0..9).map(|picture| token(&(picture, query), 32)).collect();
    let pictures_joined = pictures.join("-");
    let answer = token(&("answer", query), 64);
    let query = query.replace('"', "&quot;");
    let action = |time: &str| {
        format!(
            "//duckduckgo.com/anomaly.js?sv={version}&cc=sre&{time}=1780000000&gk={key}&p={pictures_joined}&q={query}&o={answer}%0A&r=use"
        )
    };
    writeln!(
        out,
        r#"<!-- <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"> -->
<!DOCTYPE html>
<html lang="en">

<head>
    <link rel="canonical" href="https://duckduckgo.com/">
    <meta http-equiv="content-type" content="text/html; charset=UTF-8">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <meta name="referrer" content="origin">
    <title>
        DuckDuckGo
    </title>
    <link title="DuckDuckGo (Lite)" type="application/opensearchdescription+xml" rel="search" href="//duckduckgo.com/opensearch_lite_v2.xml">
    <link rel="stylesheet" media="handheld, all" href="//duckduckgo.com/dist/l.0123456789abcdef0123.css" type="text/css"/>
</head>

<body>
    <a name="top"></a>
    <center id="lite_wrapper">
        <br>
        <a class="header-url" href="/html/">
            <span class="header">DuckDuckGo</span>
        </a>
        <br><br>

        <iframe name="ifr" width="0" height="0" border="0" class="hidden"></iframe>
        <form id="img-form" action="{}" target="ifr" method="POST"></form>
        <form id="challenge-form" action="{}" method="POST">
            <div class="anomaly-modal__mask">
                <div class="anomaly-modal__modal  is-ie" data-testid="anomaly-modal">
                    <div class="anomaly-modal__title">This looks like a machine asking.</div>
                    <div class="anomaly-modal__description">Prove that it is not, and the search goes on.</div>
                    <div class="anomaly-modal__instructions">Mark each picture that shows a kettle:</div>
                    <div class="anomaly-modal__puzzle-margins">
                        <div class="anomaly-modal__puzzle">"#,
        action("ti"),
        action("st"),
    )?;
    for (index, picture) in pictures.iter().enumerate() {
        writeln!(
            out,
            r#"
                                <div class="anomaly-modal__box" data-index="{index}">
                                        <label class="" for="image-check_{picture}" data-testid="anomaly-modal-tile-{index}">
                                            <input type="checkbox" class="anomaly-modal__check" name="image-check_{picture}" id="image-check_{picture}">
                                            <img class="anomaly-modal__image" alt=" " id="image-{picture}" src="../assets/anomaly/images/challenge/{picture}.jpg" data-id="{picture}.jpg" data-testid="anomaly-modal-image-{index}"></img>
                                        </label>
                                </div>"#
        )?;
    }
    writeln!(
        out,
        r#"
                        </div>
                    </div>
                    <div class="anomaly-modal__controls">
                        <button name="challenge-submit" class="btn btn--primary anomaly-modal__submit js-anomaly-modal-submit" form="challenge-form" value="{key}" >Send</button>
                        <input class="feedback-toggle" type="checkbox" id="feedback" unchecked />
                        <div class="feedback-content">
                            <p><label class="feedback-instructions">Code: {key}</label></p>
                        </div>
                    </div>
            </div>
        </form>
        <br>
    </center>
        <img src="//duckduckgo.com/t/tqadb?1&amp;s=lite&amp;cc=sre&amp;p={pictures_joined}&amp;gk={key}"/>
</body>

</html>"#
    )
}
