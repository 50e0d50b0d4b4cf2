//! What reading costs: time, allocations, memory, and the time to the first result.

use std::{hint::black_box, ops::Range, time::Duration};

use tokio::runtime::Runtime;

use super::answers::Able;
use super::corpus::{Group, Page};
use super::subject::{Out, Subject, Work};
use super::{Sizes, profile};
use crate::{
    measure::{Timed, cpu, cpu_clock, medians},
    report::Section,
};

/// What a network hands on at once, mostly.
pub(super) const CHUNK: usize = 16 * 1024;
/// As a slow one does.
const SMALL_CHUNK: usize = 1024;

pub(super) fn measure(
    sizes: &Sizes,
    groups: &[Group],
    able: &Able,
    runtime: &Runtime,
) -> [Section; 3] {
    let profile = profile::name();
    let mut times = Section::new(format!(
        "Time: CPU time for a page in chunks of 16 KiB, in brackets the ratio to ours ({profile}). scraper and tl do less work"
    ));
    let mut first = Section::new(format!(
        "The first result: CPU time until it is there ({profile}). scraper and tl parse the whole page for it"
    ));
    let mut memory = Section::new(
        "Memory: counted while results and html are dropped as they come; our page() keeps its results",
    );
    for (group, able) in groups.iter().zip(able) {
        let rounds = sizes.rounds_of(group);
        let timed = medians(rounds, subjects(able, group, runtime, CHUNK, to_the_end));
        let pages = group.pages.len() as f64;
        times.add(
            format!("{}: a page", group.name),
            "µs",
            timed
                .iter()
                .map(|&(name, time)| (name, Some(micros(time) / pages))),
        );
        times.add(
            format!("{}: throughput", group.name),
            "MB/s",
            timed
                .iter()
                .map(|&(name, time)| (name, Some(group.bytes() as f64 / micros(time)))),
        );
        let finders: Vec<_> = able
            .iter()
            .copied()
            .filter(|subject| subject.finds_results() && *subject != Subject::Page)
            .collect();
        if group.results() > 0 {
            for (name, chunk) in [("16 KiB", CHUNK), ("1 KiB", SMALL_CHUNK)] {
                let timed = medians(rounds, subjects(&finders, group, runtime, chunk, to_first));
                first.add(
                    format!("{}: chunks of {name}", group.name),
                    "µs",
                    timed
                        .iter()
                        .map(|&(name, time)| (name, Some(micros(time) / pages))),
                );
            }
        }
        remember(&mut memory, group, able, runtime);
    }
    [times, first, memory]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn to_the_end(work: Work<'_>) -> Duration {
    cpu(|| work(&mut |out| drop(black_box(out))))
}

fn to_first(work: Work<'_>) -> Duration {
    let begun = cpu_clock();
    let mut first = None;
    work(&mut |out| {
        first.get_or_insert_with(cpu_clock);
        drop(black_box(out));
    });
    first.map_or(Duration::ZERO, |first| first - begun)
}

/// Each subject on all pages of the group, timed by `time`.
fn subjects<'a>(
    able: &[Subject],
    group: &'a Group,
    runtime: &'a Runtime,
    chunk: usize,
    time: fn(Work<'_>) -> Duration,
) -> Vec<Timed<'a>> {
    let timed = |&subject: &Subject| -> Timed<'a> {
        let run = move || {
            let pages = group.pages.iter();
            pages
                .map(|page| time(subject.ready(page, chunk, runtime)))
                .sum()
        };
        (subject.name(), Box::new(run))
    };
    able.iter().map(timed).collect()
}

/// The allocator's account of one page.
struct Account {
    allocations: u64,
    peak: u64,
    html: usize,
    /// How much of it lies where the page itself lies.
    uncopied: usize,
}

fn account(subject: Subject, page: &Page, runtime: &Runtime) -> Account {
    let input = addresses(&page.bytes);
    let (mut html, mut uncopied) = (0, 0);
    let work = subject.ready(page, CHUNK, runtime);
    let counted = allocation_counter::measure(|| {
        work(&mut |out| {
            if let Out::Html(slice) = &out {
                let output = addresses(slice);
                html += slice.len();
                if input.start <= output.start && output.end <= input.end {
                    uncopied += slice.len();
                }
            }
            drop(black_box(out));
        });
    });
    Account {
        allocations: counted.count_total,
        peak: counted.bytes_max,
        html,
        uncopied,
    }
}

fn addresses(bytes: &[u8]) -> Range<usize> {
    let range = bytes.as_ptr_range();
    range.start.addr()..range.end.addr()
}

fn remember(section: &mut Section, group: &Group, able: &[Subject], runtime: &Runtime) {
    let accounts: Vec<_> = able
        .iter()
        .map(|&subject| {
            let pages = group.pages.iter();
            let accounts: Vec<_> = pages.map(|page| account(subject, page, runtime)).collect();
            (subject, accounts)
        })
        .collect();
    let mut add = |figure: &str, unit, value: &dyn Fn(&[Account]) -> Option<f64>| {
        let values = accounts
            .iter()
            .map(|(subject, accounts)| (subject.name(), value(accounts)));
        section.add(format!("{}: {figure}", group.name), unit, values);
    };
    let results = group.results();
    let per = if results > 0 {
        results
    } else {
        group.pages.len()
    };
    let name = if results > 0 {
        "allocations a result"
    } else {
        "allocations a page"
    };
    add(name, "", &|accounts| {
        let allocations: u64 = accounts.iter().map(|account| account.allocations).sum();
        Some(allocations as f64 / per as f64)
    });
    add("peak live memory", "KiB", &|accounts| {
        let peak = accounts.iter().map(|account| account.peak).max()?;
        Some(peak as f64 / 1024.0)
    });
    add("html that is no copy", "%", &|accounts| {
        let html: usize = accounts.iter().map(|account| account.html).sum();
        let uncopied: usize = accounts.iter().map(|account| account.uncopied).sum();
        (html > 0).then(|| 100.0 * uncopied as f64 / html as f64)
    });
}
