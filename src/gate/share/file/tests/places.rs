//! Which files are taken, and what is said of those that are not.

use std::{error::Error, io};

use super::*;
use crate::gate::{
    SearchGate,
    share::file::{FileError, Looker, opened},
};

/// Refused with a message that names the file and says as much; nothing is changed.
#[track_caller]
pub(super) fn check_refused(path: &Path, says: &[&str]) {
    let error = FileStore::open(path).unwrap_err().to_string();
    for part in says.iter().chain([&path.to_str().unwrap()]) {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_long_file_is_refused_and_left_as_it_is() {
    let directory = Directory::new();
    let text = "a diary\n".repeat(600);
    fs::write(directory.gate(), &text).unwrap();
    check_refused(&directory.gate(), &["4800 bytes"]);
    assert_eq!(fs::read_to_string(directory.gate()).unwrap(), text);
}

#[test]
fn a_file_that_holds_something_else_is_refused_and_left_as_it_is() {
    let directory = Directory::new();
    for text in ["api_key = \"precious\"", "\n", "\0s"] {
        fs::write(directory.gate(), text).unwrap();
        check_refused(&directory.gate(), &["something else", "name another file"]);
        assert_eq!(fs::read_to_string(directory.gate()).unwrap(), text);
    }
}

#[test]
fn a_directory_is_refused() {
    let directory = Directory::new();
    check_refused(directory.path(), &["it is a directory"]);
}

#[test]
fn an_empty_path_is_said_to_be_one() {
    let nowhere = Path::new("");
    let used = FileStore::open(nowhere).unwrap_err();
    let seen = Looker::open(nowhere).unwrap_err();
    for error in [used.to_string(), seen.to_string()] {
        assert!(error.contains("path is empty; name a file"), "{error}");
    }
}

#[test]
fn a_missing_directory_is_said_to_be_missing() {
    let directory = Directory::new();
    let path = directory.path().join("missing").join("a.gate");
    check_refused(&path, &["make its directory"]);
}

#[test]
fn what_the_operating_system_refuses_is_explained() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    let cases = [
        (io::ErrorKind::ReadOnlyFilesystem, "read-only"),
        (io::ErrorKind::PermissionDenied, "a file of this user's own"),
        (io::ErrorKind::Other, "cannot be opened"),
    ];
    for (kind, says) in cases {
        for path in [&directory.gate(), Path::new("/nowhere/a.gate")] {
            let error = opened::cannot(path, kind.into());
            assert!(error.to_string().contains(says), "{error}");
            let source = error.source().unwrap();
            assert!(source.is::<io::Error>());
        }
    }
}

#[test]
fn who_looks_makes_nothing_and_changes_nothing() {
    let world = World::new();
    let missing = Looker::open(&world.path()).unwrap_err();
    assert!(missing.to_string().contains("no gate"), "{missing}");
    assert!(!world.path().exists());
    for path in ["missing.gate", "missing/a.gate"] {
        let missing = Looker::open(Path::new(path)).unwrap_err();
        assert!(missing.to_string().contains("no gate"), "{missing}");
    }

    let store = FileStore::open(&world.path()).unwrap();
    let looker = Looker::open(&world.path()).unwrap();
    world.throttle(&Arc::new(store));
    let before = fs::read(world.path()).unwrap();
    let view = looker.look(&rules()).unwrap();
    assert!(view.memory.closed > BACKOFF - 10 * SECOND);
    assert_eq!(fs::read(world.path()).unwrap(), before);
}

#[test]
fn errors_are_errors() {
    fn is_error<E: Error + Send + Sync + 'static>() {}
    is_error::<FileError>();
}

#[test]
fn why_a_file_cannot_be_opened_is_the_source_of_the_error() {
    let directory = Directory::new();
    let gate = SearchGate::builder().shared_file_at(directory.path().join("missing/a.gate"));
    let error = gate.build().unwrap_err();
    let source = error.source().unwrap().downcast_ref::<io::Error>();
    assert_eq!(source.unwrap().kind(), io::ErrorKind::NotFound);
    assert_eq!(
        format!("{error:#}"),
        format!("{error}: {}", source.unwrap())
    );
}
