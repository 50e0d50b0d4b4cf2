//! What `read_page` prints for saved pages, and its exit codes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use search_gate::testing::ResultPage;
use serde_json::Value;

use crate::{Ran, example, run};

/// Some files, made once for all tests.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("read_page");
    let page = ResultPage::new("tea").results(2).to_html();
    fs::create_dir_all(folder.join("within")).unwrap();
    fs::write(folder.join("within/tea.html"), &page).unwrap();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    fs::write(folder.join("tea.httprr"), format!("{head}{page}")).unwrap();
    fs::write(folder.join("other.md"), "# Not a page\n").unwrap();
    folder
});

async fn read(files: &[&str]) -> Ran {
    run(example("read_page").current_dir(&*FOLDER).args(files)).await
}

fn lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn each_page_is_a_line_with_its_path_as_given() {
    let files = ["within/tea.html", "./tea.httprr"];
    let ran = read(&files).await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let pages = lines(&ran);
    assert_eq!(pages.len(), 2);
    for (page, file) in pages.iter().zip(files) {
        assert_eq!(page["file"], file);
        assert_eq!(page["kind"], "results");
        assert_eq!(page["organic"], 2);
    }
}

#[tokio::test]
async fn a_file_that_is_no_page_is_6_and_the_others_are_read() {
    let ran = read(&["other.md", "within/tea.html"]).await;
    assert_eq!(ran.code, Some(6));
    assert_eq!(
        ran.stderr,
        "other.md: the page is not one of the provider's result pages: the body is not html\n"
    );
    let pages = lines(&ran);
    assert_eq!(pages[0]["kind"], "unrecognised");
    assert_eq!(pages[1]["kind"], "results");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_1_whatever_the_others_are() {
    let ran = read(&["missing.html", "other.md", "within/tea.html"]).await;
    assert_eq!(ran.code, Some(1));
    let why = "missing.html: cannot be read: ";
    assert!(ran.stderr.starts_with(why), "{}", ran.stderr);
    assert_eq!(lines(&ran).len(), 2);
}

#[tokio::test]
async fn without_a_file_there_is_nothing_to_do() {
    let ran = read(&[]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    let why = "were not provided:\n  <FILE>...\n\nUsage: ";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}

#[tokio::test]
async fn help_lists_the_exit_codes() {
    let help = read(&["--help"]).await.stdout;
    for expected in [
        "  0 all are pages\n",
        "  1 a file cannot be read\n",
        "  6 a file is not one of the provider's pages\n",
    ] {
        assert!(help.contains(expected), "{expected} in {help}");
    }
}

#[tokio::test]
async fn a_sample_is_at_hand() {
    let ran = read(&["--sample"]).await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let line: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(line["results"].as_array().unwrap().len(), 10);
}
