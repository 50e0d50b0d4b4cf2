//! Gates of several processes on one store, which here is kept in memory, on tokio's clock.

mod chance;
mod room;
mod sharing;
mod store;
mod timing;
mod trouble;
mod waking;
