//! Where links lead: the provider's redirects taken off once, ads told from pages.

use super::encoding::{decode, utf8};
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
    Url::parse(link).is_ok_and(|url| {
        let path = percent_decode(url.path().as_bytes());
        url.scheme() == "https" && is_provider(&url) && path.eq(*b"/y.js")
    })
}

fn is_provider(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "duckduckgo.com" || host.ends_with(".duckduckgo.com")
}

/// Reads an `href` as it stands in the source.
pub(super) fn target(href: &[u8], encoding: &'static Encoding, limit: usize) -> Target {
    if let Some(wrapped) = wrapped(href) {
        return target_of_absolute(unescaped(wrapped).into(), limit);
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
        return target_of_absolute(href, limit);
    }
    let href = &*href;
    let Some(url) = resolve(href) else {
        return Target::Unusable;
    };
    if is_provider(&url) && url.path() == "/l/" {
        let query = url.query().unwrap_or_default();
        return match query.split('&').find_map(|pair| pair.strip_prefix("uddg=")) {
            Some(wrapped) => target_of_absolute(unescaped(wrapped.as_bytes()).into(), limit),
            None => Target::Unusable,
        };
    }
    if is_ad_link(url.as_str()) {
        return Target::Ad;
    }
    if is_whole {
        target_of_absolute(href.into(), limit)
    } else if href.starts_with("//") {
        target_of_absolute(url.as_str().into(), limit)
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

/// Where a link leads of which nothing is to be taken off; nowhere unless it is absolute.
fn target_of_absolute(link: Cow<'_, str>, limit: usize) -> Target {
    let link = trimmed(link);
    let Some(rest) = scheme(&link) else {
        return Target::Unusable;
    };
    if may_lead_to_ads(link.as_bytes()) && is_ad_link(&link) {
        return Target::Ad;
    }
    if link.len() > limit {
        return Target::Unusable;
    }
    let end = rest.bytes().position(|b| matches!(b, b'/' | b'?' | b'#'));
    let host = &rest[..end.unwrap_or(rest.len())];
    let is_plain = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
    if is_plain && is_clean(link.as_bytes()) || Url::parse(&link).is_ok_and(|url| url.has_host()) {
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

/// Whether an `href`, as it stands in the source, could lead to an ad: a quick look that misses none.
pub(super) fn may_be_ad(href: &[u8]) -> bool {
    may_lead_to_ads(href)
        || memchr::memchr_iter(b'&', href).any(|at| !href[at + 1..].starts_with(b"amp;"))
}

/// The same of a link whose references are resolved: `y.js` may yet be written with escapes, or with line breaks in it.
fn may_lead_to_ads(link: &[u8]) -> bool {
    // No letter is rarer in addresses.
    let mut scripts = memchr::memchr_iter(b'j', link);
    scripts.any(|at| link[..at].ends_with(b"y.") && link[at + 1..].starts_with(b"s"))
        || has_escaped_script(link)
        || !is_clean(link)
}

/// Whether a character of `y.js` is escaped, or a line break: once, or twice, as it may be in what a redirect wraps.
fn has_escaped_script(link: &[u8]) -> bool {
    static DOUBLED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("%25"));
    let after = |count: usize| link.get(count..).unwrap_or_default();
    let digits = after(1).iter().zip(after(2));
    // Without a branch, so that many places are looked at in one step.
    let once = link
        .iter()
        .zip(digits)
        .fold(false, |found, (&mark, digits)| {
            found | (mark == b'%') & is_of_script(digits)
        });
    once || DOUBLED.find_iter(link).any(|at| match after(at + 3) {
        [ten, one, ..] => is_of_script((ten, one)),
        _ => false,
    })
}

/// Whether these are the digits of one of the characters of `y.js`, or of a control character.
#[inline(always)]
fn is_of_script((&ten, &one): (&u8, &u8)) -> bool {
    let lower = one | 0x20;
    (ten == b'0')
        | (ten == b'2') & (lower == b'e')
        | (ten == b'6') & (lower == b'a')
        | (ten == b'7') & ((one == b'3') | (one == b'9'))
}

/// Whether the link has no control characters, which browsers leave out.
fn is_clean(link: &[u8]) -> bool {
    link.iter().fold(true, |clean, &b| clean & (b >= b' '))
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
mod tests;
