//! The file itself: opened with care, locked, read and written.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io,
    path::Path,
};

use super::{
    error::FileError,
    platform,
    record::{self, PAGE, Record},
};

/// A gate's file, open for reading and writing.
#[derive(Debug)]
pub(super) struct Opened {
    file: File,
    metadata: Metadata,
    /// Who opened it.
    pub(super) process: u32,
}

impl Opened {
    /// Opens the file, or makes it; refuses one that others could change, or on which locks do not hold.
    pub(super) fn open(path: &Path) -> Result<Self, FileError> {
        let mut options = platform::options();
        options.write(true).create(true).truncate(false);
        let file = checked(path, options.open(path))?;
        let metadata = file.metadata().map_err(|error| cannot(path, error))?;
        platform::check(path, &file, &metadata)?;
        let opened = Self {
            file,
            metadata,
            process: std::process::id(),
        };
        opened.try_lock().map_err(|error| {
            let message =
                "its file system has no locks; name a file on a local disk, or share through Redis";
            FileError::new(path, message).with_source(error)
        })?;
        // Where locks are mandatory, what somebody else has locked cannot be read now.
        let mut page = [0; PAGE];
        let is_damaged = match opened.read(&mut page) {
            Ok(Record::Newer(record)) => return Err(FileError::newer(path, record)),
            read => matches!(read, Ok(Record::Damaged)),
        };
        if is_damaged && record::is_foreign(&page) {
            return Err(FileError::foreign(path));
        }
        platform::make_private(path, &opened.file, &opened.metadata)?;
        Ok(opened)
    }

    /// Opens the file only to be read.
    pub(super) fn open_to_look(path: &Path) -> Result<File, FileError> {
        match platform::options().open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(FileError::new(path, "no gate has been shared there").with_source(error))
            }
            opened => checked(path, opened),
        }
    }

    /// Whether this process has opened it. One that was forked shares the lock with the one it comes from, and must not use it.
    pub(super) fn is_own(&self) -> bool {
        self.process == std::process::id()
    }

    /// Whether this is the file that everyone finds under this path.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        platform::is_at(path, &self.metadata)
    }

    /// `None` while somebody else holds the lock.
    pub(super) fn try_lock(&self) -> io::Result<Option<Locked<'_>>> {
        match self.file.try_lock() {
            Ok(()) => Ok(Some(Locked(self))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn read<'a>(&self, page: &'a mut [u8; PAGE]) -> io::Result<Record<'a>> {
        read(&self.file, page)
    }
}

/// The lock on a gate's file. To close the file would not end it while a child, forked meanwhile, has it open too.
#[derive(Debug)]
pub(super) struct Locked<'a>(&'a Opened);

impl Locked<'_> {
    pub(super) fn read<'a>(&self, page: &'a mut [u8; PAGE]) -> io::Result<Record<'a>> {
        self.0.read(page)
    }

    pub(super) fn write(&self, record: &[u8]) -> io::Result<()> {
        platform::write(&self.0.file, record)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // It fails for no lock that is held.
        let _ = self.0.file.unlock();
    }
}

/// Reads what stands in a file.
pub(super) fn read<'a>(file: &File, page: &'a mut [u8; PAGE]) -> io::Result<Record<'a>> {
    let mut filled = 0;
    loop {
        match platform::read(file, &mut page[filled..], filled) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if record::length(&page[..filled]).is_some_and(|length| length <= filled) {
            break;
        }
    }
    Ok(Record::read(&page[..filled]))
}

/// What has been opened, if it may be a gate's.
fn checked(path: &Path, opened: io::Result<File>) -> Result<File, FileError> {
    let file = opened.map_err(|error| cannot(path, error))?;
    let metadata = file.metadata().map_err(|error| cannot(path, error))?;
    if !metadata.is_file() {
        let why = why_not(path, io::ErrorKind::InvalidInput);
        return Err(FileError::new(path, why));
    }
    // What is longer holds something else, which is not to be lost because of a mistaken path.
    match metadata.len() {
        length if length > PAGE as u64 => Err(FileError::too_long(path, length)),
        _ => Ok(file),
    }
}

pub(super) fn cannot(path: &Path, error: io::Error) -> FileError {
    FileError::new(path, why_not(path, error.kind())).with_source(error)
}

/// Why the file cannot be opened, or is not to be.
fn why_not(path: &Path, kind: io::ErrorKind) -> &'static str {
    let found = fs::symlink_metadata(path).map(|found| found.file_type());
    match (found, kind) {
        (Ok(found), _) if found.is_symlink() => {
            "it is a symbolic link, which could be turned elsewhere; name the file it leads to"
        }
        (Ok(found), _) if found.is_dir() => "it is a directory; name a file in it",
        (Ok(found), _) if !found.is_file() => "it is no regular file; name another",
        (_, io::ErrorKind::NotFound) => match path.parent().is_some_and(Path::exists) {
            true => "there is no such file, and none can be made; name a file elsewhere",
            false => "make its directory first, or name another file",
        },
        (_, io::ErrorKind::ReadOnlyFilesystem) => {
            "its file system is read-only; name a file where this user may write"
        }
        (_, io::ErrorKind::PermissionDenied) => {
            "this user may not read and write it; name a file of this user's own"
        }
        _ => "it cannot be opened; name another file",
    }
}
