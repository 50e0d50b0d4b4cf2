//! What each subject gets right, before anything is timed.

use memchr::memmem;
use tokio::runtime::Runtime;

use super::corpus::{Found, Group, Page};
use super::cost::CHUNK;
use super::subject::{Out, Subject};
use crate::report::{Section, count};

/// Which subjects have got something right in each group, and so may be timed there.
pub(super) type Able = Vec<Vec<Subject>>;

#[derive(Debug, Clone, Copy, Default)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn is_perfect(self) -> bool {
        self.wrong == 0 && self.missed == 0
    }
}

pub(super) fn check(groups: &[Group], runtime: &Runtime) -> (Section, Able) {
    let mut section = Section::new(
        "Answers: results that are right by title, url and snippet, and what is given as a result and is none. \
         Of html passed on: results still in it, and links to ads left in it. scraper and tl do not look for ads and badges",
    )
    .without_ratios();
    let mut able = Vec::new();
    for group in groups {
        let scores: Vec<_> = Subject::ALL
            .iter()
            .map(|&subject| {
                let pages = group.pages.iter();
                let scores: Option<Vec<_>> =
                    pages.map(|page| score(subject, page, runtime)).collect();
                (subject, scores)
            })
            .collect();
        let row = |of: &dyn Fn(&[Score]) -> usize| {
            let values = scores.iter().map(|(subject, scores)| {
                let value = scores.as_deref().map(|scores| of(scores) as f64);
                (subject.name(), value)
            });
            values.collect::<Vec<_>>()
        };
        let right = |scores: &[Score]| scores.iter().map(|score| score.right).sum();
        let wrong = |scores: &[Score]| scores.iter().map(|score| score.wrong).sum();
        let all = count(group.results());
        section.add(format!("{}: right, of {all}", group.name), "", row(&right));
        section.add(format!("{}: wrong", group.name), "", row(&wrong));
        if group.pages.len() > 1 {
            for (index, page) in group.pages.iter().enumerate() {
                let all_perfect = scores.iter().all(|(_, scores)| {
                    let score = scores.as_ref().map(|scores| scores[index]);
                    score.is_none_or(Score::is_perfect)
                });
                if !all_perfect {
                    let faults = |scores: &[Score]| scores[index].wrong + scores[index].missed;
                    let name = format!("  {}: wrong or missed", page.name);
                    section.add(name, "", row(&faults));
                }
            }
        }
        let has_sense = |scores: &[Score]| right(scores) > 0 || group.results() == 0;
        let sensible = scores
            .iter()
            .filter(|(_, scores)| scores.as_deref().is_none_or(has_sense));
        able.push(sensible.map(|(subject, _)| *subject).collect());
    }
    (section, able)
}

/// `None` for who gives neither results nor html, after a look at whether all of the page went through it.
fn score(subject: Subject, page: &Page, runtime: &Runtime) -> Option<Score> {
    let mut found = Vec::new();
    let mut html = Vec::new();
    let mut seen = 0;
    subject.ready(page, CHUNK, runtime)(&mut |out| match out {
        Out::Result(result) => found.push(result),
        Out::Html(slice) => html.extend_from_slice(&slice),
        Out::Seen(bytes) => seen += bytes,
    });
    if subject.finds_results() {
        return Some(compare(page, found));
    }
    if subject.passes_html() {
        let ads = memmem::find_iter(&html, b"duckduckgo.com%2Fy.js").count()
            + memmem::find_iter(&html, b"duckduckgo.com/y.js").count();
        let passed = Page {
            bytes: html.into(),
            ..page.clone()
        };
        let mut found = Vec::new();
        Subject::Results.ready(&passed, CHUNK, runtime)(&mut |out| {
            if let Out::Result(result) = out {
                found.push(result);
            }
        });
        return Some(Score {
            wrong: ads,
            ..compare(page, found)
        });
    }
    assert_eq!(
        seen,
        page.bytes.len(),
        "the floor is that of the whole page"
    );
    None
}

fn compare(page: &Page, found: Vec<Found>) -> Score {
    let mut expected: Vec<_> = page
        .expected
        .iter()
        .map(|result| Some(result.clone().collapsed()))
        .collect();
    let mut score = Score::default();
    // Mostly they come in the same order, so the search for each begins where the last was found.
    let mut from = 0;
    for result in found.into_iter().map(|result| Some(result.collapsed())) {
        let (before, after) = expected.split_at(from);
        let found = after
            .iter()
            .position(|other| *other == result)
            .map(|at| from + at)
            .or_else(|| before.iter().position(|other| *other == result));
        match found {
            Some(at) => {
                score.right += 1;
                expected[at] = None;
                from = at + 1;
            }
            None => score.wrong += 1,
        }
    }
    score.missed = expected.iter().flatten().count();
    score
}
