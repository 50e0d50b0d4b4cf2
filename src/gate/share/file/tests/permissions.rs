//! Who may read and write the file, and what else may stand there, on Unix.

use std::os::unix::fs::{PermissionsExt, chown, symlink};

use super::{places::check_refused, *};
#[cfg(target_os = "linux")]
use crate::gate::share::file::platform::network_file_system;
use crate::gate::share::file::{Looker, place};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
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
    let target = directory.path().join("target");
    symlink(&target, directory.gate()).unwrap();
    check_refused(&directory.gate(), &["symbolic link"]);
    assert!(!target.exists());
    fs::write(&target, "").unwrap();
    check_refused(&directory.gate(), &["symbolic link"]);
    let error = Looker::open(&directory.gate()).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
}

#[test]
fn a_file_that_is_refused_keeps_its_mode() {
    let directory = Directory::new();
    fs::write(directory.gate(), "api_key = \"precious\"").unwrap();
    set_mode(&directory.gate(), 0o644);
    check_refused(&directory.gate(), &["something else"]);
    assert_eq!(mode(&directory.gate()), 0o644);
}

#[test]
fn who_looks_needs_no_right_to_write() {
    let world = World::new();
    world.throttle(&world.open());
    set_mode(&world.path(), 0o400);
    let looker = Looker::open(&world.path()).unwrap();
    assert!(looker.look(&rules()).is_some());
    assert_eq!(mode(&world.path()), 0o400);
}

/// Linux has such a directory.
#[cfg(target_os = "linux")]
#[test]
fn where_no_file_can_be_made_is_said() {
    check_refused(
        Path::new("/proc/a.gate"),
        &["none can be made", "elsewhere"],
    );
}

#[test]
fn a_file_with_two_names_is_refused() {
    let directory = Directory::new();
    fs::write(directory.gate(), "").unwrap();
    fs::hard_link(directory.gate(), directory.path().join("other")).unwrap();
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
    check_refused(Path::new("/dev/null"), &["regular"]);
    make_fifo(&directory.gate());
    check_refused(&directory.gate(), &["regular"]);
    assert!(Looker::open(&directory.gate()).is_err());
}

/// Whoever opens one to read waits for a writer, unless told not to.
fn make_fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[cfg(target_os = "linux")]
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
fn root_makes_no_file_in_the_home_of_another() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Directory::new();
    chown(home.path(), Some(4711), None).unwrap();
    let error = place::path_below(Some(home.path().to_owned()), "x").unwrap_err();
    assert!(error.to_string().contains("another user"), "{error}");
}

#[test]
fn a_new_directory_is_private_and_made_with_those_above_it() {
    let directory = Directory::new();
    let path = place::path_below(Some(directory.path().to_owned()), "duckduckgo").unwrap();
    Place::below(path.clone()).open().unwrap();
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&path), 0o600);
}
