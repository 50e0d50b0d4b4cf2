//! Reads saved pages and prints a JSON line for each. Needs no feature; the sample needs `test-util`.
//!
//! ```text
//! cargo run --example read_page -- FILE...
//! cargo run --example read_page -- --sample
//! ```
//!
//! A file may be a page, or a recording of a request and its response (`.httprr`). What is wrong with a file is told on standard error, and the
//! others are read nevertheless.

mod common;

use clap::Parser;
use common::{CALLED, eprintln, println};
use search_gate::{Endpoint, Page, PageKind, testing::ResultPage};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXIT_CODES: &str = "Exit codes:
  0 all are pages
  1 a file cannot be read
  2 wrong arguments
  6 a file is not one of the provider's pages";

/// Reads saved pages, and prints a line of JSON for each
#[derive(Parser)]
#[command(bin_name = CALLED, after_help = EXIT_CODES)]
struct Arguments {
    /// Read a page of the stand-in
    #[arg(long)]
    sample: bool,
    /// Pages, or recordings of a request and its response (.httprr)
    #[arg(required_unless_present = "sample", value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.sample {
        let html = ResultPage::new("tower middleware").ads(1).to_html();
        let page = Page::read(200, None, html.as_bytes());
        println!("{}", line(Path::new("the sample"), &page));
    }
    let (mut unread, mut unrecognised) = (false, false);
    for path in &arguments.files {
        match read(path) {
            Ok(page) => {
                println!("{}", line(path, &page));
                // A challenge is no answer, and yet a page that can be read.
                if page.kind == PageKind::Unrecognised
                    && let Err(why) = page.ok()
                {
                    eprintln!("{}: {why}", path.display());
                    unrecognised = true;
                }
            }
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                unread = true;
            }
        }
    }
    match (unread, unrecognised) {
        (true, _) => ExitCode::FAILURE,
        (false, true) => ExitCode::from(6),
        (false, false) => ExitCode::SUCCESS,
    }
}

fn read(path: &Path) -> Result<Page, String> {
    let bytes = fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    if path
        .extension()
        .is_some_and(|extension| extension == "httprr")
    {
        recorded(&bytes)
    } else {
        Ok(Page::read(200, None, &bytes))
    }
}

/// Reads the response in a recording: its status line and headers, then the page.
fn recorded(bytes: &[u8]) -> Result<Page, String> {
    let find = |needle: &[u8]| {
        bytes
            .windows(needle.len())
            .position(|window| window.eq_ignore_ascii_case(needle))
    };
    let start = find(b"<!doctype").ok_or("is a recording without a page in it")?;
    let head = String::from_utf8_lossy(&bytes[..start]);
    // The request's head comes first, so what counts is the last of each.
    let mut status = head
        .lines()
        .filter(|line| line.starts_with("HTTP/"))
        .filter_map(|line| line.split(' ').nth(1)?.parse().ok());
    let content_type = head.lines().rev().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-type")
            .then(|| value.trim())
    });
    Ok(Page::read(
        status.next_back().unwrap_or(200),
        content_type,
        &bytes[start..],
    ))
}

fn line(path: &Path, page: &Page) -> Value {
    let results: Vec<_> = page
        .results
        .iter()
        .map(|result| {
            json!({
                "title": result.title,
                "url": result.url,
                "snippet": result.snippet,
                "date": result.published.as_ref().map(|published| &published.text),
                "badge": result.file_type,
            })
        })
        .collect();
    let next = page.next.as_ref().and_then(|next| next.form().ok());
    let next = next.map(|form| {
        form_urlencoded::parse(form.body.as_bytes())
            .map(|(name, value)| (name.into_owned(), Value::from(value)))
            .collect::<Map<_, _>>()
    });
    let zero_click = page.zero_click.as_ref().map(|zero| {
        // A text that begins with its heading needs none before it.
        let heading = zero
            .heading
            .as_deref()
            .filter(|heading| !zero.text.starts_with(heading));
        let text = format!("{} {}", heading.unwrap_or_default(), zero.text);
        text.trim().chars().take(200).collect::<String>()
    });
    json!({
        "file": path.to_string_lossy(),
        "endpoint": page.endpoint.map(|endpoint| match endpoint {
            Endpoint::Html => "html",
            Endpoint::Lite => "lite",
            _ => "other",
        }),
        "kind": match page.kind {
            PageKind::Results => "results",
            PageKind::NoResults => "no-results",
            PageKind::Challenge => "challenge",
            _ => "unrecognised",
        },
        "organic": page.results.len(),
        "ads": page.ads_dropped,
        "zero_click": zero_click,
        "spelling": page.spelling.as_ref().map(|spelling| &spelling.text),
        "next": next,
        "results": results,
    })
}
