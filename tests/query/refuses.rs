//! What a query refuses to send, and how it says so.

use crate::error;
use http::Request;
use proptest::prelude::*;
use search_gate::{MAX_QUERY_CHARS, Query, TimeRange};
use std::error::Error;

#[test]
fn an_empty_query_is_an_error() {
    for text in ["", "  \t\n", "\u{a0}"] {
        assert!(error(&Query::new(text)).is_empty());
    }
}

#[test]
fn a_query_may_have_499_characters_quotes_included() {
    assert!(Query::new("é".repeat(MAX_QUERY_CHARS)).form().is_ok());
    let error_of = |text: String| error(&Query::new(text));
    let too_long = error_of("é".repeat(500));
    assert!(too_long.is_too_long() && too_long.to_string().contains("500 characters"));
    assert!(Query::new(format!("!{}", "a".repeat(496))).form().is_ok());
    assert!(error_of(format!("!{}", "a".repeat(497))).is_too_long());
}

#[test]
fn the_text_is_never_in_an_error() {
    let error = error(&Query::new("secret".repeat(100)));
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[test]
fn a_region_that_is_not_on_the_list_is_an_error_that_helps() {
    for (code, help) in [
        ("en-us", "`us-en`"),
        ("en", "REGIONS"),
        ("de", "`de-de`"),
        ("xx-yy", "REGIONS"),
        ("gb-en", "`uk-en`"),
        ("–", "REGIONS"),
    ] {
        let error = error(&Query::new("tea").region(code));
        assert!(
            error.is_region() && error.to_string().contains(help),
            "{error}"
        );
    }
}

#[test]
fn dates_that_do_not_exist_or_go_backwards_are_errors() {
    for (from, to) in [
        ("2026-02-29", "2026-03-01"),
        ("2026-01-01", "2026-13-01"),
        ("2026-01-02", "2026-01-01"),
        ("", "2026-01-01"),
        ("-0001-01-01", "2026-01-01"),
        ("0000-01-01", "2026-01-01"),
        ("2026-01-01T00:00", "2026-01-02"),
        ("01.02.2026", "2026-03-01"),
        ("2026-01-01", "today"),
    ] {
        let error = error(&Query::new("tea").time(TimeRange::dates(from, to)));
        assert!(error.is_time(), "{from} {to}: {error}");
    }
    let error = error(&Query::new("tea").time(TimeRange::dates("2026-02-29", "2026-03-01")));
    assert!(error.source().is_some() && error.to_string().contains("`2026-02-29`"));
}

#[test]
fn a_base_url_that_no_form_can_go_to_is_an_error() {
    for base in [
        "",
        "127.0.0.1:8080",
        "mirror.example",
        "ftp://mirror.example/",
        "file:///tmp",
        "mailto:a@b.example",
        "http://",
        "http://user:password@mirror.example/",
        "http://mirror.example/?q=1",
        "http://mirror.example/#x",
        "http://mirror.example/html/",
        "http://mirror.example/ddg/lite",
    ] {
        assert!(
            error(&Query::new("tea").base_url(base)).is_base_url(),
            "{base}"
        );
    }
    assert!(error(&Query::new("tea").base_url("//")).source().is_some());
}

#[test]
fn what_url_allows_and_http_does_not_is_an_error_too() {
    // No panic, whatever the two crates make of it.
    for base in [
        "http://mirror.example/a|b^c`{d}",
        "http://mirror.example/\u{7f}",
        "http://[::1%25eth0]/",
    ] {
        if let Err(error) = Query::new("tea").base_url(base).into_request::<String>() {
            assert!(error.is_base_url(), "{base}: {error}");
        }
    }
}

#[test]
fn a_user_agent_that_cannot_be_sent_is_an_error() {
    for name in [
        "",
        "  ",
        "two\nlines",
        "evil\r\nheader: x",
        "nul\0",
        "entenschn\u{fc}rer\u{7f}",
    ] {
        let error = error(&Query::new("tea").user_agent(name));
        assert!(error.is_user_agent(), "{name:?}");
    }
    assert!(
        error(&Query::new("tea").user_agent("a\nb"))
            .source()
            .is_some()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_typed_makes_a_request_or_an_error(text in "\\PC{0,40}", agent in ".{0,10}", region in "[a-z]{0,3}-?[a-z]{0,3}", base in ".{0,20}") {
        let plain = Query::new(&text);
        if !text.trim().is_empty() {
            let request: Request<String> = plain.clone().into_request().unwrap();
            let sent = form_urlencoded::parse(request.body().as_bytes()).next().unwrap().1.into_owned();
            prop_assert_eq!(sent.replace('\'', ""), text.trim().replace('\'', ""));
            prop_assert!(!sent.split_whitespace().any(|word| word.starts_with('!')));
        }
        let query = plain.user_agent(agent).region(region).base_url(base);
        prop_assert_eq!(query.form().is_ok(), query.into_request::<String>().is_ok());
    }
}
