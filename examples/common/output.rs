//! std's `println!` panics when nobody reads on, as behind `| head -1`. These end the example in silence then.

use std::{
    fmt::Arguments,
    io::{self, ErrorKind, Write},
    process,
};

macro_rules! say {
    () => {
        $crate::common::print(format_args!(""))
    };
    ($($text:tt)*) => {
        $crate::common::print(format_args!($($text)*))
    };
}

macro_rules! complain {
    ($($text:tt)*) => {
        $crate::common::warn(format_args!($($text)*))
    };
}

pub(crate) use {complain as eprintln, say as println};

#[expect(clippy::exit, reason = "there is no one left to return to")]
pub fn print(line: Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout(), "{line}") {
        if error.kind() == ErrorKind::BrokenPipe {
            process::exit(0);
        }
        warn(format_args!("nothing can be printed: {error}"));
        process::exit(1);
    }
}

pub fn warn(line: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}
