//! The record: a gate's state as the bytes of one page, with a checksum.
//!
//! The kernel cuts a write of a killed process between pages at most, so a record within the first page of its file is there as a whole
//! or not at all. What a loss of power leaves of it, or whatever else stands in the file, does not pass the checksum.

use super::clock::Time;
use crate::gate::ledger::{Memory, Rules, State, Tick};

pub(super) const PAGE: usize = 4096;

/// How many callers may wait at one shared gate, over all its processes.
pub(in crate::gate) const MAX_QUEUED: usize = 100;

/// How many turns of one shared gate may be out at once, over all its processes.
pub(in crate::gate) const MAX_OUT: usize = {
    let mut out = 0;
    while State::most_words(MAX_QUEUED, out + 1) <= MAX_WORDS {
        out += 1;
    }
    out
};

/// Magic number, checksum of all that follows it, version, length of the whole, and the time of writing. The first four stay where
/// they are in every version.
const HEAD: usize = 32;
const MAX_WORDS: usize = (PAGE - HEAD) / WORD;
const WORD: usize = size_of::<Tick>();
const MAGIC: [u8; 4] = *b"sgat";
const VERSION: u32 = 1;

/// What stands in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// Nothing: the file is new.
    None,
    Kept {
        state: State,
        at: Time,
        body: &'a [u8],
    },
    /// Something that is no whole record.
    Damaged,
    /// A record that only later versions of this crate can read.
    Newer(NewerRecord),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NewerRecord {
    pub(super) version: u32,
}

impl<'a> Record<'a> {
    /// Reads the beginning of a file, at least a page if there is as much.
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        match bytes {
            [] => Self::None,
            _ => Self::read_whole(bytes).unwrap_or(Self::Damaged),
        }
    }

    fn read_whole(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.get(..length(bytes)?)?;
        let (magic, rest) = bytes.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        if *magic != MAGIC || u32::from_le_bytes(*checksum) != crc32fast::hash(rest) {
            return None;
        }
        let (version, rest) = rest.split_first_chunk()?;
        match u32::from_le_bytes(*version) {
            VERSION => {}
            version if version > VERSION => return Some(Self::Newer(NewerRecord { version })),
            _ => return None,
        }
        let (_length, rest) = rest.split_first_chunk::<4>()?;
        let (shared, rest) = rest.split_first_chunk()?;
        let (wall, body) = rest.split_first_chunk()?;
        let (words, []) = body.as_chunks::<WORD>() else {
            return None;
        };
        let words: Vec<_> = words
            .iter()
            .map(|word| Tick::from_le_bytes(*word))
            .collect();
        Some(Self::Kept {
            state: State::from_words(&words)?,
            at: Time {
                shared: Tick::from_le_bytes(*shared),
                wall: Tick::from_le_bytes(*wall),
            },
            body,
        })
    }
}

impl<'a> Record<'a> {
    /// The state that stands in the file, and the body of its record if that is still true of it at `now`.
    ///
    /// Where a state was lost, as many have just started as may at once.
    pub(super) fn restore(
        self,
        rules: &Rules,
        now: Time,
    ) -> Result<(State, Option<&'a [u8]>), NewerRecord> {
        match self {
            Self::None => Ok((State::new(rules, now.shared), None)),
            Self::Kept { state, at, body } => Ok(match now.moved_since(at) {
                None => (state, Some(body)),
                Some(by) => (state.moved(by), None),
            }),
            Self::Damaged => {
                let mut state = State::new(rules, now.shared);
                let arrival = rules.burst.saturating_mul(rules.interval);
                let memory = state.memory(rules, now.shared);
                state.recall(rules, now.shared, &Memory { arrival, ..memory });
                Ok((state, None))
            }
            Self::Newer(record) => Err(record),
        }
    }
}

/// Whether what begins so, zeros after it, never was a record: a loss of power leaves the beginning of one, or zeros.
pub(super) fn is_foreign(page: &[u8; PAGE]) -> bool {
    let (start, _) = page.split_at(MAGIC.len());
    let length = start.iter().rposition(|&byte| byte != 0);
    !MAGIC.starts_with(&start[..length.map_or(0, |last| last + 1)])
        || length.is_none() && page.iter().any(|&byte| byte != 0)
}

/// How long the record is that begins so; `None` if that cannot be.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(12..)?.first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    (HEAD..=PAGE).contains(&length).then_some(length)
}

/// The record of a state. One in which more wait than may is cut to fit.
pub(super) fn write(state: &mut State, at: Time) -> Vec<u8> {
    state.fit(MAX_QUEUED, MAX_OUT);
    let words = state.words();
    let mut bytes = Vec::with_capacity(HEAD + words.len() * WORD);
    bytes.extend(MAGIC);
    bytes.extend([0; 4]);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(at.shared.to_le_bytes());
    bytes.extend(at.wall.to_le_bytes());
    bytes.extend(words.into_iter().flat_map(Tick::to_le_bytes));
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[8..]);
    bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// What of a record does not depend on the time at which it was written.
pub(super) fn body(record: &[u8]) -> &[u8] {
    &record[HEAD..]
}
