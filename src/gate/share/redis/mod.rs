//! A gate's state in Redis or Valkey, for all who reach it: one hash, one script, one round trip for each step.
//!
//! The whole of the rules runs on the server, at the server's time, so that nobody comes between reading and writing and no two clocks
//! are compared. The hash is at `search-gate:` and the gate's key. It is one key, so it may live on a cluster; a hash tag in the
//! gate's key stays in force. It can be read with `HGETALL`: all numbers are microseconds of the server's clock, lengths of so many, or
//! counts.
//!
//! | field | what it says |
//! |---|---|
//! | `layout` | how the rest is laid out: 1 |
//! | `born` | when this state was made: other than what is remembered elsewhere, once it was lost |
//! | `last_start` | when the last turn was given, or used |
//! | `arrival` | when the interval after it is over, and those that a burst has put off |
//! | `widened_until` | until when intervals are doubled |
//! | `interval` | the interval that `arrival` was counted in |
//! | `closed_until` | the end of the last back-off |
//! | `closed_length` | how long that was |
//! | `round` | how many back-offs there have been |
//! | `streak` | how many followed one another |
//! | `on_trial` | 1 until a turn after the last one has been answered |
//! | `last_ticket`, `last_grant` | the numbers that were given last |
//! | `voided` | tickets up to this one were refused by a back-off |
//! | `places` | who waits: `ticket:look:latest`, its next look and its deadline |
//! | `refused` | later tickets than `voided` that were refused so |
//! | `out` | turns that are not settled: `grant:round:lease:alone` |
//!
//! The hash expires when it says no more than one that was never written, and ten seconds more. A back-off is remembered for as long as
//! the gate's back-off may grow, a trial until nobody has asked for as long.
//!
//! What someone else has written there is no state: the gate goes on as if a turn had been given at that moment. A state in another layout is left
//! as it is, and an error says so.
//!
//! The server needs scripts that may read the time and then write: Redis 5 or later, any Valkey. A user with limited rights needs
//! `+evalsha +script|load +time +hgetall +hset +pexpire` on `~search-gate:*`.

mod failure;
mod script;
mod units;

#[cfg(all(test, unix))]
mod differential;
#[cfg(all(test, unix))]
#[expect(unreachable_pub, reason = "tests of whole gates take it in too")]
pub(super) mod server;
#[cfg(all(test, unix))]
mod tests;

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use redis::aio::ConnectionLike;
use tokio::{runtime::Handle, time::timeout};

pub(in crate::gate) use self::units::MOST_QUEUED;
use self::{
    failure::Failure,
    script::{Reply, SCRIPT},
};
use super::store::{Answer, Applying, Order, Store};
use crate::{
    BoxError,
    gate::ledger::{Rules, View},
};

/// How long Redis may take for one step. A connection's own bounds are for slower things: a manager's retries take seconds.
const TIMEOUT: Duration = Duration::from_millis(250);

/// The store on one connection, which may be of any kind that can be cloned: multiplexed, managed, to a cluster.
pub(in crate::gate) struct RedisStore<C> {
    connection: C,
    key: String,
    /// The runtime that it was made in, or first used in: what is asked outside of any is done there.
    runtime: OnceLock<Handle>,
}

impl<C> RedisStore<C> {
    pub(in crate::gate) fn new(connection: C, key: &str) -> Self {
        Self {
            connection,
            key: format!("search-gate:{key}"),
            runtime: Handle::try_current()
                .map(OnceLock::from)
                .unwrap_or_default(),
        }
    }
}

impl<C> Store for RedisStore<C>
where
    C: ConnectionLike + Clone + Send + Sync + 'static,
{
    fn apply(self: Arc<Self>, order: Order) -> Applying {
        Box::pin(async move {
            match (Handle::try_current(), self.runtime.get()) {
                (Err(_), Some(runtime)) => {
                    let runtime = runtime.clone();
                    runtime.spawn(self.call(order)).await?
                }
                (Err(error), None) => Err(error.into()),
                (Ok(runtime), _) => {
                    self.runtime.get_or_init(|| runtime);
                    self.call(order).await
                }
            }
        })
    }

    fn look(&self, _rules: &Rules) -> Option<View> {
        None
    }
}

impl<C> RedisStore<C>
where
    C: ConnectionLike + Clone + Send + Sync + 'static,
{
    async fn call(self: Arc<Self>, order: Order) -> Result<Answer, BoxError> {
        let arguments = script::arguments(&units::in_micros(order), None);
        let mut call = SCRIPT.key(&self.key);
        call.arg(arguments.ok_or("a shared gate's callers look for themselves")?);
        let mut connection = self.connection.clone();
        let called = timeout(TIMEOUT, call.invoke_async::<Reply>(&mut connection));
        let reply = called.await.map_err(|_| Failure::late())?;
        let reply = reply.map_err(|error| Failure::new(&self.key, error))?;
        let answer = script::answer(&reply).ok_or_else(|| Failure::senseless(&self.key))?;
        Ok(units::in_nanos(answer))
    }
}

impl<C> fmt::Debug for RedisStore<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RedisStore");
        shown.field("key", &self.key).finish_non_exhaustive()
    }
}
