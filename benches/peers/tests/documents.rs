//! The documents tell what the commands that they name give. The day goes by a paused clock, so its figures are the same everywhere.

use std::{fs, path::Path};

use search_gate_peers::{
    day::{self, ALONE, Plan, SHARED},
    report::{Form, OURS, readable},
};

fn document(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn the_figures_of_the_day_stand_in_the_guide_and_in_the_readme() {
    let report = day::run(&Plan::full());

    let mut tables = Vec::new();
    report.print(&mut tables, Form::Markdown).unwrap();
    let tables = String::from_utf8(tables).unwrap();
    let guide = document("src/guide/day.md");
    assert!(tables.lines().count() > 20);
    for line in tables.lines() {
        assert!(guide.lines().any(|told| told == line), "not told: {line}");
    }

    let readme = document("README.md");
    for (figure, day, unit) in [
        ("answered", ALONE, ""),
        ("refused by the provider", ALONE, ""),
        ("refused by the provider", SHARED, ""),
        ("mean time until told no", ALONE, " s"),
    ] {
        let cells = [OURS, "no gate", "governor", "reserve and sleep"].map(|way| {
            let value = report.value(&format!("{figure}, {day}"), way).unwrap();
            match unit {
                "" => format!("{} | ", readable(value)),
                unit => format!("{value:.1}{unit} | "),
            }
        });
        let row = cells.concat();
        assert!(readme.contains(row.trim_end()), "{figure}, {day}: {row}");
    }
}
