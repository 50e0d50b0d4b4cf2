//! What the examples share, and a program of one's own does without: where they search, what they take on the command line, how they print and fail.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    reason = "each example uses its own part of it"
)]

mod arguments;
mod failure;
mod output;
#[cfg(all(feature = "client", feature = "test-util"))]
mod place;

pub use arguments::{CALLED, text};
pub use failure::{Failure, sentence};
pub(crate) use output::{eprintln, println};
pub use output::{print, warn};
#[cfg(all(feature = "client", feature = "test-util"))]
pub use place::{Place, Provider, stand_in};
