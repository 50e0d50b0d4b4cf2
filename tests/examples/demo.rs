//! The demo draws what it has seen, and the README shows such a picture.

use std::{fs, path::Path};

use percent_encoding::percent_decode_str;

use crate::{example, run};

/// Holds the picture, and the link definition that has it, against what should have happened.
fn check(file: &Path, link: &Path) {
    let svg = fs::read_to_string(file).unwrap();
    for text in [
        "Without the gate: 12 searches at once, 4 answered, 8 refused",
        "is refused until 46 s",
        "With the gate: 12 searches at once, 12 answered, 0 refused",
        "2.5 s from start to start",
    ] {
        assert!(svg.contains(text), "no {text} in {svg}");
    }
    // One more of each stands in the key.
    assert_eq!(svg.matches(r#"<circle class="answered""#).count(), 17);
    assert_eq!(svg.matches(r#"<path class="refused""#).count(), 9);
    assert!(svg.ends_with("</svg>\n"));

    let definition = fs::read_to_string(link).unwrap();
    let link = definition.strip_prefix("[picture]: data:image/svg+xml,");
    let drawn = percent_decode_str(link.unwrap().trim_end());
    assert_eq!(drawn.decode_utf8().unwrap(), svg);
}

#[tokio::test]
async fn the_demo_draws_what_happened() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, link) = (folder.join("burst.svg"), folder.join("burst.link"));
    let mut demo = example("demo");
    demo.arg("--svg").arg(&file).arg("--link").arg(&link);
    let ran = run(&mut demo).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    check(&file, &link);
}

#[tokio::test]
async fn a_picture_that_cannot_be_written_is_told_before_the_searches() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere/x.svg");
    for option in ["--svg", "--link"] {
        let ran = run(example("demo").arg(option).arg(&file)).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
        let why = format!("error: {} cannot be written: ", file.display());
        assert!(ran.stderr.starts_with(&why), "{}", ran.stderr);
    }
}

#[test]
fn the_readme_shows_what_the_demo_draws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let definition = "[picture]: ";
    let shown = readme
        .lines()
        .find_map(|line| line.strip_prefix(definition));
    let shown = root.join(shown.unwrap());
    check(&shown, &shown.with_extension("md"));
}
