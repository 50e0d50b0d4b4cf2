//! What a query sends.

use crate::{body, error, field};
use bytes::Bytes;
use http::{Method, Request, header};
use http_body_util::Full;
use search_gate::{DEFAULT_USER_AGENT, Endpoint, Query, QueryError, SafeSearch, TimeRange};
use std::collections::HashSet;

#[test]
fn a_query_is_the_post_of_the_html_pages_form() {
    let request: Request<Full<Bytes>> = Query::new("tower middleware").into_request().unwrap();
    assert_eq!(request.method(), Method::POST);
    assert_eq!(request.uri(), "https://html.duckduckgo.com/html/");
    let headers = request.headers();
    assert_eq!(
        headers[header::CONTENT_TYPE],
        "application/x-www-form-urlencoded"
    );
    assert!(
        headers[header::ACCEPT]
            .to_str()
            .unwrap()
            .starts_with("text/html")
    );
    assert_eq!(headers[header::REFERER], "https://html.duckduckgo.com/");
    assert_eq!(headers[header::USER_AGENT], DEFAULT_USER_AGENT);
    assert_eq!(headers.len(), 4);
    let request: Request<String> = Query::new("tower middleware").into_request().unwrap();
    assert_eq!(request.body(), "q=tower+middleware&b=&kl=&df=");
}

#[test]
fn the_lite_pages_form_has_its_own_address_and_no_b() {
    let form = Query::new("tea").endpoint(Endpoint::Lite).form().unwrap();
    assert_eq!(form.url, "https://lite.duckduckgo.com/lite/");
    assert_eq!(form.body, "q=tea&kl=&df=");
    assert!(
        form.headers
            .contains(&("referer", "https://lite.duckduckgo.com/".to_owned()))
    );
}

#[test]
fn form_and_request_are_the_same() {
    let query = Query::new("tea & milk")
        .region("uk-en")
        .user_agent("agent/1")
        .base_url("http://127.0.0.1:1/x");
    let form = query.form().unwrap();
    let request: Request<String> = query.into_request().unwrap();
    assert_eq!(
        (form.method, form.url.as_str()),
        (
            request.method().as_str(),
            request.uri().to_string().as_str()
        )
    );
    assert_eq!(form.body, *request.body());
    assert_eq!(form.headers.len(), request.headers().len());
    for (name, value) in &form.headers {
        assert_eq!(request.headers()[*name], value.as_str());
    }
}

#[test]
fn the_default_user_agent_is_honest() {
    assert_eq!(
        DEFAULT_USER_AGENT,
        format!("search-gate/{}", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn text_arrives_as_it_was_typed_but_for_the_white_space_around_it() {
    for text in [
        "c++ & c#",
        "a=b&q=c",
        "100% \"köl'n\" 東京 🦆",
        "site:example.org -x",
        "a\tb\nc",
        "%41+%2B",
    ] {
        assert_eq!(
            field(&Query::new(format!("  {text}\n")), "q").as_deref(),
            Some(text)
        );
    }
    assert_eq!(Query::new(" tea ").text(), "tea");
    assert_eq!(Query::new(" tea "), Query::new("tea"));
}

#[test]
fn words_that_begin_with_an_exclamation_mark_are_quoted() {
    for (text, sent) in [
        ("!w tea", "'!w' tea"),
        ("tea !w", "tea '!w'"),
        ("tea  !w\tmilk !i", "tea  '!w'\tmilk '!i'"),
        ("! tea", "'!' tea"),
        ("tea! a!b", "tea! a!b"),
        ("'!w'", "'!w'"),
    ] {
        let query = Query::new(text);
        assert_eq!(field(&query, "q").as_deref(), Some(sent));
        assert_eq!(query.text(), text);
    }
}

#[test]
fn a_base_url_replaces_the_providers_host() {
    for (base, url, referer) in [
        (
            "http://127.0.0.1:8080",
            "http://127.0.0.1:8080/html/",
            "http://127.0.0.1:8080/",
        ),
        (
            "http://127.0.0.1:8080/",
            "http://127.0.0.1:8080/html/",
            "http://127.0.0.1:8080/",
        ),
        (
            "https://mirror.example/ddg",
            "https://mirror.example/ddg/html/",
            "https://mirror.example/",
        ),
        (
            "https://mirror.example/ddg/",
            "https://mirror.example/ddg/html/",
            "https://mirror.example/",
        ),
        (
            "https://bücher.example/ä",
            "https://xn--bcher-kva.example/%C3%A4/html/",
            "https://xn--bcher-kva.example/",
        ),
    ] {
        let query = Query::new("tea").base_url(base);
        let form = query.form().unwrap();
        assert_eq!(form.url, url);
        assert!(
            form.headers.contains(&("referer", referer.to_owned())),
            "{form:?}"
        );
        let request: Request<String> = query.into_request().unwrap();
        assert_eq!(request.uri(), url);
    }
}

#[test]
fn a_form_of_the_provider_is_sent_as_it_is() {
    let fields = [
        ("q", "tea !w"),
        ("s", "10"),
        ("nextParams", ""),
        ("vqd", "4-1"),
        ("kl", "wt-wt"),
        ("x", "a b"),
    ];
    let query = Query::from_form(Endpoint::Html, fields)
        .region("de-de")
        .time(TimeRange::Day)
        .base_url("http://127.0.0.1:1");
    assert_eq!(query.text(), "tea !w");
    assert_eq!(
        body(&query),
        "q=tea+%21w&s=10&nextParams=&vqd=4-1&kl=wt-wt&x=a+b"
    );
    assert_eq!(query.form().unwrap().url, "http://127.0.0.1:1/html/");
    assert!(error(&Query::from_form(Endpoint::Lite, [("s", "10")])).is_empty());
}

#[test]
fn equal_queries_are_one_key() {
    let query = || Query::new("tea").region("de-de").time(TimeRange::Week);
    let set: HashSet<_> = [
        query(),
        query(),
        query().endpoint(Endpoint::Lite),
        query().safe_search(SafeSearch::Off),
    ]
    .into();
    assert_eq!(set.len(), 3);
}

#[test]
fn queries_and_their_errors_cross_threads() {
    fn check<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    check::<Query>();
    check::<QueryError>();
    check::<search_gate::Form>();
}
