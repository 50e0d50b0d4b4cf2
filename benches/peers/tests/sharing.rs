//! What must hold of a gate that real processes share, on a small run.

use std::env;

use search_gate_peers::{
    report::{Form, OURS, Report},
    sharing::{self, FILE, Plan, REDIS},
};

const FAULTS: [&str; 4] = ["kill -9", "stop", "cancel", "all and back-offs"];

fn value(report: &Report, figure: &str, subject: &str) -> f64 {
    let value = report.value(figure, subject);
    value.unwrap_or_else(|| panic!("no {figure} for {subject}"))
}

#[test]
fn processes_that_share_a_gate_keep_its_promises_and_every_figure_is_told() {
    let plan = Plan::small(env!("CARGO_BIN_EXE_search-gate-peers").into());
    let report = sharing::run(&plan);
    let has_redis = report.value("free turn, p50", REDIS).is_some();
    let stores = match has_redis {
        true => vec![FILE, REDIS],
        false => vec![FILE],
    };

    for subject in [OURS].iter().chain(&stores) {
        assert!(value(&report, "free turn, p50", subject) > 0.0, "{subject}");
    }
    for store in stores {
        let orders = value(&report, "store operations for each turn", store);
        // Asking, and looking again at least once.
        assert!(orders >= 2.0, "{orders}");
        let of = |figure: &str, fault| value(&report, &format!("{figure}, {store}"), fault);
        for fault in ["no fault"].iter().chain(&FAULTS) {
            assert!(of("starts", fault) > 2.0, "{store}, {fault}");
            assert_eq!(of("starts too close", fault), 0.0, "{store}, {fault}");
            assert_eq!(of("starts in a back-off", fault), 0.0, "{store}, {fault}");
        }
        // What is not kept is seen.
        assert!(of("starts too close", "not shared") > 10.0, "{store}");
        for fault in FAULTS {
            assert!(of("faults", fault) > 0.0, "{store}, {fault}");
        }
        for fault in &FAULTS[..3] {
            assert!(of("turns lost to each fault", fault).is_finite());
        }
    }

    if has_redis {
        for done in [
            "a turn that is free",
            "a turn that is waited for",
            "a place, and giving it up",
            "news of a throttle",
            "the trial after it, and its verdict",
        ] {
            let of = |what| value(&report, done, what);
            assert!(of("store operations") > 0.0, "{done}");
            assert_eq!(of("round trips"), of("store operations"), "{done}");
            assert_eq!(of("calls of the script"), of("store operations"), "{done}");
        }
    }

    let mut lines = Vec::new();
    report.print(&mut lines, Form::Json).unwrap();
    for line in String::from_utf8(lines).unwrap().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["figure"].is_string() && line["unit"].is_string());
    }
}
