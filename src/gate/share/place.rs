#[cfg(feature = "file")]
use std::path::PathBuf;
use std::sync::Arc;

use super::Store;
#[cfg(feature = "file")]
use super::file::{FileStore, MAX_OUT, MAX_QUEUED};
use crate::gate::{BuildError, settings::Settings};

/// How many may wait in a store that has room for more, if nobody says otherwise. Each looks at all others' places whenever it asks: at an interval of
/// 2.5 s so many keep a Redis server's thread busy for a fortieth of its time, and a thousand for over a third.
#[cfg(any(test, feature = "redis"))]
const USUAL_QUEUED: usize = 250;

/// Where a builder has been told to keep the state.
#[derive(Clone, Debug, Default)]
pub(in crate::gate) enum Place {
    #[default]
    ThisProcess,
    #[cfg(feature = "file")]
    OwnFile,
    #[cfg(feature = "file")]
    File(PathBuf),
    /// With room for so many who wait; fewer wait if nobody asks for more.
    #[cfg(any(test, feature = "redis"))]
    Store(Arc<dyn Store>, usize),
    /// What was named is no place.
    #[cfg(feature = "redis")]
    Nowhere(&'static str),
}

impl Place {
    /// Opens what is at it, and holds the settings to the room that it has. `None` is this process.
    pub(in crate::gate) fn open(
        self,
        settings: &mut Settings,
    ) -> Result<Option<Arc<dyn Store>>, BuildError> {
        match self {
            Self::ThisProcess => Ok(None),
            #[cfg(feature = "file")]
            Self::OwnFile => {
                check_room(settings, MAX_QUEUED, MAX_QUEUED, MAX_OUT)?;
                Ok(Some(Arc::new(FileStore::open_default(&settings.name)?)))
            }
            #[cfg(feature = "file")]
            Self::File(path) => {
                check_room(settings, MAX_QUEUED, MAX_QUEUED, MAX_OUT)?;
                Ok(Some(Arc::new(FileStore::open(&path)?)))
            }
            #[cfg(any(test, feature = "redis"))]
            Self::Store(store, queued) => {
                check_room(settings, USUAL_QUEUED, queued, queued)?;
                Ok(Some(store))
            }
            #[cfg(feature = "redis")]
            Self::Nowhere(why) => Err(BuildError::new(why)),
        }
    }
}

fn check_room(
    settings: &mut Settings,
    usual: usize,
    queued: usize,
    out: usize,
) -> Result<(), BuildError> {
    let asked = *settings.max_queued.get_or_insert(usual);
    BuildError::when(asked > queued, || {
        format!(
            "where the gate is shared there is room for {queued} callers to wait, not for {asked}; set at most that"
        )
    })?;
    let asked = settings.max_in_flight.unwrap_or(0);
    BuildError::when(asked > out, || {
        format!(
            "where the gate is shared there is room for {out} turns in flight, not for {asked}; set at most that, or no bound"
        )
    })
}
