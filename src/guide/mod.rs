//! The crate explained, a page for each question that its users have.
//!
//! | page | for whom |
//! |---|---|
//! | [`algorithm`] | who wants to know when a request starts, and why |
//! | [`reading`] | who uses what is read, or passes pages on |
#![cfg_attr(
    feature = "test-util",
    doc = "| [`testing`] | who tests a program that searches |"
)]
//! | [`sharing`] | who has several processes or machines behind one address |
//! | [`migrating`] | who has a delay, governor or tower-resilience in place |
//!
//! The reference is with the items: [`SearchGate`](crate::SearchGate), [`SearchGateLayer`](crate::SearchGateLayer), [`Page`](crate::Page),
//! [`DuckDuckGo`](crate::DuckDuckGo).

#[doc = include_str!("algorithm.md")]
#[doc = include_str!("day.md")]
pub mod algorithm {}

#[doc = include_str!("reading.md")]
pub mod reading {}

#[cfg(feature = "test-util")]
#[doc = include_str!("testing.md")]
pub mod testing {}

#[doc = include_str!("sharing.md")]
pub mod sharing {}

#[doc = include_str!("migrating.md")]
pub mod migrating {}
