//! Which file it is.

use std::{
    env,
    fs::DirBuilder,
    io,
    path::{self, Path, PathBuf},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{error::FileError, opened::Opened, platform};

/// Where the files of all gates stand, below a user's home directory.
#[cfg(not(any(target_vendor = "apple", windows)))]
const DIRECTORY: &[&str] = &[".local", "state", "search-gate"];
#[cfg(target_vendor = "apple")]
const DIRECTORY: &[&str] = &["Library", "Application Support", "search-gate"];
#[cfg(windows)]
const DIRECTORY: &[&str] = &["AppData", "Local", "search-gate"];

/// What stays as it is in a file's name.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// The longest name of a file that every common file system bears.
const LONGEST_NAME: usize = 255;

/// The file of one gate, open or not.
#[derive(Clone, Debug)]
pub(super) struct Place {
    path: PathBuf,
    /// Whether the directory is made where it is missing.
    makes_directory: bool,
}

impl Place {
    /// A file that the user has named. Its directory is the user's business.
    pub(super) fn at(path: &Path) -> Result<Self, FileError> {
        if path.as_os_str().is_empty() {
            return Err(FileError::no_path());
        }
        let path = path::absolute(path).map_err(|error| {
            let message = "there is no current directory to find it from; name it in full";
            FileError::new(path, message).with_source(error)
        })?;
        Ok(Self {
            path,
            makes_directory: false,
        })
    }

    /// The file at the user's own place for the gate of this name.
    pub(super) fn default_of(name: &str) -> Result<Self, FileError> {
        default_path(name).map(Self::below)
    }

    pub(super) fn below(path: PathBuf) -> Self {
        Self {
            path,
            makes_directory: true,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file for a gate; makes it if it is not there.
    pub(super) fn open(&self) -> Result<Opened, FileError> {
        if self.makes_directory {
            self.make_directory()
                .map_err(|error| self.cannot_make_directory(error))?;
        }
        Opened::open(&self.path)
    }

    fn make_directory(&self) -> io::Result<()> {
        let mut directory = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut directory, 0o700);
        match self.path.parent() {
            Some(path) => directory.recursive(true).create(path),
            None => Ok(()),
        }
    }

    fn cannot_make_directory(&self, error: io::Error) -> FileError {
        let message = "its directory cannot be made; name another file with `shared_file_at`";
        FileError::new(&self.path, message).with_source(error)
    }
}

/// Where the gate of this name is kept if the user names no file.
///
/// It is below the home directory: `HOME`, or what the user's account says where that is not set. No other variable decides: programs
/// started by cron or systemd would not see it and get a gate of their own.
fn default_path(name: &str) -> Result<PathBuf, FileError> {
    path_below(env::home_dir(), name)
}

pub(super) fn path_below(home: Option<PathBuf>, name: &str) -> Result<PathBuf, FileError> {
    let home = home.ok_or_else(|| FileError::no_place("this user has no home directory"))?;
    if !home.is_absolute() {
        return Err(FileError::no_place("the home directory is no whole path"));
    }
    if platform::is_foreign_home(&home) {
        let why = "the home directory is another user's, to whom a file of root's would be closed";
        return Err(FileError::no_place(why));
    }
    let mut path = home;
    path.extend(DIRECTORY);
    let file = format!("{}.gate", utf8_percent_encode(name, PLAIN));
    let is_long = file.len() > LONGEST_NAME;
    path.push(file);
    match is_long {
        true => Err(FileError::new(
            &path,
            "the gate's name is too long for a file; choose a shorter name, or name a file with `shared_file_at`",
        )),
        false => Ok(path),
    }
}
