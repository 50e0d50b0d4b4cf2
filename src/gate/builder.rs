#[cfg(feature = "file")]
use std::path::{Path, PathBuf};
use std::{borrow::Cow, time::Duration};

#[cfg(feature = "redis")]
use super::share::{MOST_QUEUED, RedisStore};
use super::{
    BuildError, SearchGate,
    backoff::Backoff,
    settings::{Settings, WhileBackingOff},
    share::{Place, Shared, WhileUnreachable},
};
#[cfg(feature = "file")]
use super::{Snapshot, local::Local, share::Looker};

/// Sets up a [`SearchGate`]; made by [`SearchGate::builder`].
///
/// ```
/// use std::time::Duration;
/// use search_gate::{Backoff, SearchGate, WhileBackingOff};
///
/// let gate = SearchGate::builder()
///     .interval(Duration::from_secs(5))
///     .backoff(Backoff::new(Duration::from_secs(120)).jitter(0.1))
///     .widening(Duration::from_secs(600))
///     .while_backing_off(WhileBackingOff::Wait)
///     .max_queued(50)
///     .build()?;
/// # Ok::<_, search_gate::BuildError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct SearchGateBuilder {
    settings: Settings,
    place: Place,
    while_unreachable: WhileUnreachable,
}

impl SearchGateBuilder {
    pub(super) fn new() -> Self {
        Self {
            settings: Settings::default(),
            place: Place::default(),
            while_unreachable: WhileUnreachable::default(),
        }
    }

