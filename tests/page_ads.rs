//! Ads are left out of the data and cut from the html, and nothing else is.

#[path = "support/page.rs"]
mod support;

use search_gate::{Limits, PageReader};
use support::{AD_LINK, ad, html, lite, lite_ad, lite_row, pass, read_in, row, row_of, wrapped};

#[test]
fn ad_blocks_are_cut_whole_and_all_else_is_passed_on_as_it_came() {
    let page = html(&(ad() + &ad() + &row(1) + &row(2)));
    let read = pass(&page);
    assert_eq!(read.page.ads_dropped, 2);
    assert_eq!(read.results.len(), 2);
    // The white space before a block is not the ad's.
    assert!(read.html() == page.replace(ad().trim_start(), ""));
}

#[test]
fn a_page_without_ads_is_passed_on_unchanged() {
    for page in [
        html(&(row(1) + &row(2))),
        lite(&lite_row(1)),
        html(""),
        support::challenge(),
    ] {
        assert!(pass(&page).html() == page);
    }
}

#[test]
fn a_block_is_an_ad_by_its_link_too() {
    for link in [
        AD_LINK.to_owned(),
        wrapped("https://duckduckgo.com/y.js?ad_domain=shop.example"),
    ] {
        let block = row_of("Buy things", &link, "Things at prices.");
        let page = html(&(row(1) + &block + &row(2)));
        let read = pass(&page);
        assert_eq!(
            (read.page.ads_dropped, read.results.len()),
            (1, 2),
            "{link}"
        );
        assert!(
            read.html() == page.replace(block.trim_start(), ""),
            "{link}"
        );
    }
}

#[test]
fn an_ad_whose_link_is_longer_than_a_result_may_have_is_one() {
    let links = [
        AD_LINK.to_owned(),
        wrapped("https://duckduckgo.com/y.js?ad_domain=shop.example"),
    ];
    for link in links {
        let block = row_of("Buy things", &link, "Things at prices.");
        let page = html(&(row(1) + &block));
        let reader = PageReader::new().limits(Limits::default().url_bytes(40));
        let read = read_in(reader, page.as_bytes(), &[]);
        assert_eq!(read.page.ads_dropped, 1, "{link}");
        assert!(
            read.html() == page.replace(block.trim_start(), ""),
            "{link}"
        );
    }
}

#[test]
fn an_ad_link_of_no_class_is_cut_however_its_redirect_is_written() {
    for path in ["y%252Ejs", "%2579.js", "y.%256As", "y%0A.js", "y.%09js"] {
        let link = format!(
            r#"<a href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2F{path}&amp;rut=1">Buy</a>"#
        );
        let page = html(&format!("{}<p>{link}</p>", row(1)));
        let read = pass(&page);
        assert_eq!(read.page.ads_dropped, 1, "{path}");
        assert!(read.html() == page.replace(&link, ""), "{path}");
    }
}

#[test]
fn a_block_is_an_ad_by_its_class_too() {
    let page = html(&(ad().replace(AD_LINK, "https://shop.example/") + &row(1)));
    let read = pass(&page);
    assert_eq!((read.page.ads_dropped, read.results.len()), (1, 1));
    assert!(!read.html().contains("shop.example"));
}

