//! Which files are taken, and what is said of those that are not.

use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::{error::Error, io};

use super::*;
use crate::gate::{
    SearchGate,
    share::file::{FileError, Looker, opened, platform::network_file_system},
};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Refused with a message that names the file and says as much; nothing is changed.
#[track_caller]
fn check_refused(path: &Path, says: &[&str]) {
    let error = FileStore::open(path).unwrap_err().to_string();
    for part in says.iter().chain([&path.to_str().unwrap()]) {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_new_file_is_private() {
    let directory = Directory::new();
    FileStore::open(&directory.gate()).unwrap();
    assert_eq!(mode(&directory.gate()), 0o600);
}

#[test]
fn a_file_that_others_can_read_is_made_private() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    set_mode(&directory.gate(), 0o644);
    FileStore::open(&directory.gate()).unwrap();
    assert_eq!(mode(&directory.gate()), 0o600);
}

#[test]
fn the_mode_of_a_file_that_is_private_already_is_left() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    set_mode(&directory.gate(), 0o700);
    FileStore::open(&directory.gate()).unwrap();
    assert_eq!(mode(&directory.gate()), 0o700);
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    for others in [0o660, 0o602, 0o666] {
        set_mode(&directory.gate(), others);
        check_refused(&directory.gate(), &[&format!("mode {others:03o}"), "600"]);
    }
}

#[test]
fn a_symbolic_link_is_refused_and_nothing_is_made_behind_it() {
    let directory = Directory::new();
    let target = directory.0.join("target");
    symlink(&target, directory.gate()).unwrap();
    check_refused(&directory.gate(), &["symbolic link"]);
    assert!(!target.exists());
    fs::write(&target, "").unwrap();
    check_refused(&directory.gate(), &["symbolic link"]);
    assert!(Looker::open(&directory.gate()).is_err());
}

#[test]
fn a_file_with_two_names_is_refused() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    fs::hard_link(directory.gate(), directory.0.join("other")).unwrap();
    check_refused(&directory.gate(), &["2 names"]);
}

#[test]
fn a_file_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    chown(directory.gate(), Some(4711), None).unwrap();
    check_refused(&directory.gate(), &["user 4711"]);
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let directory = Directory::new();
    check_refused(&directory.0, &["directory"]);
    check_refused(Path::new("/dev/null"), &["regular"]);
    rustix::fs::mkfifoat(rustix::fs::CWD, directory.gate(), 0o600.into()).unwrap();
    check_refused(&directory.gate(), &["regular"]);
    assert!(Looker::open(&directory.gate()).is_err());
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
        set_mode(&directory.gate(), 0o644);
        check_refused(&directory.gate(), &["something else", "name another file"]);
        assert_eq!(fs::read_to_string(directory.gate()).unwrap(), text);
        assert_eq!(mode(&directory.gate()), 0o644);
    }
}

#[test]
fn a_missing_directory_is_said_to_be_missing() {
    let directory = Directory::new();
    let path = directory.0.join("missing").join("a.gate");
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
fn network_file_systems_are_known() {
    for (kinds, name) in [
        (&[0x6969][..], "NFS"),
        (&[0x517b, 0xff53_4d42, 0xfe53_4d42], "SMB"),
        (&[0x5346_414f], "AFS"),
    ] {
        for &kind in kinds {
            assert_eq!(network_file_system(kind), Some(name));
        }
    }
    const EXT4: u32 = 0xef53;
    const TMPFS: u32 = 0x0102_1994;
    assert_eq!([EXT4, TMPFS].map(network_file_system), [None, None]);
}

#[test]
fn who_looks_makes_nothing_and_changes_nothing() {
    let world = World::new();
    let missing = Looker::open(&world.path()).unwrap_err();
    assert!(missing.to_string().contains("no gate"), "{missing}");
    assert!(!world.path().exists());

    let store = FileStore::open(&world.path()).unwrap();
    let looker = Looker::open(&world.path()).unwrap();
    world.throttle(&Arc::new(store));
    set_mode(&world.path(), 0o400);
    let before = fs::read(world.path()).unwrap();
    let view = looker.look(&rules()).unwrap();
    assert!(view.memory.closed > BACKOFF - 10 * SECOND);
    assert_eq!(fs::read(world.path()).unwrap(), before);
    assert_eq!(mode(&world.path()), 0o400);
}

#[test]
fn errors_are_errors() {
    fn is_error<E: Error + Send + Sync + 'static>() {}
    is_error::<FileError>();
}

#[test]
fn why_a_file_cannot_be_opened_is_the_source_of_the_error() {
    let directory = Directory::new();
    let gate = SearchGate::builder().shared_file_at(directory.0.join("missing/a.gate"));
    let error = gate.build().unwrap_err();
    let source = error.source().unwrap().downcast_ref::<io::Error>();
    assert_eq!(source.unwrap().kind(), io::ErrorKind::NotFound);
}
