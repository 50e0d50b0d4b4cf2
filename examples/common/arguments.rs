//! What the command lines of the examples have in common. clap reads them, and ends an example whose arguments are wrong with exit code 2.

use std::ffi::OsString;

/// How the example is called, in front of what it takes.
pub const CALLED: &str = concat!("cargo run --example ", env!("CARGO_CRATE_NAME"), " --");

/// The words in one text.
pub fn text(words: &[OsString]) -> String {
    let text = words.join(" ".as_ref());
    text.to_string_lossy().into_owned()
}
