//! What was measured, as tables for people or as lines for programs.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

/// The subject that all others are compared with.
pub const OURS: &str = "search-gate";

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A table for each section.
    Table,
    /// The same in Markdown.
    Markdown,
    /// One JSON object a line.
    Json,
}

/// Everything that a command has measured.
#[derive(Debug, Default)]
pub struct Report {
    sections: Vec<Section>,
}

/// Figures of the same subjects: one table.
#[derive(Debug)]
pub struct Section {
    title: String,
    /// What sets these figures apart from those of the same name elsewhere.
    scope: &'static str,
    /// Whether the table shows ratios beside the values.
    ratios: bool,
    figures: Vec<Figure>,
}

/// One figure, for every subject. `None` stands for what a subject cannot do.
#[derive(Debug)]
pub struct Figure {
    name: String,
    unit: &'static str,
    values: Vec<(&'static str, Option<f64>)>,
}

#[derive(Serialize)]
struct Line<'a> {
    figure: &'a str,
    subject: &'a str,
    value: Option<f64>,
    unit: &'a str,
    ratio: Option<f64>,
}

impl Report {
    /// One more table.
    pub fn add(&mut self, section: Section) {
        self.sections.push(section);
    }

    /// The value of a figure for a subject, if it has one.
    #[must_use]
    pub fn value(&self, figure: &str, subject: &str) -> Option<f64> {
        let mut sections = self.sections.iter();
        sections.find_map(|section| {
            let mut figures = section.figures.iter();
            let found = figures.find(|candidate| section.full_name(candidate) == figure);
            found?.value(subject)
        })
    }

    /// Prints all of it.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written to.
    pub fn print(&self, out: &mut impl Write, form: Form) -> io::Result<()> {
        for section in &self.sections {
            match form {
                Form::Json => section.print_lines(out)?,
                Form::Table => writeln!(out, "{}\n{}\n", section.title, section.table())?,
                Form::Markdown => {
                    let mut table = section.table();
                    table.load_style(presets::ASCII_MARKDOWN);
                    writeln!(out, "{}:\n\n{table}\n", section.title)?;
                }
            }
        }
        Ok(())
    }
}

impl Section {
    /// A table whose cells show each value and, in brackets, its ratio to ours.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            scope: "",
            ratios: true,
            figures: Vec::new(),
        }
    }

    /// Sets the figures apart from those of the same name in other sections: `name, scope`, where no title tells it.
    #[must_use]
    pub fn scope(mut self, scope: &'static str) -> Self {
        self.scope = scope;
        self
    }

    /// Leaves the ratios out of the table.
    #[must_use]
    pub fn without_ratios(mut self) -> Self {
        self.ratios = false;
        self
    }

    /// One more row.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        unit: &'static str,
        values: impl IntoIterator<Item = (&'static str, Option<f64>)>,
    ) {
        self.figures.push(Figure {
            name: name.into(),
            unit,
            values: values.into_iter().collect(),
        });
    }

    /// Every subject once, in the order in which the figures name them.
    fn subjects(&self) -> Vec<&'static str> {
        let mut subjects = Vec::new();
        for (subject, _) in self.figures.iter().flat_map(|figure| &figure.values) {
            if !subjects.contains(subject) {
                subjects.push(*subject);
            }
        }
        subjects
    }

    fn full_name(&self, figure: &Figure) -> String {
        match self.scope {
            "" => figure.name.clone(),
            scope => format!("{}, {scope}", figure.name),
        }
    }

    fn table(&self) -> Table {
        let subjects = self.subjects();
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED);
        table.set_header([""].iter().chain(&subjects));
        for figure in &self.figures {
            let cells = subjects
                .iter()
                .map(|subject| figure.cell(subject, self.ratios));
            let name = match figure.unit {
                "" => figure.name.clone(),
                unit => format!("{}, {unit}", figure.name),
            };
            table.add_row([name].into_iter().chain(cells));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    fn print_lines(&self, out: &mut impl Write) -> io::Result<()> {
        for figure in &self.figures {
            for &(subject, value) in &figure.values {
                let line = Line {
                    figure: &self.full_name(figure),
                    subject,
                    value,
                    unit: figure.unit,
                    ratio: figure.ratio(subject),
                };
                writeln!(out, "{}", serde_json::to_string(&line)?)?;
            }
        }
        Ok(())
    }
}

impl Figure {
    fn value(&self, subject: &str) -> Option<f64> {
        let found = self.values.iter().find(|(name, _)| *name == subject);
        found.and_then(|(_, value)| *value)
    }

    /// To ours; there is none to a zero.
    fn ratio(&self, subject: &str) -> Option<f64> {
        let ours = self.value(OURS).filter(|ours| *ours != 0.0)?;
        Some(self.value(subject)? / ours)
    }

    fn cell(&self, subject: &str, ratios: bool) -> String {
        let Some(value) = self.value(subject) else {
            return "–".into();
        };
        match self.ratio(subject) {
            Some(ratio) if ratios && subject != OURS => {
                format!("{} ({}×)", readable(value), readable(ratio))
            }
            _ => readable(value),
        }
    }
}

/// Three digits or so, and thousands set apart.
#[must_use]
pub fn readable(value: f64) -> String {
    let decimals = match value.abs() {
        _ if value.fract() == 0.0 => 0,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    // What rounds to nothing has no sign.
    let text = match text.trim_matches(['-', '0', '.']) {
        "" => text.trim_start_matches('-'),
        _ => &text,
    };
    let (whole, rest) = text
        .split_once('.')
        .map_or((text, ""), |(whole, _)| (whole, &text[whole.len()..]));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && left % 3 == 0 && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// A number in the name of a figure.
#[must_use]
pub fn count(number: usize) -> String {
    readable(number as f64)
}
