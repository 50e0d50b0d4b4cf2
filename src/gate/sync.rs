//! The lock of the gate's state: std's, or one whose every interleaving a scheduler decides, where the tests are built for that.

#[cfg(not(all(test, shuttle)))]
pub(super) use std::sync::{Mutex, MutexGuard};

#[cfg(all(test, shuttle))]
pub(super) use shuttle::sync::{Mutex, MutexGuard};
