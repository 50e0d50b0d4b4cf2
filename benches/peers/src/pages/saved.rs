//! Pages that somebody has saved.

use std::{collections::HashMap, fs, io, path::Path};

use search_gate::{Endpoint, Page as Read, PageKind};
use serde::Deserialize;

use super::corpus::{Found, Group, Page};

/// The pages of a folder: `.html` files, and `.httprr` recordings of a request and its answer. Grouped by what ours takes them for.
///
/// # Errors
///
/// When the folder or a page in it cannot be read, and when there is no page in it.
pub fn groups(folder: &Path) -> io::Result<Vec<Group>> {
    let expected = expected(folder)?;
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    files.sort();
    let mut groups: Vec<Group> = Vec::new();
    for file in &files {
        let Some(bytes) = page_in(file)? else {
            continue;
        };
        let name = file.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let read = Read::read(200, None, &bytes);
        let endpoint = read.endpoint.unwrap_or(Endpoint::Html);
        let group = match (read.kind, endpoint) {
            (PageKind::Results, Endpoint::Html) => "html with results",
            (PageKind::Results, _) => "lite with results",
            (PageKind::NoResults, _) => "no results",
            (PageKind::Challenge, _) => "challenges",
            _ => "of no known kind",
        };
        let page = Page {
            expected: match expected.get(&name) {
                Some(found) => found.clone(),
                None => read.results.into_iter().map(Found::from).collect(),
            },
            name,
            bytes: bytes.into(),
            endpoint,
        };
        match groups.iter_mut().find(|known| known.name == group) {
            Some(known) => known.pages.push(page),
            None => groups.push(Group {
                name: group.to_owned(),
                pages: vec![page],
            }),
        }
    }
    if groups.is_empty() {
        let why = "there is no .html and no .httprr file in it";
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    for group in &mut groups {
        group.name = format!("{}, {} pages", group.name, group.pages.len());
    }
    Ok(groups)
}

/// The page in a file, if it is one of those that hold pages.
fn page_in(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let extension = file.extension().unwrap_or_default();
    if extension == "html" {
        return fs::read(file).map(Some);
    }
    if extension != "httprr" {
        return Ok(None);
    }
    let recording = fs::read(file)?;
    let doctype = b"<!doctype";
    let start = recording
        .windows(doctype.len())
        .position(|window| window.eq_ignore_ascii_case(doctype));
    Ok(start.map(|start| recording[start..].to_vec()))
}

#[derive(Deserialize)]
struct Expectation {
    file: String,
    results: Vec<Found>,
}

fn expected(folder: &Path) -> io::Result<HashMap<String, Vec<Found>>> {
    let text = match fs::read_to_string(folder.join("expected.jsonl")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        text => text?,
    };
    text.lines()
        .map(|line| {
            let line: Expectation = serde_json::from_str(line)?;
            Ok((line.file, line.results))
        })
        .collect()
}
