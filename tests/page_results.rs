//! What is read of the results.

#[path = "support/page.rs"]
mod support;

use search_gate::{Endpoint, Limits, PageKind, PageReader, Query};
use support::{html, lite, lite_row, pass, read, row, row_of, wrapped};

#[test]
fn a_result_is_read_with_all_its_parts() {
    let page = read(&html(&(row(1) + &row(2))));
    assert_eq!(
        (page.kind, page.endpoint, page.results.len()),
        (PageKind::Results, Some(Endpoint::Html), 2)
    );
    assert_eq!(
        (
            page.ads_dropped,
            page.hidden_dropped,
            page.truncated,
            page.stopped
        ),
        (0, 0, false, None)
    );
    let result = &page.results[1];
    assert_eq!(result.title, "Page number 2");
    assert_eq!(result.url, "https://site-2.example/page?a=1&b=2");
    assert_eq!(
        result.snippet,
        "What page 2 tells about the words asked for, and 'more'."
    );
    assert_eq!(result.display_url.as_deref(), Some("site.example/page"));
    assert_eq!(result.icon.as_deref(), Some("//icons.example/site.ico"));
    assert_eq!(result.file_type, None);
    assert_eq!(result.position, 2);
    assert_eq!(
        result
            .title_bold
            .iter()
            .map(|bold| &result.title[bold.clone()])
            .collect::<Vec<_>>(),
        ["number"]
    );
    assert_eq!(
        result
            .snippet_bold
            .iter()
            .map(|bold| &result.snippet[bold.clone()])
            .collect::<Vec<_>>(),
        ["words"]
    );
}

#[test]
fn the_lite_page_gives_the_same_parts() {
    let page = read(&lite(&(lite_row(1) + &lite_row(2))));
    assert_eq!(
        (page.kind, page.endpoint, page.results.len()),
        (PageKind::Results, Some(Endpoint::Lite), 2)
    );
    let result = &page.results[1];
    assert_eq!(result.title, "Page number 2");
    assert_eq!(result.url, "https://site-2.example/");
    assert_eq!(result.snippet, "What page 2 tells about the words.");
    assert_eq!(result.display_url.as_deref(), Some("site-2.example/page"));
    assert_eq!(
        result.published.as_ref().map(|published| &*published.text),
        Some("2026-01-20T09:43:00.0000000")
    );
}

#[test]
fn dates_are_civil_and_keep_their_text() {
    let at = |text: &str| {
        let row = row(1).replace("2026-07-30T16:53:00.0000000", text);
        read(&html(&row)).results[0].published.clone().unwrap()
    };
    let full = at("2026-07-30T16:53:00.0000000");
    assert_eq!(
        (
            full.date.unwrap().to_string(),
            full.time.unwrap().to_string()
        ),
        ("2026-07-30".into(), "16:53:00".into())
    );
    let day = at("2026-07-30T00:00:00.0000000");
    assert_eq!((day.date, day.time), (full.date, None));
    assert_eq!(at("2026-07-30").date, full.date);
    let odd = at("9999-99-99");
    assert_eq!((&*odd.text, odd.date, odd.time), ("9999-99-99", None, None));
}

#[test]
fn a_file_type_is_taken_off_the_title() {
    let title = r#"<span class="result__type">PDF</span> A <b>paper</b>"#;
    let page = read(&html(&row_of(title, "https://a.example/", "")));
    let result = &page.results[0];
    assert_eq!(
        (&*result.title, result.file_type.as_deref()),
        ("A paper", Some("PDF"))
    );
    assert_eq!(&result.title[result.title_bold[0].clone()], "paper");
}

#[test]
fn a_row_without_a_snippet_is_a_result_and_takes_none_from_its_neighbour() {
    let bare = r#"<div class="result"><h2><a class="result__a" href="https://bare.example/">Bare</a></h2></div>"#;
    let page = read(&html(&format!("{}{bare}{}", row(1), row(2))));
    assert_eq!(page.results[1].snippet, "");
    assert_eq!(page.results[1].published, None);
    assert!(
        page.results[0].snippet.contains("page 1") && page.results[2].snippet.contains("page 2")
    );
}

#[test]
fn a_title_that_leads_nowhere_is_no_result() {
    for href in [
        "",
        "#",
        "javascript:void(0)",
        "ftp://a.example/",
        "//duckduckgo.com/l/?uddg=data%3Atext",
    ] {
        let page = read(&html(&format!(
            "{}{}{}",
            row(1),
            row_of("Nowhere", href, "Lost"),
            row(2)
        )));
        let titles: Vec<_> = page.results.iter().map(|result| &*result.title).collect();
        assert_eq!(titles, ["Page number 1", "Page number 2"], "{href}");
        assert!(
            page.results
                .iter()
                .all(|result| !result.snippet.contains("Lost"))
        );
    }
}

