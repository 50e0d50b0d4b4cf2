use super::{Page, PageKind, Stopped, is_throttle_status};
use std::{error, fmt};

/// Why a page is no answer.
#[derive(Debug, Clone)]
pub struct PageError {
    kind: PageKind,
    hidden: usize,
    stopped: Option<Stopped>,
    truncated: bool,
    status: Option<u16>,
}

impl PageError {
    pub(super) fn of(page: &Page) -> Self {
        Self {
            kind: page.kind,
            hidden: page.hidden_dropped,
            stopped: page.stopped,
            truncated: page.truncated,
            status: page.status,
        }
    }

    /// The provider asked for proof that a person searches. It is throttling this address: wait before asking again.
    #[must_use]
    pub fn is_challenge(&self) -> bool {
        self.kind == PageKind::Challenge
    }

    /// The provider is throttling this address: it asked for [proof that a person searches](Self::is_challenge), or no page that the reader
    /// knows came with a [status that says so](is_throttle_status). Wait before asking again.
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.is_challenge() || self.status.is_some_and(is_throttle_status)
    }

    /// The page is none that the reader knows, or one of which a person would see [nothing](Self::is_hidden), and it does not come of a
    /// [throttle](Self::is_throttled).
    #[must_use]
    pub fn is_unrecognised(&self) -> bool {
        !self.is_throttled()
    }

    /// The page has results, and a person would see none of them. So it is an unrecognised one.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.is_unrecognised() && self.hidden > 0
    }

    /// The status that the page came with, where it was given. An error status explains an unrecognised page better than any change of
    /// the provider's markup.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Why reading stopped before the page's end, if it did.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_throttled() {
            f.write_str("the provider answered with ")?;
            match self.status {
                Some(status) if !self.is_challenge() => write!(f, "status {status}")?,
                _ => f.write_str("a challenge")?,
            }
            return f.write_str(
                ": it is throttling this address; wait at least a minute, then search less often",
            );
        }
        if self.is_hidden() {
            return write!(
                f,
                "all {} results of the page are hidden from sight: the page was tampered with, or its markup changed",
                self.hidden
            );
        }
        f.write_str("the page is not one of the provider's result pages")?;
        if let Some(status) = self.status.filter(|status| *status != 200) {
            write!(f, " (status {status})")?;
        }
        match self.stopped {
            Some(stopped) => write!(f, ": {stopped}"),
            None if self.truncated => f.write_str(": it was cut off; ask again"),
            None => f.write_str(": check that the address is right, or update search-gate, for the markup may have changed"),
        }
    }
}

impl error::Error for PageError {}
