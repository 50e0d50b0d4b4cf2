//! The regions that the provider offers.

/// The provider's regions, as `(code, name)`, in the order of its own menu.
///
/// A region is a bias, not a filter: results from elsewhere still come. These are the options of the region menu in the provider's
/// search form (read in 2026); guessed codes such as `en-gb` are ignored by the provider without a word, which is why
/// [`Query::region`](crate::Query::region) takes only these, and [`ALL_REGIONS`].
///
/// ```
/// let (code, name) = search_gate::REGIONS[0];
/// assert_eq!((code, name), ("ar-es", "Argentina"));
/// ```
pub const REGIONS: &[(&str, &str)] = &[
    ("ar-es", "Argentina"),
    ("au-en", "Australia"),
    ("at-de", "Austria"),
    ("be-fr", "Belgium (fr)"),
    ("be-nl", "Belgium (nl)"),
    ("br-pt", "Brazil"),
    ("bg-bg", "Bulgaria"),
    ("ca-en", "Canada (en)"),
    ("ca-fr", "Canada (fr)"),
    ("ct-ca", "Catalonia"),
    ("cl-es", "Chile"),
    ("cn-zh", "China"),
    ("co-es", "Colombia"),
    ("hr-hr", "Croatia"),
    ("cz-cs", "Czech Republic"),
    ("dk-da", "Denmark"),
    ("ee-et", "Estonia"),
    ("fi-fi", "Finland"),
    ("fr-fr", "France"),
    ("de-de", "Germany"),
    ("gr-el", "Greece"),
    ("hk-tzh", "Hong Kong"),
    ("hu-hu", "Hungary"),
    ("is-is", "Iceland"),
    ("in-en", "India (en)"),
    ("id-en", "Indonesia (en)"),
    ("ie-en", "Ireland"),
    ("il-en", "Israel (en)"),
    ("it-it", "Italy"),
    ("jp-jp", "Japan"),
    ("kr-kr", "Korea"),
    ("lv-lv", "Latvia"),
    ("lt-lt", "Lithuania"),
    ("my-en", "Malaysia (en)"),
    ("mx-es", "Mexico"),
    ("nl-nl", "Netherlands"),
    ("nz-en", "New Zealand"),
    ("no-no", "Norway"),
    ("pk-en", "Pakistan (en)"),
    ("pe-es", "Peru"),
    ("ph-en", "Philippines (en)"),
    ("pl-pl", "Poland"),
    ("pt-pt", "Portugal"),
    ("ro-ro", "Romania"),
    ("ru-ru", "Russia"),
    ("xa-ar", "Saudi Arabia"),
    ("sg-en", "Singapore"),
    ("sk-sk", "Slovakia"),
    ("sl-sl", "Slovenia"),
    ("za-en", "South Africa"),
    ("es-ca", "Spain (ca)"),
    ("es-es", "Spain (es)"),
    ("se-sv", "Sweden"),
    ("ch-de", "Switzerland (de)"),
    ("ch-fr", "Switzerland (fr)"),
    ("tw-tzh", "Taiwan"),
    ("th-en", "Thailand (en)"),
    ("tr-tr", "Turkey"),
    ("us-en", "US (English)"),
    ("us-es", "US (Spanish)"),
    ("ua-uk", "Ukraine"),
    ("uk-en", "United Kingdom"),
    ("vn-en", "Vietnam (en)"),
];

/// The code for "all regions", as the provider writes it into the form for the next page.
pub const ALL_REGIONS: &str = "wt-wt";

/// Whether `code`, in lower case, is one that the provider knows.
pub(super) fn is_known(code: &str) -> bool {
    code == ALL_REGIONS || REGIONS.iter().any(|(known, _)| *known == code)
}

/// The code that was likely meant: `en-us` for `us-en` is what people try first, then `en-gb`, and a country alone.
pub(super) fn meant(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_lowercase().replace('_', "-");
    let code = code.replace("gb", "uk");
    let (language, country) = code.split_once('-').unwrap_or((&code, &code));
    let swapped = format!("{country}-{language}");
    let of_country = format!("{language}-");
    let mut codes = REGIONS.iter().map(|(code, _)| *code);
    let exchanged = codes.clone().find(|code| *code == swapped);
    exchanged.or_else(|| codes.find(|code| code.starts_with(&of_country)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_that_was_meant_is_found_where_there_is_one() {
        for (code, found) in [
            ("en-us", Some("us-en")),
            ("en_US", Some("us-en")),
            ("en-gb", Some("uk-en")),
            ("de", Some("de-de")),
            ("us", Some("us-en")),
            ("US-EN", Some("us-en")),
            ("en", None),
            ("", None),
            ("-", None),
            ("xx-yy", None),
        ] {
            assert_eq!(meant(code), found, "{code}");
        }
    }
}
