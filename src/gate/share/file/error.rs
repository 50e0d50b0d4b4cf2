use std::{error::Error, fmt, io, path::Path};

use super::record::{NewerRecord, PAGE};
use crate::gate::BuildError;

/// Why a file cannot keep a shared gate. Its message names the file, and says what is wrong and what to do.
#[derive(Debug)]
pub(in crate::gate) struct FileError {
    message: String,
    source: Option<io::Error>,
}

impl FileError {
    pub(super) fn new(path: &Path, message: impl fmt::Display) -> Self {
        Self {
            message: format!("the shared gate's file {}: {message}", path.display()),
            source: None,
        }
    }

    pub(super) fn no_path() -> Self {
        Self {
            message: "the shared gate's file: its path is empty; name a file".to_owned(),
            source: None,
        }
    }

    pub(super) fn no_place(why: &str) -> Self {
        Self {
            message: format!(
                "no place for the shared gate's file: {why}; name a file with `shared_file_at`"
            ),
            source: None,
        }
    }

    pub(super) fn newer(path: &Path, NewerRecord { version }: NewerRecord) -> Self {
        Self::new(
            path,
            format_args!(
                "a later version of search-gate has written it (record {version}); update all programs that share it"
            ),
        )
    }

    pub(super) fn foreign(path: &Path) -> Self {
        Self::new(
            path,
            "it holds something else than a gate; name another file, or delete this one",
        )
    }

    pub(super) fn too_long(path: &Path, length: u64) -> Self {
        Self::new(
            path,
            format_args!(
                "it is {length} bytes long, and a gate's is at most {PAGE}: it holds something else; name another file"
            ),
        )
    }

    pub(super) fn with_source(self, source: io::Error) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }
}

impl From<FileError> for BuildError {
    fn from(FileError { message, source }: FileError) -> Self {
        let error = Self::new(message);
        match source {
            Some(source) => error.because(source),
            None => error,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
