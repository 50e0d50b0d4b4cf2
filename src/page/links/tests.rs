use super::*;
use encoding_rs::UTF_8;
use proptest::{collection::vec, prelude::*};

fn read(href: &str) -> Target {
    target(href.as_bytes(), UTF_8, 8192)
}

#[test]
fn redirects_are_taken_off_once() {
    let web = |url: &str| Target::Web(url.to_owned());
    for (href, url) in [
        (
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fb&amp;rut=1",
            "https://a.example/b",
        ),
        (
            "/l/?kh=-1&amp;uddg=https%3A%2F%2Fa.example",
            "https://a.example",
        ),
        (
            "https://html.duckduckgo.com/l/?uddg=HTTP%3A%2F%2Fa.example",
            "HTTP://a.example",
        ),
        (
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2FMiami%252C%2BFL&amp;rut=1",
            "https://a.example/Miami%2C+FL",
        ),
        (
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%ZZ",
            "https://a.example/%ZZ",
        ),
        (
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F&#x61;b&rut=1",
            "https://a.example/ab",
        ),
        (" https://a.example/b\n", "https://a.example/b"),
        ("https://a.example:8080/", "https://a.example:8080/"),
        ("https://пример.example/", "https://пример.example/"),
        (
            "https://a.example/?a=1&amp;copy=2",
            "https://a.example/?a=1&copy=2",
        ),
        (
            "https://a.example/?a=1&copy=2",
            "https://a.example/?a=1&copy=2",
        ),
        (
            "https://duckduckgo.com/about",
            "https://duckduckgo.com/about",
        ),
    ] {
        assert_eq!(read(href), web(url), "{href}");
    }
    for href in [
        "",
        "#top",
        "javascript:alert(1)",
        "//duckduckgo.com/l/?uddg=ftp%3A%2F%2Fa.example",
        "https://",
        "https://a b.example/",
        "https://a^b.example/",
        "https://a^b/",
        "mailto:a@b.example",
    ] {
        assert_ne!(read(href), web(href), "{href}");
        assert_ne!(read(href), Target::Ad, "{href}");
    }
}

#[test]
fn links_longer_than_the_bound_lead_nowhere() {
    let url = "https://a.example/page";
    for href in [url, "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example/page"] {
        let read = |limit| target(href.as_bytes(), UTF_8, limit);
        assert_eq!(read(url.len()), Target::Web(url.to_owned()));
        assert_eq!(read(url.len() - 1), Target::Unusable);
    }
}

#[test]
fn an_ads_link_is_one_however_long_it_is() {
    for href in [
        "https://duckduckgo.com/y.js?x",
        "//duckduckgo.com/y.js?x",
        "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js",
    ] {
        assert_eq!(target(href.as_bytes(), UTF_8, 10), Target::Ad, "{href}");
    }
}

#[test]
fn ads_are_known_by_where_they_lead() {
    for href in [
        "https://duckduckgo.com/y.js?ad_domain=a.example",
        "HTTPS://DuckDuckGo.com./y.js?x",
        "https://links.duckduckgo.com/y.js",
        "https://duckduckgo.com/y%2ejs",
        "//duckduckgo.com/y.js?x",
        "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fx&amp;rut=1",
        // Browsers leave line breaks out.
        "https://duckduckgo.com/y.\njs",
        "https://duckduckgo.com/y.\njs?",
        "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy%0A.js",
    ] {
        assert_eq!(read(href), Target::Ad, "{href}");
    }
    for href in [
        "https://notduckduckgo.com/y.js",
        "https://duckduckgo.com.evil.example/y.js",
        "https://duckduckgo.com/y.jsx",
        "http://duckduckgo.com/y.js",
    ] {
        assert_ne!(read(href), Target::Ad, "{href}");
    }
}

#[test]
fn the_quick_look_for_ads_passes_over_other_links() {
    for href in [
        "",
        "j",
        "y.j",
        ".js",
        "/l/?uddg=https%3A%2F%2Fa%2Db.example%2Fx.js&amp;rut=1",
    ] {
        assert!(!may_be_ad(href.as_bytes()), "{href}");
    }
}

/// An ad's link, each character written in one of the ways that come to the same.
fn ad_link() -> impl Strategy<Value = String> {
    let wrapped = any::<bool>();
    let ways = vec(0..8_u8, 40);
    (wrapped, ways).prop_map(|(wrapped, ways)| {
        let link = "https://duckduckgo.com/y.js?x=1";
        let write = |((at, c), way): ((usize, char), &u8)| match way {
            0 if wrapped => format!("%{:02X}", u32::from(c)),
            1 if wrapped => format!("%{:02x}", u32::from(c)),
            // What stands in the path may be escaped twice.
            6 if wrapped && (23..27).contains(&at) => format!("%25{:02X}", u32::from(c)),
            7 if wrapped && (23..27).contains(&at) => format!("{c}%0A"),
            2 => format!("&#{};", u32::from(c)),
            3 => format!("&#x{:x};", u32::from(c)),
            4 if c == '.' => "&period;".to_owned(),
            5 if !wrapped => format!("{c}\n"),
            _ => c.to_string(),
        };
        let link: String = link.chars().enumerate().zip(&ways).map(write).collect();
        if wrapped {
            format!("//duckduckgo.com/l/?uddg={link}&amp;rut=1")
        } else {
            link
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_quick_look_for_ads_misses_none(href in ad_link()) {
        prop_assert_eq!(read(&href), Target::Ad);
        prop_assert!(may_be_ad(href.as_bytes()));
    }
}
