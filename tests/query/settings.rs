//! What a query sends of its settings: region, time, safe search.

use crate::field;
use search_gate::{ALL_REGIONS, Query, REGIONS, SafeSearch, TimeRange};
use std::collections::HashSet;

#[test]
fn every_region_of_the_providers_list_is_taken() {
    assert_eq!(REGIONS.len(), 63);
    assert_eq!(
        REGIONS
            .iter()
            .map(|(code, _)| code)
            .collect::<HashSet<_>>()
            .len(),
        63
    );
    for (code, _) in REGIONS.iter().chain([&(ALL_REGIONS, ""), &("", "")]) {
        assert_eq!(
            field(&Query::new("tea").region(code), "kl").as_deref(),
            Some(*code)
        );
    }
    assert_eq!(
        field(&Query::new("tea").region(" DE-de "), "kl").as_deref(),
        Some("de-de")
    );
}

#[test]
fn times_are_the_forms_codes() {
    for (time, sent) in [
        (TimeRange::Day, "d"),
        (TimeRange::Week, "w"),
        (TimeRange::Month, "m"),
        (TimeRange::Year, "y"),
        (
            TimeRange::dates("2026-02-28", "2026-03-01"),
            "2026-02-28..2026-03-01",
        ),
        (
            TimeRange::dates(" 2026-03-01", "2026-03-01 "),
            "2026-03-01..2026-03-01",
        ),
    ] {
        assert_eq!(
            field(&Query::new("tea").time(time), "df").as_deref(),
            Some(sent)
        );
    }
}

#[test]
fn times_can_be_read_from_text() {
    for (text, time) in [
        ("d", TimeRange::Day),
        (" Week ", TimeRange::Week),
        ("MONTH", TimeRange::Month),
        ("y", TimeRange::Year),
        (
            "2026-01-01..2026-02-01",
            TimeRange::dates("2026-01-01", "2026-02-01"),
        ),
    ] {
        assert_eq!(text.parse::<TimeRange>().unwrap(), time);
    }
    for text in [
        "",
        "decade",
        "2026-01-01",
        "..",
        "2026-01-01..",
        "2026-02-01..2026-01-01",
    ] {
        assert!(text.parse::<TimeRange>().unwrap_err().is_time(), "{text}");
    }
}

#[test]
fn safe_search_is_sent_only_if_set() {
    assert_eq!(field(&Query::new("tea"), "kp"), None);
    for (level, sent) in [
        (SafeSearch::Strict, "1"),
        (SafeSearch::Moderate, "-1"),
        (SafeSearch::Off, "-2"),
    ] {
        assert_eq!(
            field(&Query::new("tea").safe_search(level), "kp").as_deref(),
            Some(sent)
        );
    }
}
