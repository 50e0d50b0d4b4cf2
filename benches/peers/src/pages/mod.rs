//! Ways to read a page of results, side by side: what that costs, and what each gets right.
//!
//! The pages are made after the provider's markup ([`corpus::made`]), or taken from a folder ([`saved::groups`]).
//!
//! # The subjects
//!
//! | column | what it does |
//! |---|---|
//! | `search-gate` | results through [`search_gate::PageReader`] as the page arrives: title, url, snippet, date, badge, icon, bold words; no ads, nothing hidden |
//! | `our page()` | the same, kept to the end with all that stands around the results |
//! | `our html` | the page's own bytes without its ads, through `PageReader::pass_html` |
//! | `our layer` | the same, as the body of an answer through the layer, a frame a chunk |
//! | `lol_html bare` | `lol_html` with no handlers and a sink that counts: what it costs to give it all of a page. Ours gives it what is not plain markup |
//! | `scraper` | parses the page and selects titles, urls and snippets |
//! | `tl` | the same in one walk over its nodes |
//!
//! scraper and tl **do less work**: they look for no date, badge, ad or hidden row. What that gets wrong is in the table of answers.
//!
//! # How to read the tables
//!
//! Times are CPU times of this thread for one page, fed in chunks of 16 KiB; scraper and tl get it whole. Subjects take turns, and a
//! cell is a median. In brackets stands the ratio to `search-gate`: at a time of `(6.5×)`, ours is 6.5 times as fast. A subject has a time
//! only where it has got something right. Ratios within a run are good to some percents; times move with the machine. The heap is warm, as
//! all subjects have run before: that flatters those who allocate much, scraper by a sixth and tl by half on pages of 36 KB where the
//! allocator had to give the memory back in between (glibc with `MALLOC_TRIM_THRESHOLD_=131072`).
//!
//! Memory is counted while nobody keeps what has been read, the page itself not among it. `our page()` keeps its results by its nature.
//!
//! "Right" are results whose title, url and snippet are the ones expected, white space aside; "wrong" is what else was given as a result,
//! an ad for one. Of who passes html on, right are the results still in it and wrong the links to ads left in it. Of saved pages, expected
//! is what a file `expected.jsonl` beside them says, as `{"file": "a.html", "results": [{"title": "", "url": "", "snippet": ""}]}` a line; of
//! a page that it does not name, what ours reads.

mod answers;
pub mod corpus;
mod cost;
mod profile;
pub mod saved;
pub mod subject;
mod trees;

use crate::{measure, report::Report};
use corpus::Group;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Bytes that each subject reads of each group of pages for a time; a long page is read 9 times at least.
    pub bytes: usize,
    /// Rounds at most.
    pub rounds: usize,
    /// Results of the long page that is made.
    pub long: usize,
}

impl Sizes {
    /// What the tables are made with.
    #[must_use]
    pub const fn full() -> Self {
        Self {
            bytes: 16 * 1024 * 1024,
            rounds: 301,
            long: 2150,
        }
    }

    /// As little as shows that it works.
    #[must_use]
    pub const fn small() -> Self {
        Self {
            bytes: 0,
            rounds: 1,
            long: 300,
        }
    }

    fn rounds_of(&self, group: &Group) -> usize {
        (self.bytes / group.bytes()).max(9).min(self.rounds)
    }
}

/// Measures every subject on these pages.
#[must_use]
pub fn run(sizes: &Sizes, groups: &[Group]) -> Report {
    let runtime = measure::runtime();
    let mut report = Report::default();
    let (answers, able) = answers::check(groups, &runtime);
    report.add(answers);
    for section in cost::measure(sizes, groups, &able, &runtime) {
        report.add(section);
    }
    report
}
