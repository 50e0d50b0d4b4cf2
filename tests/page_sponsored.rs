//! Ads of the lite page, which are rows of its table.

#[path = "support/page.rs"]
mod support;

use support::{AD_LINK, lite, lite_ad, lite_row, pass};

#[test]
fn sponsored_rows_of_the_lite_page_are_cut_marked_or_not() {
    for class in [r#" class="result-sponsored""#, ""] {
        let ad = lite_ad(class);
        let page = lite(&(lite_row(1) + &ad + &lite_row(2)));
        let read = pass(&page);
        assert_eq!(
            (read.page.ads_dropped, read.results.len()),
            (1, 2),
            "{class:?}"
        );
        for gone in [
            "Buy things",
            "more info",
            "Things at prices",
            "shop.example",
        ] {
            assert!(!read.html().contains(gone), "{class:?} {gone}");
        }
        let rows = page.matches("<tr").count() - 3;
        assert_eq!(read.html().matches("<tr").count(), rows);
        assert_eq!(read.html().matches("</tr>").count(), rows);
    }
}

#[test]
fn sponsored_rows_end_where_their_last_row_does() {
    let ad = lite_ad(r#" class="result-sponsored""#);
    let ad = ad[..ad.rfind("</tr>").unwrap()]
        .rsplit_once("<tr>")
        .unwrap()
        .0;
    let page = format!("<table>{ad}</table><p>kept</p><a href=x>kept too</a>");
    let read = pass(&page);
    assert_eq!(read.page.ads_dropped, 1);
    assert_eq!(
        read.html().split_whitespace().collect::<String>(),
        "<table></table><p>kept</p><ahref=x>kepttoo</a>"
    );
}

#[test]
fn sponsored_rows_without_a_row_between_are_as_many_ads_as_they_have_titles() {
    let ad = lite_ad(r#" class="result-sponsored""#);
    let ad = &ad[..ad.rfind("<tr>").unwrap()];
    for (title, ads) in [
        ("", 2),
        (r#"<a class="result-link" href="/about">About</a>"#, 2),
        (&format!(r#"<a href="{AD_LINK}">Buy</a>"#), 2),
        (
            &format!(r#"<a class="result-link" href="{AD_LINK}">Buy</a>"#),
            4,
        ),
    ] {
        let ad = ad.replace("Things at prices", &format!("Things {title}"));
        let read = pass(&lite(&(ad.repeat(2) + &lite_row(1))));
        assert_eq!(read.page.ads_dropped, ads, "{title}");
        assert_eq!(read.results.len(), 1);
    }
}
