//! Numbers for whoever keeps tickets, turns and states outside of this process.

#[cfg(feature = "redis")]
use super::{Grant, Ticket};

#[cfg(feature = "redis")]
impl Ticket {
    pub(crate) fn word(self) -> i64 {
        word(self.0)
    }

    /// `None` if it is no ticket's.
    pub(crate) fn from_word(word: i64) -> Option<Self> {
        Some(Self(number(word)?))
    }
}

#[cfg(feature = "redis")]
impl Grant {
    pub(crate) fn words(self) -> [i64; 4] {
        let Self {
            born,
            number,
            round,
            is_awaited,
        } = self;
        [born, word(number), word(round), i64::from(is_awaited)]
    }

    /// `None` if they are no turn's.
    pub(crate) fn from_words(words: &[i64]) -> Option<Self> {
        let &[born, grant, round, is_awaited] = words else {
            return None;
        };
        Some(Self {
            born,
            number: number(grant)?,
            round: number(round)?,
            is_awaited: flag(is_awaited)?,
        })
    }
}

/// Counters never come near the half of their range.
pub(super) fn word(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn number(word: i64) -> Option<u64> {
    u64::try_from(word).ok()
}

pub(super) fn flag(word: i64) -> Option<bool> {
    match word {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
