//! Hidden parts of what is seen are left out, and what is hidden says nothing about the page.

#[path = "support/page.rs"]
mod support;

use search_gate::PageKind;
use support::{html, read, row, row_of};

/// How many results are read of these rows, in which `ROW` stands for one.
fn read_of(rows: &str) -> usize {
    read(&html(&rows.replace("ROW", &row(1)))).results.len()
}

#[test]
fn what_is_hidden_says_nothing_about_the_page() {
    let hidings = ["hidden", r#"style="visibility:hidden""#];
    for hiding in hidings {
        for said in [
            format!("<div {hiding} class=no-results>x</div>"),
            format!("<span {hiding} class=no-results>x</span>"),
            format!("<p {hiding}>No results.</p>"),
            format!("<p {hiding}><span class=no-results>No results.</span></p>"),
        ] {
            assert_eq!(read(&html(&said)).kind, PageKind::Unrecognised, "{said}");
        }
        let spelling = "<div HIDING id=did_you_mean>Did you mean <a HIDDEN>words</a>?</div>";
        let with = |outer, inner| {
            let said = spelling.replace("HIDING", outer).replace("HIDDEN", inner);
            read(&html(&said)).spelling
        };
        assert_eq!(with(hiding, ""), None);
        let spelling = with("", hiding).unwrap();
        assert_eq!((&*spelling.text, spelling.query), ("Did you mean ?", None));
    }
}

#[test]
fn hidden_parts_of_a_zero_click_box_are_not_read() {
    let parts = [
        "<div BOX class=zci>",
        "<h1 HEADING><a LINK href=https://a.example/heading>A heading</a></h1>",
        "<div TEXT class=zci__result><img IMAGE src=https://a.example/i.png>A text. <a MORE href=https://a.example/more>More at Source</a></div></div>",
    ]
    .concat();
    let names = ["BOX", "HEADING", "LINK", "TEXT", "IMAGE", "MORE"];
    for hiding in ["hidden", r#"style="visibility:hidden""#] {
        let hide = |hidden: &[&str]| {
            let page = names.iter().fold(parts.clone(), |page, name| {
                page.replace(name, if hidden.contains(name) { hiding } else { "" })
            });
            read(&html(&page)).zero_click
        };
        let all = hide(&[]).unwrap();
        let url = |page| Some(format!("https://a.example/{page}"));
        assert_eq!(
            (all.heading.as_deref(), &*all.text, all.source.as_deref()),
            (Some("A heading"), "A text.", Some("Source"))
        );
        assert_eq!((all.url, all.image), (url("heading"), url("i.png")));
        assert_eq!(hide(&["BOX"]), None);
        assert_eq!(hide(&["HEADING"]).unwrap().heading, None);
        assert_eq!(hide(&["LINK"]).unwrap().url, url("more"));
        assert_eq!(hide(&["LINK", "MORE"]).unwrap().url, None);
        assert_eq!(hide(&["TEXT"]).unwrap().text, "");
        assert_eq!(hide(&["IMAGE"]).unwrap().image, None);
        let more = hide(&["MORE"]).unwrap();
        assert_eq!((&*more.text, more.source), ("A text.", None));
    }
}

#[test]
fn hidden_parts_of_a_result_are_not_read_and_end_nothing() {
    for hiding in ["hidden", r#"style="visibility:hidden""#] {
        let icon = row(1).replace("<img", &format!("<img {hiding}"));
        assert_eq!(read(&html(&icon)).results[0].icon, None, "{hiding}");
        let page = read(&html(&row_of(
            &format!("Before <span {hiding} class=timestamp>x</span>after"),
            "https://a.example/",
            &format!("Before <span {hiding} class=link-text>x</span>after"),
        )));
        let result = &page.results[0];
        assert_eq!(
            (&*result.title, &*result.snippet),
            ("Before after", "Before after"),
            "{hiding}"
        );
    }
}

#[test]
fn what_stands_in_a_template_ends_nothing_around_it() {
    for rows in [
        "<div><template></div>ROW",
        "<span><template></span>ROW",
        "<table><tr><td><template></td>ROW</template></table>",
        "<table><tr><td><template></table>ROW",
        "<table><tr><td><template><tr><td>ROW</template></table>",
        "<ul><li><template><li>ROW</template></ul>",
        "<p><template><div>ROW</div></template>",
        "<form><template></form>ROW</template>",
    ] {
        assert_eq!(read_of(rows), 0, "{rows}");
    }
    for rows in [
        "<template><div><p></template>ROW",
        "<div><template></div></template>ROW</div>",
        "<template><template></template>x</template>ROW",
    ] {
        assert_eq!(read_of(rows), 1, "{rows}");
    }
}

#[test]
fn an_end_tag_reaches_no_further_than_a_browser_lets_it() {
    for rows in [
        "<div hidden><table><tr><td></div>ROW</table>",
        "<b hidden><table><caption></b>ROW</table>",
        "<span hidden><div></span>ROW</div>",
        "<label hidden><section><p></label>ROW</section>",
        "<section hidden><object></section>ROW</object>",
        "<p hidden><button></p>ROW</button>",
        "<ul><li hidden><ul></li>ROW</ul></ul>",
        "<ul><li hidden><section><li>ROW</section></ul>",
        "<table><tr><td hidden><table></td><tr><td>ROW</table></table>",
        "<form hidden><table><tr><td></form>ROW</table>",
        "<div hidden><svg><foreignObject></div>ROW</foreignObject></svg>",
        "<p><section hidden><div>ROW</div></section>",
        "<body><div hidden></body>ROW",
        "<html><body><div style='visibility:hidden'></body></html>ROW",
    ] {
        assert_eq!(read_of(rows), 0, "{rows}");
    }
    for rows in [
        "<span hidden><b></span>ROW",
        "<div hidden><span></div>ROW",
        "<div hidden><table><tr><td></table></div>ROW",
        "<div><svg hidden><g></div>ROW",
        "<table><tr hidden><td><div></tr><tr><td>ROW</table>",
        "<ul><li hidden><div><li>ROW</ul>",
        "<section hidden><h3><ul><li></section>ROW",
        "<p hidden><section>ROW</section>",
        "<p hidden><li>ROW",
        "<body><div hidden></div></body>ROW",
        "<body><div style='visibility:hidden'></body><div style='visibility:visible'>ROW",
    ] {
        assert_eq!(read_of(rows), 1, "{rows}");
    }
}
