//! The stand-in provider: its throttle, its pages, and the server.

#[cfg(target_os = "linux")]
mod addresses;
mod compression;
mod delivery;
mod harm;
mod log;
mod pages;
mod refusing;
mod server;
mod support;
mod throttle;
