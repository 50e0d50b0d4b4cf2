use std::{iter, time::Duration};

use super::{BACKOFF, LONGEST_BACKOFF, build_error::BuildError};

/// Growth ends after this many steps, so that a factor hardly over 1 has an end too.
const MAX_STEPS: usize = 1000;

/// How long a throttled provider is left alone, and how that grows.
///
/// The first throttle closes the gate for `first`. After the back-off one request goes out alone. If that one is throttled too, the
/// next back-off is `factor` times as long, up to `cap`; if it is answered, the gate is open again. The growth is forgotten once the
/// gate has stood open for as long as the cap.
///
/// ```
/// use std::time::Duration;
/// use search_gate::{Backoff, SearchGate};
///
/// let backoff = Backoff::new(Duration::from_secs(60))
///     .factor(2.0)
///     .cap(Duration::from_secs(15 * 60))
///     .jitter(0.1);
/// let gate = SearchGate::builder().backoff(backoff).build()?;
/// # Ok::<_, search_gate::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "a back-off does nothing until it is given to a gate"]
pub struct Backoff {
    first: Duration,
    factor: f64,
    cap: Duration,
    jitter: f64,
}

impl Backoff {
    /// Begins with `first`, doubles, up to [`LONGEST_BACKOFF`].
    pub const fn new(first: Duration) -> Self {
        Self {
            first,
            factor: 2.0,
            cap: LONGEST_BACKOFF,
            jitter: 0.0,
        }
    }

    /// Always `length`.
    pub const fn fixed(length: Duration) -> Self {
        Self {
            first: length,
            factor: 1.0,
            cap: length,
            jitter: 0.0,
        }
    }

    /// DuckDuckGo's: [`BACKOFF`], doubling to [`LONGEST_BACKOFF`]. Reports of how long it refuses range from 46 s to hours.
    pub const fn duckduckgo() -> Self {
        Self::new(BACKOFF)
    }

    /// How many times as long each next back-off is. 1 keeps it as it is.
    pub const fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// The longest that it grows to.
    pub const fn cap(mut self, cap: Duration) -> Self {
        self.cap = cap;
        self
    }

    /// By how much of its length, at most, each back-off is made longer by chance, so that several programs do not come back at once.
    /// 0.1 means up to a tenth. Nothing becomes longer than the cap, so a fixed back-off needs a higher one.
    pub const fn jitter(mut self, jitter: f64) -> Self {
        self.jitter = jitter;
        self
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        let Self {
            first,
            factor,
            cap,
            jitter,
        } = *self;
        BuildError::check_length("backoff", first)?;
        BuildError::check_length("cap of the backoff", cap)?;
        BuildError::when(first.is_zero(), || {
            "the backoff is zero; set how long a provider that throttles is to be left alone".into()
        })?;
        BuildError::when(cap < first, || {
            format!(
                "the cap of the backoff, {cap:?}, is under its first length, {first:?}; raise it"
            )
        })?;
        BuildError::when(!(1.0..=1000.0).contains(&factor), || {
            format!("the factor of the backoff is {factor}; set one from 1 to 1000")
        })?;
        BuildError::when(!(0.0..=1.0).contains(&jitter), || {
            format!("the jitter of the backoff is {jitter}; set a share from 0 to 1")
        })?;
        BuildError::when(jitter > 0.0 && cap == first, || {
            format!(
                "the jitter of the backoff has no room: its cap is its first length, {first:?}; raise the cap"
            )
        })
    }

    /// The lengths of successive back-offs; the last stands for all later ones.
    pub(super) fn lengths(&self) -> impl Iterator<Item = Duration> {
        let Self { factor, cap, .. } = *self;
        let lengths = iter::successors(Some(self.first), move |last| {
            let next = last.as_secs_f64() * factor;
            let next = Duration::try_from_secs_f64(next).map_or(cap, |next| next.min(cap));
            (next > *last).then_some(next)
        });
        lengths.take(MAX_STEPS)
    }

    pub(super) fn longest(&self) -> Duration {
        self.first.max(self.cap)
    }

    /// How much longer one back-off is to be, in thousandths.
    pub(super) fn draw_jitter(&self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a share of a thousand")]
        let thousandths = (self.jitter * fastrand::f64() * 1000.0) as i64;
        thousandths
    }
}

impl From<Duration> for Backoff {
    /// Always that length.
    fn from(length: Duration) -> Self {
        Self::fixed(length)
    }
}
