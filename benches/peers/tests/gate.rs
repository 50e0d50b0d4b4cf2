//! What must hold for ours in every comparison, on a small run.

use search_gate_peers::{
    gate::{self, Sizes},
    report::{Form, OURS, Report},
};

fn ours(report: &Report, figure: &str) -> f64 {
    let value = report.value(figure, OURS);
    value.unwrap_or_else(|| panic!("no figure {figure}"))
}

#[test]
fn order_spacing_and_growth_hold_and_every_figure_is_printed() {
    // A caller whose thread the machine stops for longer than its grace is passed over, as it should be; not three times in a row.
    let inversions = "inversions among 40 callers on 2 threads (780 pairs)";
    let mut runs = (0..3).map(|_| gate::run(&Sizes::small()));
    let report = runs.find(|report| ours(report, inversions) == 0.0);
    let report = report.expect("callers start in the order in which they asked");

    assert!(
        ours(
            &report,
            "least gap of 60 starts under late wakes (set: 2500)"
        ) >= 2500.0
    );
    assert_eq!(ours(&report, "starts too close, of 60"), 0.0);
    assert!(ours(&report, "gap between them (set: 2500)") >= 2500.0);
    for waiting in [2, 300] {
        let polls = ours(&report, &format!("polls a turn, {waiting} wait"));
        assert!((1.0..=3.0).contains(&polls), "{polls} polls a turn");
    }

    let behind_a_stalled_one = "wait of a caller behind 1";
    assert!(ours(&report, behind_a_stalled_one) < 2.0 * 2.5);

    // A peer that breaks the gap is seen to.
    let gap = report.value("gap between them (set: 2500)", "RateLimit");
    assert_eq!(gap, Some(100.0));
    let polls = report.value("polls a turn, 300 wait", "governor");
    assert!(polls > Some(200.0), "{polls:?}");

    let mut lines = Vec::new();
    report.print(&mut lines, Form::Json).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let keys: Vec<_> = line.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["figure", "ratio", "subject", "unit", "value"]);
        if line["subject"] == OURS {
            assert!(line["value"].is_number(), "{line}");
        }
    }
    for form in [Form::Table, Form::Markdown] {
        let mut table = Vec::new();
        report.print(&mut table, form).unwrap();
        assert!(String::from_utf8(table).unwrap().contains("free turn, ns"));
    }
}
