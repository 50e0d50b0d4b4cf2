//! Where the file of a gate is if none is named.

use super::*;
use crate::gate::share::file::place;

#[test]
fn a_directory_that_cannot_be_made_is_said_to_be_so() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    let error = Place::below(directory.gate().join("state/a.gate")).open();
    let error = error.unwrap_err().to_string();
    assert!(error.contains("directory cannot be made"), "{error}");
}

#[test]
fn the_default_file_is_named_after_the_gate() {
    let home = Directory::new();
    let named = |name: &str| place::path_below(Some(home.path().to_owned()), name).unwrap();
    let below = |path: PathBuf| path.strip_prefix(home.path()).unwrap().to_owned();
    let file = |name: &str| {
        named(name)
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    if cfg!(target_os = "linux") {
        let path = ".local/state/search-gate/duckduckgo.gate";
        assert_eq!(below(named("duckduckgo")), Path::new(path));
    }
    assert_eq!(file("my_gate-2"), "my_gate-2.gate");
    assert_eq!(file("../../x"), "%2E%2E%2F%2E%2E%2Fx.gate");
    assert_eq!(file("a\0b"), "a%00b.gate");
    assert_eq!(file("ü"), "%C3%BC.gate");
    assert_eq!(file(""), ".gate");
}

#[test]
fn a_name_too_long_for_a_file_is_refused() {
    let named = |length| place::path_below(Some(std::env::temp_dir()), &"x".repeat(length));
    let error = named(251).unwrap_err();
    assert!(error.to_string().contains("shorter name"), "{error}");
    assert!(named(250).is_ok());
}

#[test]
fn without_a_home_a_path_is_asked_for() {
    for home in [None, Some(""), Some("relative")] {
        let error = place::path_below(home.map(PathBuf::from), "x").unwrap_err();
        assert!(error.to_string().contains("shared_file_at"), "{error}");
    }
}

#[test]
fn the_home_is_the_users() {
    let path = Place::default_of("x").map(|place| place.path().to_owned());
    let below = place::path_below(std::env::home_dir(), "x");
    assert_eq!(path.ok(), below.ok());
}
