use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use rustix::{fs::OFlags, process::geteuid};

use crate::gate::share::file::error::FileError;

/// How a file is opened: no link is followed, and whatever stands there instead of a file cannot make this wait.
pub(in super::super) fn options() -> OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).mode(0o600);
    options.custom_flags(flags.bits().cast_signed());
    options
}

/// Refuses a file that somebody else could change, or on which locks do not hold.
pub(in super::super) fn check(
    path: &Path,
    file: &File,
    metadata: &Metadata,
) -> Result<(), FileError> {
    let (owner, user) = (metadata.uid(), geteuid().as_raw());
    let (mode, links) = (metadata.mode() & 0o777, metadata.nlink());
    if owner != user {
        let message = format!(
            "it belongs to user {owner}, and this is user {user}; name a file of this user's own"
        );
        return Err(FileError::new(path, message));
    }
    if links > 1 {
        let message = format!("it has {links} names (hard links); delete the others");
        return Err(FileError::new(path, message));
    }
    if mode & 0o022 != 0 {
        let message = format!("others may write it (mode {mode:03o}); set its mode to 600");
        return Err(FileError::new(path, message));
    }
    check_file_system(path, file)
}

/// Whoever may read a file may lock it.
pub(in super::super) fn make_private(
    path: &Path,
    file: &File,
    metadata: &Metadata,
) -> Result<(), FileError> {
    if metadata.mode() & 0o077 != 0 {
        let private = file.set_permissions(Permissions::from_mode(0o600));
        private.map_err(|error| {
            let message = "others may read it, and so hold its lock; set its mode to 600";
            FileError::new(path, message).with_source(error)
        })?;
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn check_file_system(path: &Path, file: &File) -> Result<(), FileError> {
    // As wide and signed as it may be on this machine.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let kind = rustix::fs::fstatfs(file).map(|found| found.f_type as u32);
    match kind.ok().and_then(network_file_system) {
        None => Ok(()),
        Some(name) => Err(FileError::new(
            path,
            format_args!(
                "it is on a network file system ({name}), whose locks are not to be relied on; name a file on a local disk with `shared_file_at`, or share through Redis"
            ),
        )),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn check_file_system(_: &Path, _: &File) -> Result<(), FileError> {
    Ok(())
}

/// The numbers are those of statfs(2).
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(in super::super) fn network_file_system(kind: u32) -> Option<&'static str> {
    match kind {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x5346_414f => Some("AFS"),
        _ => None,
    }
}

/// Whether the file of which this is known is the one that stands under this path.
pub(in super::super) fn is_at(path: &Path, metadata: &Metadata) -> bool {
    let found = identity_at(path).or_else(|| {
        let found = fs::symlink_metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    });
    found == Some((metadata.dev(), metadata.ino()))
}

/// Where it asks for no times: to have told one, Linux would date the next write more finely, which more than doubles what that costs.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn identity_at(path: &Path) -> Option<(u64, u64)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

    let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::INO).ok()?;
    let device = makedev(found.stx_dev_major, found.stx_dev_minor);
    Some((device, found.stx_ino))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn identity_at(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Whether root has been given the home of another user, as some forms of sudo do.
pub(in super::super) fn is_foreign_home(home: &Path) -> bool {
    geteuid().is_root() && fs::metadata(home).is_ok_and(|found| found.uid() != 0)
}

pub(in super::super) fn read(file: &File, buffer: &mut [u8], at: usize) -> io::Result<usize> {
    file.read_at(buffer, at as u64)
}

pub(in super::super) fn write(file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all_at(bytes, 0)
}
