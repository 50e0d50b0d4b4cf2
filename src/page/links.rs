//! Where links lead: the provider's redirects taken off once, ads told from pages.

use super::text::{decode, utf8};
use encoding_rs::Encoding;
use memchr::memmem::Finder;
use percent_encoding::percent_decode;
use std::borrow::Cow;
use std::sync::LazyLock;
use url::Url;

/// Where a link leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    Web(String),
    Ad,
    /// Nowhere that a result could lead to.
    Unusable,
}

/// Whether a link is one of the provider's ads: https, `duckduckgo.com` or a subdomain, path `/y.js`.
///
/// The link is the target itself, taken out of the provider's redirect.
///
/// ```
/// use search_gate::is_ad_link;
///
/// assert!(is_ad_link("https://duckduckgo.com/y.js?ad_domain=shop.example"));
/// assert!(!is_ad_link("https://duckduckgo.com/about"));
/// assert!(!is_ad_link("https://shop.example/y.js"));
/// ```
#[must_use]
pub fn is_ad_link(link: &str) -> bool {
    Url::parse(link)
        .is_ok_and(|url| url.scheme() == "https" && is_provider(&url) && url.path() == "/y.js")
}

pub(super) fn is_provider(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "duckduckgo.com" || host.ends_with(".duckduckgo.com")
}

/// Reads an `href` as it stands in the source.
pub(super) fn target(href: &[u8], encoding: &'static Encoding, limit: usize) -> Target {
    if let Some(wrapped) = wrapped(href) {
        return page(unescaped(wrapped).into(), limit);
    }
    let href = decode(href, encoding);
    let href = if href.contains('&') {
        htmlize::unescape_attribute(href)
    } else {
        href
    };
    let href = trimmed(href);
    let is_whole = scheme(&href).is_some();
    if is_whole && !is_redirect(href.as_bytes()) {
        return page(href, limit);
    }
    let href = &*href;
    let Some(url) = resolve(href) else {
        return Target::Unusable;
    };
    if is_provider(&url) && url.path() == "/l/" {
        let query = url.query().unwrap_or_default();
        return match query.split('&').find_map(|pair| pair.strip_prefix("uddg=")) {
            Some(wrapped) => page(unescaped(wrapped.as_bytes()).into(), limit),
            None => Target::Unusable,
        };
    }
    if is_ad_link(url.as_str()) {
        return Target::Ad;
    }
    if is_whole {
        page(href.into(), limit)
    } else if href.starts_with("//") {
        page(url.as_str().into(), limit)
    } else {
        // A place on the provider's own site is no result.
        Target::Unusable
    }
}

/// The wrapped target in a redirect of the usual form, still percent-encoded.
fn wrapped(href: &[u8]) -> Option<&[u8]> {
    let rest = href.strip_prefix(b"//duckduckgo.com/l/?uddg=")?;
    match memchr::memchr(b'&', rest) {
        Some(end) if rest[end..].starts_with(b"&amp;") => Some(&rest[..end]),
        None => Some(rest),
        Some(_) => None,
    }
}

/// Percent escapes resolved, once; a malformed one stays as it is.
fn unescaped(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend(percent_decode(text));
    utf8(bytes)
}

fn page(link: Cow<'_, str>, limit: usize) -> Target {
    let link = trimmed(link);
    let Some(rest) = scheme(&link) else {
        return Target::Unusable;
    };
    if link.len() > limit {
        return Target::Unusable;
    }
    let bytes = link.as_bytes();
    let is_clean = bytes.iter().fold(true, |clean, &b| clean & (b >= b' '));
    if (may_be_ad(bytes) || !is_clean) && is_ad_link(&link) {
        return Target::Ad;
    }
    let end = rest.bytes().position(|b| matches!(b, b'/' | b'?' | b'#'));
    let host = &rest[..end.unwrap_or(rest.len())];
    let is_plain = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    if is_plain && is_clean || Url::parse(&link).is_ok_and(|url| url.has_host()) {
        Target::Web(link.into_owned())
    } else {
        Target::Unusable
    }
}

/// The link without blanks and control characters around it.
fn trimmed(link: Cow<'_, str>) -> Cow<'_, str> {
    let inner = link.trim_matches(|c: char| c <= ' ');
    if inner.len() == link.len() {
        link
    } else {
        inner.to_owned().into()
    }
}

/// What follows `http://` or `https://`, in any case.
fn scheme(link: &str) -> Option<&str> {
    ["https://", "http://"].iter().find_map(|scheme| {
        let start = link.get(..scheme.len())?;
        start
            .eq_ignore_ascii_case(scheme)
            .then(|| &link[scheme.len()..])
    })
}

/// Whether the link could lead to an ad: a quick look that misses none.
pub(super) fn may_be_ad(href: &[u8]) -> bool {
    // No letter is rarer in addresses.
    memchr::memchr_iter(b'j', href)
        .any(|at| href[..at].ends_with(b"y.") && href[at + 1..].starts_with(b"s"))
}

/// Whether the link could be the provider's redirect: a quick look that misses none.
fn is_redirect(href: &[u8]) -> bool {
    static TARGET: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("uddg="));
    TARGET.find(href).is_some()
}

fn resolve(href: &str) -> Option<Url> {
    static BASE: LazyLock<Option<Url>> =
        LazyLock::new(|| Url::parse("https://duckduckgo.com/").ok());
    BASE.as_ref()?.join(href).ok()
}

/// The path that a form's `action` leads to at the provider; `None` when it leads elsewhere.
pub(super) fn action_path(action: &str) -> Option<String> {
    let url = resolve(action)?;
    is_provider(&url).then(|| url.path().to_owned())
}

/// Whether this is the row that marks the end of all results: titled `EOF`, it leads to another search engine.
pub(super) fn is_eof(title: &str, url: &str) -> bool {
    title == "EOF"
        && Url::parse(url)
            .is_ok_and(|url| url.host_str() == Some("www.google.com") && url.path() == "/search")
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::UTF_8;

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
    fn ads_are_known_by_where_they_lead() {
        for href in [
            "https://duckduckgo.com/y.js?ad_domain=a.example",
            "HTTPS://DuckDuckGo.com./y.js?x",
            "https://links.duckduckgo.com/y.js",
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
    fn the_quick_look_for_ads_misses_none() {
        for href in ["y.js", "//duckduckgo.com/y.js?x", "jjy.jsj", "y.jy.js"] {
            assert!(may_be_ad(href.as_bytes()), "{href}");
        }
        for href in [
            "",
            "j",
            "y.j",
            ".js",
            "/l/?uddg=https%3A%2F%2Fa.example%2Fx.js",
        ] {
            assert!(!may_be_ad(href.as_bytes()), "{href}");
        }
    }
}
