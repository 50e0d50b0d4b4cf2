//! What the command lines of the examples have in common. clap reads them, and ends an example whose arguments are wrong with exit code 2.

use std::{env, ffi::OsString};

/// How the example is called, in front of what it takes.
pub const CALLED: &str = concat!("cargo run --example ", env!("CARGO_CRATE_NAME"), " --");

/// The command line of an example that takes words to search for. clap would take the last one in `tea -milk` for an option: it gets both as one
/// argument.
pub fn command_line() -> Vec<OsString> {
    let mut given: Vec<OsString> = Vec::new();
    for argument in env::args_os() {
        let leaves_out = match argument.as_encoded_bytes() {
            b"-h" => false,
            bytes => bytes.starts_with(b"-") && !bytes.starts_with(b"--"),
        };
        match &mut given[..] {
            [_example, .., word] if leaves_out && !word.as_encoded_bytes().starts_with(b"-") => {
                word.push(" ");
                word.push(argument);
            }
            _ => given.push(argument),
        }
    }
    given
}

/// The words in one text.
pub fn text(words: &[OsString]) -> String {
    let text = words.join(" ".as_ref());
    text.to_string_lossy().into_owned()
}