#[test]
fn a_result_comes_out_as_soon_as_its_block_has_arrived() {
    let rows = [row(1), row(2)];
    let page = html(&rows.concat());
    let end_of_first = page.find(&rows[1]).unwrap();
    let mut reader = PageReader::new();
    reader.feed(page.as_bytes()[..end_of_first].to_vec());
    assert_eq!(reader.next_result().unwrap().title, "Page number 1");
    assert!(reader.next_result().is_none());
    reader.feed(page.as_bytes()[end_of_first..].to_vec());
    assert_eq!(reader.next_result().unwrap().position, 2);
    assert!(reader.finish().results.is_empty());
}

#[test]
fn results_taken_while_reading_are_those_of_the_whole_page() {
    let page = html(&(row(1) + &row(2) + &row(3)));
    let taken = pass(&page);
    assert_eq!(taken.results, read(&page).results);
    assert!(taken.page.results.is_empty());
    assert_eq!(taken.page.kind, PageKind::Results);
}

#[test]
fn links_are_unwrapped_once() {
    let target = "https://a.example/Miami%2C+FL?x=%2B&copy=1";
    let page = read(&html(&row_of("A", &wrapped(target), "")));
    assert_eq!(page.results[0].url, target);
}

#[test]
fn duplicates_stay_unless_they_are_not_wanted() {
    let page = html(&(row(1) + &row(2) + &row(1)));
    assert_eq!(read(&page).results.len(), 3);
    let mut reader = PageReader::new().skip_duplicates(true);
    reader.feed(page);
    let page = reader.finish();
    let positions: Vec<_> = page
        .results
        .iter()
        .map(|result| (&*result.title, result.position))
        .collect();
    assert_eq!(positions, [("Page number 1", 1), ("Page number 2", 2)]);
}

#[test]
fn results_that_are_not_collected_are_counted() {
    let mut reader = PageReader::new().collect_results(false);
    assert!(!reader.has_results());
    let page = html(&(row(1) + &row(2)));
    let (first, rest) = page.split_at(page.find("number</b> 2").unwrap());
    reader.feed(first.to_owned());
    assert!(reader.has_results());
    reader.feed(rest.to_owned());
    assert_eq!(reader.next_result(), None);
    let page = reader.finish();
    assert_eq!((page.kind, page.results.len()), (PageKind::Results, 0));
    let mut reader = PageReader::new();
    reader.feed(html(&row(1)));
    assert!(reader.next_result().is_some() && reader.has_results());
}

