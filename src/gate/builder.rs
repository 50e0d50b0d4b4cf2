use std::{error::Error, fmt, time::Duration};

use super::{BACKOFF, MIN_INTERVAL, SearchGate};

/// The longest interval or back-off that a builder accepts.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Sets up a [`SearchGate`]; made by [`SearchGate::builder`].
///
/// ```
/// use std::time::Duration;
/// use search_gate::SearchGate;
///
/// let gate = SearchGate::builder()
///     .interval(Duration::from_secs(5))
///     .backoff(Duration::from_secs(120))
///     .build()?;
/// # Ok::<_, search_gate::BuildError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct SearchGateBuilder {
    interval: Duration,
    backoff: Duration,
}

impl SearchGateBuilder {
    pub(super) fn new() -> Self {
        Self {
            interval: MIN_INTERVAL,
            backoff: BACKOFF,
        }
    }

    /// The least time between the starts of two requests. Default: [`MIN_INTERVAL`]. Zero spaces nothing; back-offs still hold.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// How long the gate refuses turns after a throttle. Default: [`BACKOFF`].
    pub fn backoff(mut self, backoff: Duration) -> Self {
        self.backoff = backoff;
        self
    }

    /// Makes the gate.
    ///
    /// # Errors
    ///
    /// When the interval or the back-off is longer than a day: such a gate would look stuck, and a wrong unit is the likely cause.
    /// When the back-off is zero: the gate would go on asking a provider that throttles it.
    pub fn build(self) -> Result<SearchGate, BuildError> {
        for (name, value) in [("interval", self.interval), ("backoff", self.backoff)] {
            if value > LONGEST {
                return Err(BuildError::new(format!(
                    "the {name} is {value:?}; set at most 24 hours"
                )));
            }
        }
        if self.backoff.is_zero() {
            return Err(BuildError::new(
                "the backoff is zero; set how long a provider that throttles is to be left alone",
            ));
        }
        Ok(SearchGate::new(self.interval, self.backoff))
    }
}

/// Why a builder could not build. Its message names the setting and says what to set instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    message: String,
}

impl BuildError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for BuildError {}
