//! Rules of any kind, within what counts.

use fastrand::Rng;

use super::super::units::{FAR, LONGEST, MOST_QUEUED};
use crate::gate::ledger::{Polling, Rules, Tick};

/// How long things take.
#[derive(Clone, Copy)]
pub(super) enum Scale {
    /// So little that everything meets.
    Ticks,
    /// As users set it.
    Usual,
    /// As long as counts.
    Longest,
}

impl Scale {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        match rng.u8(0..8) {
            0 => Self::Longest,
            1..4 => Self::Usual,
            _ => Self::Ticks,
        }
    }

    /// So many times the longest interval of this scale.
    pub(super) fn most(self, times: i64) -> Tick {
        let interval: Tick = match self {
            Self::Ticks => 12,
            Self::Usual => 10_000_000,
            Self::Longest => LONGEST,
        };
        interval.saturating_mul(times).min(LONGEST)
    }
}

/// Up to `most`, and each of its ends now and then.
pub(super) fn length(rng: &mut Rng, most: Tick) -> Tick {
    match rng.u8(0..10) {
        0 => 0,
        1 => most,
        _ => rng.i64(0..=most),
    }
}

pub(super) fn rules(rng: &mut Rng, scale: Scale) -> Rules {
    let interval = length(rng, scale.most(1));
    let mut backoffs: Vec<_> = (0..rng.usize(1..4))
        .map(|_| length(rng, scale.most(5)))
        .collect();
    backoffs.sort_unstable();
    let more =
        |rng: &mut Rng, than: Tick, times| (than + length(rng, scale.most(times))).min(LONGEST);
    let backoff_cap = more(rng, backoffs[backoffs.len() - 1], 3);
    let longest_backoff = more(rng, backoff_cap, 8);
    Rules {
        interval,
        burst: match rng.u8(0..9) {
            0..6 => 1,
            6..8 => rng.i64(2..=4),
            _ => rng.i64(1..=1 + FAR / interval.max(1)),
        },
        grace: length(rng, scale.most(1)) / 3,
        backoffs: backoffs.into(),
        backoff_cap,
        longest_backoff,
        widening: match rng.u8(0..4) {
            0 => (interval * rng.i64(1..=6)).min(LONGEST),
            1 => length(rng, scale.most(8)),
            _ => 0,
        },
        lease: length(rng, scale.most(4)),
        max_in_flight: match rng.u8(0..3) {
            0 => rng.usize(1..4),
            _ => usize::MAX,
        },
        max_queued: match rng.u8(0..3) {
            0 => rng.usize(0..4),
            _ => MOST_QUEUED,
        },
        waits_while_closed: rng.bool(),
        polling: Some(Polling {
            window: rng.usize(0..6),
            stagger: length(rng, scale.most(1)) / 16,
            longest_sleep: length(rng, scale.most(3)),
        }),
    }
}

/// Fields of a hash, and what no state has there.
pub(super) const SPOILED: [(&str, &str); 16] = [
    ("arrival", "soon"),
    ("born", ""),
    ("closed_length", "9007199254740991"),
    ("interval", "-5"),
    ("last_start", "9007199254740993"),
    ("last_ticket", "1e3"),
    ("layout", "one"),
    ("on_trial", "2"),
    ("out", "1:2:3:4"),
    ("out", "9007199254740993:1:1:0"),
    ("places", "5:1:1 3:1:1"),
    ("places", "5:1"),
    ("places", "5:1:9007199254740993"),
    ("refused", "5 5"),
    ("streak", "4294967296"),
    ("voided", "4503599627370495"),
];
