use std::{error::Error, fmt, sync::Arc, time::Duration};

use crate::reasons;

/// The longest interval, back-off or lease that a builder accepts.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a builder could not build. Its message names the setting and says what to set instead; `{error:#}` tells the operating system's words too,
/// where there are such.
#[derive(Debug, Clone)]
pub struct BuildError {
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl BuildError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    #[cfg(feature = "file")]
    pub(super) fn because(self, source: impl Error + Send + Sync + 'static) -> Self {
        Self {
            source: Some(Arc::new(source)),
            ..self
        }
    }

    pub(super) fn when(wrong: bool, message: impl FnOnce() -> String) -> Result<(), Self> {
        match wrong {
            true => Err(Self::new(message())),
            false => Ok(()),
        }
    }

    pub(super) fn check_length(name: &str, value: Duration) -> Result<(), Self> {
        Self::when(value > LONGEST, || {
            format!("the {name} is {value:?}; set at most 24 hours")
        })
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        reasons::tell(f, self.source())
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

impl PartialEq for BuildError {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl Eq for BuildError {}