#[test]
fn a_zero_click_box_has_a_heading_or_a_text() {
    let zci = |inner: &str| {
        let page = html(&(format!(r#"<div class="zci">{inner}</div>"#) + &row(1)));
        read(&page).zero_click
    };
    let heading = zci("<h1>A thing</h1>").unwrap();
    assert_eq!(
        (heading.heading.as_deref(), &*heading.text),
        (Some("A thing"), "")
    );
    let text = zci(r#"<div class="zci__result">A thing is.</div>"#).unwrap();
    assert_eq!((text.heading, &*text.text), (None, "A thing is."));
    assert_eq!(zci("<h1> </h1><img src=x>"), None);
}

#[test]
fn a_heading_outside_the_zero_click_box_is_plain_text() {
    let page = read(&html(&row_of(
        "<h1>A <b>title</b></h1>",
        "https://a.example/",
        "",
    )));
    assert_eq!(page.results[0].title, "A title");
    assert_eq!(page.zero_click, None);
}

#[test]
fn only_titles_lead_to_results() {
    for link in [
        r#"<a href="https://shop.example/y.js">x</a>"#,
        r#"<a class="result__url" href="https://shop.example/y.js">x</a>"#,
    ] {
        let page = read(&html(&(link.to_owned() + &row(1))));
        assert_eq!(page.results.len(), 1, "{link}");
    }
    let page = row_of("A", "https://a.example/", "What it is").replace(
        r#"class="result__snippet" href=""#,
        r#"class="result__snippet" href="/about/y.js?"#,
    );
    let page = read(&html(&page));
    assert_eq!(page.results[0].snippet, "What it is");
}

#[test]
fn several_titles_in_a_block_are_several_results() {
    let page = read(&html(
        r#"<div class="result"><a class="result__a" href="https://a.example/">A</a>
        <a class="result__a" href="https://b.example/">B</a><a class="result__snippet">of B</a>
        <a class="result__a" href="/nowhere">C</a><a class="result__snippet">of C</a></div>"#,
    ));
    let results: Vec<_> = page
        .results
        .iter()
        .map(|result| (&*result.title, &*result.snippet))
        .collect();
    assert_eq!(results, [("A", ""), ("B", "of B")]);
}

#[test]
fn the_first_of_each_part_of_a_result_counts() {
    let part = |tag: &str, class: &str, text: &str| format!("<{tag} class={class}>{text}</{tag}>");
    let page = read(&format!(
        "<div class=result><a class=result__a href=//a.example>a</a>{}{}{}{}{}{}{}{}{}</div>",
        part("a", "result__snippet", " "),
        part("a", "result__snippet", "one"),
        part("div", "result__snippet", "two"),
        part("a", "result__url", " "),
        part("a", "result__url", "one"),
        part("a", "result__url", "two"),
        part("span", "timestamp", " "),
        part("span", "timestamp", "one"),
        part("span", "timestamp", "two"),
    ));
    let result = &page.results[0];
    assert_eq!(
        (&*result.snippet, result.display_url.as_deref()),
        ("one", Some("one"))
    );
    assert_eq!(result.published.as_ref().unwrap().text, "one");
    assert_eq!(result.url, "https://a.example/");
    let page = read(&html(&row(1).replace(
        "a class=\"result__snippet\"",
        "div class=\"result__snippet\"",
    )));
    assert!(page.results[0].snippet.starts_with("What page 1"));
}

#[test]
fn parts_outside_a_result_are_none() {
    let page = read(&html(
        "<a class=result__snippet>x</a><a class=result__url>x</a><span class=timestamp>x</span><img class=result__icon__img src=x>",
    ));
    assert_eq!((page.kind, page.results.len()), (PageKind::Unrecognised, 0));
    assert_eq!((page.zero_click, page.spelling), (None, None));
}

#[test]
fn a_badge_without_a_text_is_no_file_type() {
    for (badge, kind) in [
        ("<span class=result__type> </span>", None),
        ("<span class=result__type>PDF</span>", Some("PDF")),
        ("<span class=result__type><b>P</b>DF", Some("PDF A")),
        ("<span class=result__other>PDF</span>", None),
    ] {
        let page = read(&html(&row_of(
            &format!("{badge} A"),
            "https://a.example/",
            "",
        )));
        let result = &page.results[0];
        assert_eq!(result.file_type.as_deref(), kind, "{badge}");
        assert!(result.title_bold.is_empty(), "{badge}");
    }
    let page = row_of(
        "A",
        "https://a.example/",
        "<span class=result__type>PDF</span> b",
    );
    let result = &read(&html(&page)).results[0];
    assert_eq!((&result.file_type, &*result.snippet), (&None, "PDF b"));
}

#[test]
fn what_stands_around_the_results_is_kept_when_the_page_is_cut_short() {
    let zero = read("<div class=zci><div class=zci__result>A thing").zero_click;
    assert_eq!(zero.unwrap().text, "A thing");
    let spelling = read("<div id=did_you_mean>Did you mean <a>words").spelling;
    let spelling = spelling.unwrap();
    assert_eq!(
        (&*spelling.text, spelling.query.as_deref()),
        ("Did you mean words", Some("words"))
    );
    let next = read("<form action=/lite/><input type=hidden name=s value=1>").next;
    assert_eq!(next, Some(Query::from_form(Endpoint::Lite, [("s", "1")])));
}

#[test]
fn the_lite_pages_zero_click_text_stands_in_the_row_after_its_heading() {
    let zero = |rows: &str| read(&lite(&(rows.to_owned() + &lite_row(1)))).zero_click;
    let link = r#"<a href="https://a.example/">A thing</a>"#;
    let text = "<tr><td>Text</td></tr><tr><td>Later</td></tr>";
    let whole = zero(&format!("<tr><td>Zero-click info: {link}</td></tr>{text}")).unwrap();
    assert_eq!(
        (whole.heading.as_deref(), &*whole.text),
        (Some("A thing"), "Text")
    );
    assert_eq!(whole.url.as_deref(), Some("https://a.example/"));
    for none in [
        format!("<tr><td>Zero-click info: more {link}</td></tr>{text}"),
        format!("<tr><td>Zero-click {link}</td></tr>{text}"),
        format!("<tr><td>About Zero-click info: {link}</td></tr>{text}"),
        format!("<tr><td>Zero-click info:</td></tr>{text}"),
        format!("<tr hidden><td>Zero-click info: {link}</td></tr>{text}"),
    ] {
        assert_eq!(zero(&none), None, "{none}");
    }
    // It stands above the results.
    let late = format!("<p>Zero-click info: {link}</p>");
    let block = "<div class=result><a class=result__a href=//a.example>a</a>";
    assert_eq!(read(&format!("{block}</div>{late}")).zero_click, None);
    assert_eq!(read(&format!("{block}{late}</div>")).zero_click, None);
    let hidden = text.replacen("<td", "<td hidden", 1);
    let rest = zero(&format!(
        "<tr><td>Zero-click info: {link}</td></tr>{hidden}"
    ));
    assert_eq!(rest.unwrap().text, "Later");
}

#[test]
fn links_in_a_zero_click_text_are_text_and_the_first_address_counts() {
    let page = html(
        r#"<div class=zci><div class=zci__result>A <a href="https://a.example/">thing</a>
        <a href="https://b.example/">is</a> so. <a href="https://c.example/">More at </a></div>
        <div class=other>Not of the text</div></div><div class=zci__result>Outside</div>"#,
    );
    let zero = read(&page).zero_click.unwrap();
    assert_eq!(
        (&*zero.text, zero.url.as_deref()),
        ("A thing is so. More at", Some("https://a.example/"))
    );
    assert_eq!(zero.source, None);
}

#[test]
fn the_first_word_about_spelling_counts() {
    let page = html(
        "<div id=did_you_mean> </div><span class=did-you-mean>Did you mean <div id=did_you_mean><a> </a><a>one</a> or <a>two</a>?</div></span>
        <div id=did_you_mean>Including <a>three</a></div>",
    );
    let spelling = read(&page).spelling.unwrap();
    assert_eq!(
        (&*spelling.text, spelling.query.as_deref()),
        ("Did you mean one or two?", Some("one"))
    );
}

#[test]
fn the_first_image_of_its_kind_that_is_not_too_long_counts() {
    let icon = |src: &str| format!("<img class=result__icon__img src=\"{src}\">");
    let with = |images: &str, bound: usize| {
        let page = row_of("A", "//a.example", images);
        let mut reader = PageReader::new().limits(Limits::default().url_bytes(bound));
        reader.feed(html(
            &page
                .replace("result__icon__img", "x")
                .replace(images, &icon(images)),
        ));
        reader.finish().results.remove(0).icon
    };
    assert_eq!(
        with("//i.example/1?a&amp;b", 21).as_deref(),
        Some("//i.example/1?a&b")
    );
    assert_eq!(with("//i.example/1?a&amp;b", 20), None);
    let page = row(1).replace("<img", &(icon("") + "<img")).replace(
        "</h2>",
        &("</h2>".to_owned() + &icon("") + &icon("//i.example/1") + &icon("//i.example/2")),
    );
    let page = read(&html(&(icon("//i.example/0") + &page)));
    assert_eq!(page.results[0].icon.as_deref(), Some("//i.example/1"));
    let zero = "<div class=zci><img src=\"\"><img src=1><img src=2></div>";
    let page = read(&html(
        &(zero.to_owned() + "<div class=zci__result>x</div>" + &row(1)),
    ));
    assert_eq!(page.zero_click, None, "an image alone is no answer");
    let page = read(&html(&zero.replace("><img", "><h1>x</h1><img")));
    assert_eq!(page.zero_click.unwrap().image.as_deref(), Some("1"));
}

#[test]
fn a_date_is_what_stands_bare_after_the_address() {
    let published = |block: &str| {
        let page =
            format!("<div class=result><a class=result__a href=//a.example>a</a>{block}</div>");
        let result = read(&page).results.remove(0);
        (
            result.published.map(|published| published.text),
            result.snippet,
        )
    };
    let (url, snippet) = (
        "<a class=result__url>a.example</a>",
        "<a class=result__snippet>b <span>c</span></a>",
    );
    let date = Some("2026-07-30".to_owned());
    let span = "<span>2026-07-30</span>";
    for (block, date) in [
        (format!("{url}{span}{snippet}"), &date),
        (format!("{url}{snippet}{span}"), &date),
        (format!("{span}{url}{snippet}"), &None),
        (format!("{span}{snippet}"), &None),
        (
            format!("{url}<span class=x>2026-07-30</span>{snippet}"),
            &None,
        ),
        (
            format!("<span class=timestamp>2026-07-30</span>{snippet}"),
            &date,
        ),
    ] {
        assert_eq!(
            published(&block),
            (date.clone(), "b c".to_owned()),
            "{block}"
        );
    }
}

#[test]
fn a_block_ends_where_what_follows_the_results_begins() {
    for follows in [
        "<div class=nav-link>",
        "<div class=feedback-btn>",
        "<form action=/about>",
        "<div class=result>",
    ] {
        let page = format!(
            "<div class=result><a class=result__a href=//a.example>a</a>{follows}<a class=result__snippet>no</a></div></div>"
        );
        let mut reader = PageReader::new();
        reader.feed(page[..page.find("<a class=result__snippet").unwrap()].to_owned());
        assert_eq!(reader.next_result().unwrap().title, "a", "{follows}");
        assert_eq!(read(&page).results[0].snippet, "", "{follows}");
    }
}
