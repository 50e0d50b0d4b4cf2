//! What must hold of ours in a simulated hour.

use search_gate_peers::{
    day::{self, ALONE, Plan, SHARED},
    report::{OURS, Report},
};

const NO_GATE: &str = "no gate";
const RESERVING: &str = "reserve and sleep";

fn value(report: &Report, figure: &str, day: &str, way: &str) -> f64 {
    let value = report.value(&format!("{figure}, {day}"), way);
    value.unwrap_or_else(|| panic!("no {figure} for {way}"))
}

#[test]
fn the_provider_refuses_nothing_unless_others_provoke_it() {
    let plan = Plan::small();
    let report = day::run(&plan);
    let refused = |day, way| value(&report, "refused by the provider", day, way);

    assert_eq!(refused(ALONE, OURS), 0.0);
    assert!(refused(ALONE, NO_GATE) > 0.0);

    // Nobody can know that others have been refused before being refused once, so once for each time is the least that can be had.
    let times = day::bursts_of_others(&plan) as f64;
    assert!(times > 0.0);
    assert!(refused(SHARED, OURS) <= times);
    assert!(refused(SHARED, NO_GATE) > times);
}

#[test]
fn every_search_ends_in_one_way_and_no_wait_is_longer_than_the_budget() {
    let report = day::run(&Plan::small());
    let endings = [
        "answered",
        "refused by the provider",
        "refused locally",
        "timed out",
        "cancelled",
    ];
    for day in [ALONE, SHARED] {
        let total = |way| -> f64 {
            let counts = endings.map(|ending| value(&report, ending, day, way));
            counts.iter().sum()
        };
        for way in [OURS, NO_GATE, RESERVING, "governor"] {
            assert_eq!(total(way), total(OURS), "{way}");
        }
        assert!(value(&report, "answered", day, OURS) > 0.0);
        assert!(value(&report, "worst wait of those sent", day, OURS) <= 60.001);
        assert!(value(&report, "possible turns used", day, OURS) <= 100.0);
    }
}

#[test]
fn the_same_seed_plays_the_same_day() {
    let lines = || {
        let mut lines = Vec::new();
        let report = day::run(&Plan::small());
        report
            .print(&mut lines, search_gate_peers::report::Form::Json)
            .unwrap();
        lines
    };
    assert_eq!(lines(), lines());
}
