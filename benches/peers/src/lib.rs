//! search-gate beside its peers, measured in one run.
//!
//! [`gate`] compares ways to pace requests, [`day`] plays a day of searches through four of them, [`pages`] compares ways to read
//! result pages, [`sharing`] looks at one gate that several processes share. [`measure`] and [`report`] are what the comparisons share.
//! Run as
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- gate
//! ```

pub mod day;
pub mod gate;
pub mod measure;
pub mod pages;
pub mod peers;
pub mod report;
pub mod sharing;
pub mod watch;