#[test]
fn an_ad_link_outside_a_block_is_cut_alone() {
    let link = format!(r#"<a href="{AD_LINK}">Buy <b>things</b></a>"#);
    let page = html(&format!("{}<p>before {link} after</p>{}", row(1), row(2)));
    let read = pass(&page);
    assert_eq!((read.page.ads_dropped, read.results.len()), (1, 2));
    assert!(read.html() == page.replace(&link, ""));
}

#[test]
fn an_ad_link_makes_no_ad_of_what_it_is_no_part_of() {
    let link = format!(r#"<a href="{AD_LINK}">Buy</a>"#);
    let title = format!(r#"<a class="result__a" href="{AD_LINK}">Buy</a>"#);
    let visible = "<!-- This is the visible part -->";
    for (link, page) in [
        (&link, html(&row(1).replace(visible, &link))),
        (&title, html(&(row(1) + &title + "<p>kept</p>"))),
    ] {
        let read = pass(&page);
        assert_eq!((read.page.ads_dropped, read.results.len()), (1, 1));
        assert!(read.html() == page.replace(link, ""), "{link}");
    }
}

#[test]
fn an_ad_link_within_a_result_takes_no_more_than_itself() {
    for class in ["", "result__url", "result__snippet", "result__a"] {
        let link = format!(r#"<a class="{class}" href="{AD_LINK}">Buy</a>"#);
        let block = row(1).replace(r#"<div class="clear"></div>"#, &link);
        let page = html(&(block + &row(2)));
        let read = pass(&page);
        assert_eq!(read.results.len(), 2, "{class}");
        assert!(read.html() == page.replace(&link, ""), "{class}");
    }
}

#[test]
fn what_follows_a_title_is_passed_on_at_once_for_its_block_is_no_ad() {
    let block = row(1);
    for title in [
        block.clone(),
        block.replace(&wrapped("https://site-1.example/page?a=1&b=1"), "/nowhere"),
    ] {
        let mut reader = PageReader::new().pass_html(true);
        reader.feed(title.split_once("</h2>").unwrap().0.to_owned());
        let mut html = Vec::new();
        while let Some(slice) = reader.next_html() {
            html.extend_from_slice(&slice);
        }
        assert!(String::from_utf8(html).unwrap().contains("</a>"), "{title}");
    }
}

#[test]
fn an_ad_without_an_end_swallows_nothing_that_follows() {
    let unclosed = ad();
    let unclosed = unclosed
        .trim_end()
        .trim_end_matches("</div>")
        .trim_end()
        .trim_end_matches("</div>");
    for (name, page) in [
        (
            "before results",
            html(&(unclosed.to_owned() + &row(1) + &row(2))),
        ),
        (
            "before another ad",
            html(&(unclosed.to_owned() + &ad() + &row(1) + &row(2))),
        ),
        ("last", html(&(row(1) + &row(2) + unclosed))),
    ] {
        let read = pass(&page);
        assert_eq!(read.results.len(), 2, "{name}");
        assert!(!read.html().contains("Buy things"), "{name}");
        for kept in [
            row(1).trim(),
            row(2).trim(),
            "nav-link",
            "feedback.html",
            "</html>",
        ] {
            assert!(read.html().contains(kept), "{name}: {kept}");
        }
    }
    let sponsored = lite_ad(r#" class="result-sponsored""#)
        .replace("</tr>", "")
        .replace("</td>", "");
    let read = pass(&lite(&(sponsored + &lite_row(1))));
    assert_eq!((read.page.ads_dropped, read.results.len()), (1, 1));
    assert!(read.html().contains(lite_row(1).trim()) && !read.html().contains("Buy things"));
}

#[test]
fn an_ad_link_without_an_end_swallows_nothing_that_follows() {
    let page = html(&format!(r#"<a href="{AD_LINK}">Buy{}"#, row(1) + &row(2)));
    let read = pass(&page);
    assert_eq!(read.results.len(), 2);
    assert!(read.html().contains(row(1).trim()) && !read.html().contains("y.js"));
    let read = pass(&format!(
        r#"<p><a href="{AD_LINK}">Buy <b>things</b> <a href="/x">kept</a> too</p>"#
    ));
    assert!(read.html() == r#"<p><a href="/x">kept</a> too</p>"#);
    let read = pass(&format!(
        r#"<p>before <a href="{AD_LINK}">Buy and all that follows"#
    ));
    assert!(read.html() == "<p>before Buy and all that follows");
}

#[test]
fn an_ad_cut_off_by_the_end_of_the_page_goes_as_far_as_it_is_one() {
    let page = html(&(row(1) + &ad()));
    let cut = &page[..page.find("Things at prices").unwrap()];
    let read = pass(cut);
    assert_eq!(
        (
            read.results.len(),
            read.page.ads_dropped,
            read.page.truncated
        ),
        (1, 1, true)
    );
    assert!(!read.html().contains("Buy things"));
}

#[test]
fn an_ad_that_never_ends_is_passed_on_but_for_its_links() {
    let filler = "<p>filler</p>".repeat(20_000);
    let page = html(&(ad().replace(r#"<div class="clear"></div>"#, &filler) + &row(1)));
    let read = pass(&page);
    assert_eq!(read.results.len(), 1);
    assert!(!read.html().contains("y.js"), "links of the ad are cut");
    assert!(
        read.html().matches("filler").count() > 19_000,
        "what could be the page's own is not"
    );
}

#[test]
fn comments_scripts_and_texts_that_look_like_ads_are_left_alone() {
    let decoys = format!(
        r#"<!-- {} --><script>var ad = '<div class="result result--ad">';</script><textarea>{}</textarea><p>&lt;a href="{AD_LINK}"&gt;</p>"#,
        ad().replace("-->", "--").replace("<!--", "<"),
        ad()
    );
    let page = html(&(decoys + &row(1)));
    let read = pass(&page);
    assert_eq!((read.page.ads_dropped, read.results.len()), (0, 1));
    assert!(read.html() == page);
}

#[test]
fn html_is_passed_on_as_slices_of_what_was_fed() {
    let page = bytes::Bytes::from(html(&(ad() + &row(1) + &row(2))));
    let mut reader = PageReader::new().pass_html(true);
    for start in (0..page.len()).step_by(1000) {
        reader.feed(page.slice(start..page.len().min(start + 1000)));
    }
    reader.end();
    let inside = page.as_ptr() as usize..page.as_ptr() as usize + page.len();
    let mut length = 0;
    while let Some(slice) = reader.next_html() {
        assert!(inside.contains(&(slice.as_ptr() as usize)));
        length += slice.len();
    }
    assert_eq!(length, page.len() - ad().trim_start().len());
}

#[test]
fn invalid_bytes_pass_unchanged() {
    let mut page = html(&row(1)).into_bytes();
    let at = page
        .windows(8)
        .position(|window| window == b"What pag")
        .unwrap();
    page.splice(at..at, *b"\xff\xfe\x80");
    let read = read_in(PageReader::new(), &page, &[7]);
    assert_eq!(read.html, page);
    assert_eq!(read.results.len(), 1);
    assert!(read.results[0].snippet.starts_with('\u{fffd}'));
}
