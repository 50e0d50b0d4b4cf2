#![allow(dead_code)]

#[cfg(feature = "file")]
mod file;
mod store;
