//! The stand-in provider: its throttle, its pages, and the server.

mod delivery;
mod harm;
mod log;
mod pages;
mod server;
mod support;
mod throttle;
