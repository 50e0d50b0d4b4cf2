use std::{error::Error, fmt};

use redis::RedisError;

use super::TIMEOUT;

/// Why Redis has not done a step.
#[derive(Debug)]
pub(super) struct Failure {
    message: String,
    source: Option<RedisError>,
}

impl Failure {
    pub(super) fn late() -> Self {
        Self {
            message: format!("Redis has not answered within {TIMEOUT:?}"),
            source: None,
        }
    }

    /// The script was not what answered.
    pub(super) fn senseless(key: &str) -> Self {
        Self {
            message: format!("what answers for the Redis key {key:?} is no search gate's script"),
            source: None,
        }
    }

    pub(super) fn new(key: &str, source: RedisError) -> Self {
        let message = match source.code() {
            Some("WRONGTYPE") => format!(
                "the Redis key {key:?} holds something other than a search gate: choose another key, or delete it"
            ),
            Some("LAYOUT") => format!(
                "the Redis key {key:?} was written by another version of search-gate: let all who share it use one version, or delete the key"
            ),
            _ => format!("Redis could not do a step of the search gate at the key {key:?}"),
        };
        Self {
            message,
            source: Some(source),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_ref()?;
        Some(source)
    }
}
