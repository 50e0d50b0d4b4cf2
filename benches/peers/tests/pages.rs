//! What must hold for ours on the pages that are made, on a small run.

use search_gate_peers::{
    pages::{self, Sizes, corpus, saved, subject::Subject},
    report::{Form, OURS, Report},
};

const OUR_HTML: [&str; 2] = [Subject::Html.name(), Subject::Layer.name()];

fn value(report: &Report, figure: &str, subject: &str) -> f64 {
    let value = report.value(figure, subject);
    value.unwrap_or_else(|| panic!("no figure {figure} for {subject}"))
}

#[test]
fn ours_is_right_on_every_page_and_keeps_within_its_memory() {
    let sizes = Sizes::small();
    let groups = corpus::made(sizes.long);
    let report = pages::run(&sizes, &groups);
    let names: Vec<_> = groups.iter().map(|group| &*group.name).collect();
    assert_eq!(names.len(), 4);
    for group in &groups {
        let of =
            |figure: &str, subject| value(&report, &format!("{}: {figure}", group.name), subject);
        let all = group.results();
        let right = format!("right, of {}", search_gate_peers::report::count(all));
        assert!(all >= 10);
        for ours in [OURS, Subject::Page.name()].into_iter().chain(OUR_HTML) {
            assert_eq!(of(&right, ours), all as f64, "{} by {ours}", group.name);
            assert_eq!(of("wrong", ours), 0.0, "{} by {ours}", group.name);
            let each = of("allocations a result", ours);
            assert!((1.0..=30.0).contains(&each), "{each} for {ours}");
            assert!(of("a page", ours) > 0.0);
        }
        for ours in [OURS].into_iter().chain(OUR_HTML) {
            let peak = of("peak live memory", ours);
            assert!(peak <= 64.0, "{peak} KiB for {} by {ours}", group.name);
        }
        for ours in OUR_HTML {
            assert_eq!(of("html that is no copy", ours), 100.0);
        }
        // What a peer gets wrong is seen to, and does not keep it from being timed.
        for peer in [Subject::Scraper.name(), Subject::Tl.name()] {
            assert!(of(&right, peer) > 0.0);
            assert!(of("wrong", peer) > 0.0);
            assert!(of("a page", peer) > 0.0);
        }
    }

    let mut lines = Vec::new();
    report.print(&mut lines, Form::Json).unwrap();
    for line in String::from_utf8(lines).unwrap().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["figure"].is_string() && line["unit"].is_string());
        if line["subject"] == OURS && line["value"].as_f64() > Some(0.0) {
            assert_eq!(line["ratio"], 1.0);
        }
    }
}

#[test]
fn a_folder_without_pages_is_an_error() {
    let error = saved::groups(env!("CARGO_MANIFEST_DIR").as_ref()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no .html and no .httprr file in it"
    );
    assert!(saved::groups("no such folder".as_ref()).is_err());
}
