//! What became of each search, over time, as a picture for the README.

use std::{
    fmt::{self, Write},
    fs::{self, OpenOptions},
    io,
    path::Path,
    time::Duration,
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use search_gate::testing::{Entry, Outcome, StandIn};

/// Pixels.
const SECOND: f64 = 14.0;
const LANE: f64 = 11.0;
const LEFT: f64 = 24.0;
const PANEL: f64 = 172.0;
const TOP: f64 = 44.0;

const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#59636e}.head{font-weight:600;fill:#1f2328}\
    .grid{stroke:#d1d9e0}.waits{stroke:#afb8c1;stroke-width:2}.answered{fill:#1a7f37}\
    .refused{stroke:#cf222e;stroke-width:2}.closed{fill:#ffebe9;fill-opacity:.7}";

/// What a link's destination may have in it as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'/')
    .remove(b':')
    .remove(b';')
    .remove(b'=');

/// What a stand-in saw of one run.
pub(crate) struct Run {
    log: Vec<Entry>,
    refused_for: Option<Duration>,
    smallest_gap: Option<Duration>,
}

impl Run {
    pub(crate) fn of(provider: &StandIn) -> Self {
        Self {
            log: provider.log(),
            refused_for: provider.refused_for(),
            smallest_gap: provider.smallest_gap(),
        }
    }
}

/// Whether [`write`] will be able to, without a change to what is there.
pub(crate) fn can_be_written(file: &Path) -> Result<(), String> {
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened.map(drop).map_err(|error| cannot(file, &error))
}

pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| cannot(file, &error))
}

fn cannot(file: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}", file.display())
}

/// The picture as a link definition, for rustdoc, which cannot show files.
pub(crate) fn link_definition(svg: &str) -> String {
    let link = utf8_percent_encode(svg, ESCAPED);
    format!("[picture]: data:image/svg+xml,{link}\n")
}

pub(crate) fn svg(without: &Run, with: &Run) -> Result<String, fmt::Error> {
    let mut svg = String::new();
    draw(&mut svg, without, with)?;
    Ok(svg)
}

fn draw(svg: &mut String, without: &Run, with: &Run) -> fmt::Result {
    let (right, bottom) = (x(50.0), TOP + 2.0 * PANEL - 36.0);
    let (width, height) = (right + LEFT, bottom + 48.0);
    writeln!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>Searches sent at once, without the gate and with it</title>
<style>{STYLE}</style>
<rect width="100%" height="100%" rx="8" fill="#fff"/>"##
    )?;
    for seconds in (0..=50).step_by(10) {
        let x = x(f64::from(seconds));
        writeln!(
            svg,
            r#"<path class="grid" d="M{x} {TOP}V{bottom}"/><text x="{x}" y="{}" text-anchor="middle">{seconds} s</text>"#,
            bottom + 18.0
        )?;
    }
    panel(svg, "Without the gate", TOP, without)?;
    panel(svg, "With the gate", TOP + PANEL, with)?;
    let legend = bottom + 36.0;
    writeln!(
        svg,
        r#"<circle class="answered" cx="{LEFT}" cy="{}" r="4"/><text x="{}" y="{legend}">answered</text>"#,
        legend - 4.0,
        LEFT + 10.0
    )?;
    cross(svg, LEFT + 90.0, legend - 4.0)?;
    writeln!(
        svg,
        r#"<text x="{}" y="{legend}">refused: status 202 and a challenge page</text></svg>"#,
        LEFT + 100.0
    )
}

fn panel(svg: &mut String, name: &str, top: f64, run: &Run) -> fmt::Result {
    let count = |outcome| {
        run.log
            .iter()
            .filter(|entry| entry.outcome == outcome)
            .count()
    };
    let (answered, refused) = (count(Outcome::Answered), count(Outcome::Refused));
    writeln!(
        svg,
        r#"<text class="head" x="{LEFT}" y="{}">{name}: {} searches at once, {answered} answered, {refused} refused</text>"#,
        top - 12.0,
        run.log.len()
    )?;
    let begun = run.log.first().map_or(Duration::ZERO, |entry| entry.at);
    let since = |at: Duration| at.saturating_sub(begun).as_secs_f64();
    if let (Some(left), Some(last)) = (run.refused_for, run.log.last()) {
        let until = since(last.at + left);
        writeln!(
            svg,
            r#"<rect class="closed" x="{LEFT}" y="{top}" width="{:.1}" height="{:.1}"/>
<text x="{}" y="{}">whatever this address asks is refused until {until:.0} s</text>"#,
            until * SECOND,
            LANE * run.log.len() as f64,
            x(3.0),
            top + 70.0
        )?;
    } else if let Some(gap) = run.smallest_gap {
        writeln!(
            svg,
            r#"<text x="{}" y="{}">each waits for its turn; {:.1} s from start to start</text>"#,
            x(21.0),
            top + 40.0,
            gap.as_secs_f64()
        )?;
    }
    for (lane, entry) in run.log.iter().enumerate() {
        let (at, y) = (x(since(entry.at)), top + LANE * (lane as f64 + 0.5));
        match entry.outcome {
            Outcome::Answered => writeln!(
                svg,
                r#"<path class="waits" d="M{LEFT} {y}H{at:.0}"/><circle class="answered" cx="{at:.0}" cy="{y}" r="4"/>"#
            )?,
            _ => cross(svg, at, y)?,
        }
    }
    Ok(())
}

fn cross(svg: &mut String, x: f64, y: f64) -> fmt::Result {
    writeln!(
        svg,
        r#"<path class="refused" d="M{:.0} {}l7 7m0-7l-7 7"/>"#,
        x - 3.5,
        y - 3.5
    )
}

fn x(seconds: f64) -> f64 {
    LEFT + SECOND * seconds
}
