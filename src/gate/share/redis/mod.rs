//! A gate's state in Redis or Valkey.

mod script;
mod units;

#[cfg(test)]
mod differential;
#[cfg(test)]
mod server;
