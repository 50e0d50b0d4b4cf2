use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long a store that could not be reached is left alone before one caller tries it again.
const PAUSE: Duration = Duration::from_secs(2);

/// What a shared gate does while its store is out of reach. It never lets requests go unpaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WhileUnreachable {
    /// This process paces itself, by what it last knew of the store. Other processes do the same, each for itself, so that together they
    /// may send as many times faster as they are.
    #[default]
    PaceAlone,
    /// It refuses all turns until the store is back.
    Refuse,
}

/// Whether the store can be reached, as far as is known.
#[derive(Debug, Default)]
pub(in crate::gate) struct Reach {
    /// When to try again, while it cannot.
    lost: Mutex<Option<Instant>>,
}

impl Reach {
    /// Whether to ask the store now: always while it is in reach, else once in a while.
    pub(in crate::gate) fn may_try(&self) -> bool {
        let mut lost = self.lost();
        let now = Instant::now();
        match &mut *lost {
            None => true,
            Some(again) if *again <= now => {
                *again = now + PAUSE;
                true
            }
            Some(_) => false,
        }
    }

    pub(in crate::gate) fn is_lost(&self) -> bool {
        self.lost().is_some()
    }

    /// How long until the store is tried again, while it is out of reach.
    pub(in crate::gate) fn again(&self) -> Duration {
        let again = self.lost().unwrap_or_else(Instant::now);
        again.saturating_duration_since(Instant::now())
    }

    /// The store could not be reached. Whether that is news.
    pub(in crate::gate) fn lose(&self) -> bool {
        self.lost().replace(Instant::now() + PAUSE).is_none()
    }

    /// The store has answered. Whether that is news.
    pub(in crate::gate) fn find(&self) -> bool {
        self.lost().take().is_some()
    }

    fn lost(&self) -> MutexGuard<'_, Option<Instant>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