    /// What the gate is called in logs and metrics, and in the name of its own file if it is shared through one (`shared_file`): who
    /// shares it must call it the same. Default: `duckduckgo`.
    pub fn name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// The least time between the starts of two requests. Default: [`MIN_INTERVAL`](super::MIN_INTERVAL). Zero spaces nothing;
    /// back-offs still hold.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.settings.interval = interval;
        self
    }

    /// How long the gate refuses turns after a throttle. Default: [`Backoff::duckduckgo`]. A plain duration is one that does not grow.
    pub fn backoff(mut self, backoff: impl Into<Backoff>) -> Self {
        self.settings.backoff = backoff.into();
        self
    }

    /// How many requests may start at once after a quiet spell. On average they still start no more often than the interval allows: over
    /// any time, at most this many more. Default: 1, which is what DuckDuckGo was measured to bear.
    pub fn burst(mut self, requests: u32) -> Self {
        self.settings.burst = requests;
        self
    }

    /// For how long the interval is doubled once a back-off is over. A start within that time is followed by twice the interval, and a
    /// [`burst`](Self::burst) has half its room. Default: zero, not at all.
    pub fn widening(mut self, time: Duration) -> Self {
        self.settings.widening = time;
        self
    }

    /// How many turns may be out at once: taken, and neither settled nor dropped. Through the layer that is from a request's start to the end
    /// of its answer's body. Default: no bound.
    pub fn max_in_flight(mut self, turns: usize) -> Self {
        self.settings.max_in_flight = Some(turns);
        self
    }

    /// How long a turn that is out keeps others waiting when nothing is heard of it: after a back-off, and under
    /// [`max_in_flight`](Self::max_in_flight). Default: 30 s, the longest that a request may take through the layer.
    pub fn turn_lease(mut self, time: Duration) -> Self {
        self.settings.turn_lease = time;
        self
    }

    /// How many callers may wait at once; one more is refused. Zero lets nobody wait: only who may start at once is served. Default:
    /// 100,000, some 40 MB of callers; 100 where it is shared through a file, which has no more room, and 250 through Redis, of 1,000.
    pub fn max_queued(mut self, callers: usize) -> Self {
        self.settings.max_queued = Some(callers);
        self
    }

    /// What becomes of callers while the gate backs off. Default: they are refused.
    pub fn while_backing_off(mut self, what: WhileBackingOff) -> Self {
        self.settings.while_backing_off = what;
        self
    }

    /// Shares the gate with all processes of this user on this machine that build one of the same [`name`](Self::name) so: its state is in a
    /// file at the user's own place, and outlives them. Feature `file`.
    ///
    /// That is `~/.local/state/search-gate/` on Linux, `~/Library/Application Support/search-gate/` on macOS and
    /// `AppData\Local\search-gate` below the user's profile on Windows. No environment variable but `HOME` moves it, since programs started by
    /// cron or systemd would not see it and have a gate of their own. The [page on sharing](crate::guide::sharing) tells what is promised.
    #[cfg(feature = "file")]
    pub fn shared_file(mut self) -> Self {
        self.place = Place::OwnFile;
        self
    }

    /// Shares the gate with all processes that name the same file, which is made if it is not there. Its directory must be on a disk of this
    /// machine, and the file this user's alone: it is made unreadable for others (mode 0600). One that holds something else is refused. A
    /// relative path depends on where each process runs. Feature `file`.
    #[cfg(feature = "file")]
    pub fn shared_file_at(mut self, path: impl Into<PathBuf>) -> Self {
        self.place = Place::File(path.into());
        self
    }

    /// What the gate that others share through this file looks like, to one set up like this (but for the interval, which is theirs). It takes no
    /// part in it: it makes nothing, locks nothing and changes nothing. Feature `file`.
    ///
    /// # Errors
    ///
    /// When there is no such file, when it is not this user's, and when it is none of a gate.
    #[cfg(feature = "file")]
    pub fn look_at_file(self, path: impl AsRef<Path>) -> Result<Snapshot, BuildError> {
        let looker = Looker::open(path.as_ref())?;
        let seen = looker.look(&self.settings.rules());
        let view = seen.ok_or_else(|| {
            BuildError::new("the shared gate's file has just been replaced; look again")
        })?;
        Ok(Local::new(self.settings).snapshot_of(&view))
    }

    /// Shares the gate with all who give the same `key` on the same Redis or Valkey server: its turns, its queue and its back-offs.
    /// Feature `redis`.
    ///
    /// The connection may be of any kind that can be cloned: multiplexed, managed, to a cluster. Each step is one round trip, one script
    /// at the server's time, and is given up after 250 ms, whatever the connection's own bounds are; then goes
    /// [`while_unreachable`](Self::while_unreachable). A manager that gives up soon is found again soonest:
    /// `ConnectionManagerConfig::new().set_number_of_retries(1)`. Made by `ConnectionManager::new_lazy_with_config` it need not find the server
    /// at the start.
    ///
    /// The state is one hash at `search-gate:` and `key`. It expires by itself once it says no more than one that was never written, and
    /// who remembers a back-off or a start tells a server that has lost it. The tokio runtime in which the gate is used needs its timers
    /// enabled, also where a turn is only dropped. Needed is Redis 5 or later, and of a user with limited rights
    /// `+evalsha +script|load +time +hgetall +hset +pexpire` on `~search-gate:*`. Lengths count in whole microseconds, up to 12 days.
    ///
    /// ```no_run
    /// # async fn shared() -> Result<(), Box<dyn std::error::Error>> {
    /// use search_gate::SearchGate;
    ///
    /// let client = redis::Client::open("redis://127.0.0.1/")?;
    /// let connection = client.get_multiplexed_async_connection().await?;
    /// let gate = SearchGate::builder().shared_redis(connection, "duckduckgo").build()?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "redis")]
    pub fn shared_redis<C>(mut self, connection: C, key: &str) -> Self
    where
        C: redis::aio::ConnectionLike + Clone + Send + Sync + 'static,
    {
        self.place = if key.is_empty() {
            Place::Nowhere(
                "the key of a gate shared through Redis is empty; name the address that it sends from",
            )
        } else {
            let store = RedisStore::new(connection, key);
            Place::Store(std::sync::Arc::new(store), MOST_QUEUED)
        };
        self
    }

    #[cfg(test)]
    pub(super) fn on(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// What a shared gate does while its store is out of reach. Default: each process paces itself.
    pub fn while_unreachable(mut self, what: WhileUnreachable) -> Self {
        self.while_unreachable = what;
        self
    }

    /// Makes the gate. One that is shared through a file opens it.
    ///
    /// # Errors
    ///
    /// When a duration is longer than a day: such a gate would look stuck, and a wrong unit is the likely cause. When the back-off is zero:
    /// the gate would go on asking a provider that throttles it. When the back-off's factor is under 1 or its jitter not a share. When
    /// the burst, the turns in flight or the lease are zero: no turn could ever be had, or no turn would count as out. When the key of a gate
    /// shared through Redis is empty: a setting that is missing is the likely cause.
    /// When the file of a shared gate cannot be opened or is not this user's alone, or lies where locks do not hold; and when more may wait or be
    /// in flight than there is room for where the gate is shared.
    pub fn build(mut self) -> Result<SearchGate, BuildError> {
        let Settings {
            interval,
            backoff,
            burst,
            widening,
            turn_lease,
            max_in_flight,
            ..
        } = &self.settings;
        BuildError::check_length("interval", *interval)?;
        BuildError::check_length("widening", *widening)?;
        BuildError::check_length("lease of a turn", *turn_lease)?;
        backoff.check()?;
        BuildError::when(*burst == 0, || "the burst is zero; set at least 1".into())?;
        BuildError::when(*max_in_flight == Some(0), || {
            "no turn may be in flight; allow at least 1".into()
        })?;
        BuildError::when(turn_lease.is_zero(), || {
            "the lease of a turn is zero; set how long a request may take".into()
        })?;
        let store = self.place.open(&mut self.settings)?;
        let shared = store.map(|store| Shared::new(store, self.while_unreachable));
        Ok(SearchGate::with(self.settings, shared))
    }
}
