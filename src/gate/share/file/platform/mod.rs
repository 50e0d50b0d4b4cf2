//! What the operating systems do in ways of their own.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(all(test, target_os = "linux"))]
pub(super) use unix::network_file_system;
#[cfg(unix)]
pub(super) use unix::{check, is_at, is_foreign_home, make_private, options, read, write};
#[cfg(windows)]
pub(super) use windows::{check, is_at, is_foreign_home, make_private, options, read, write};
