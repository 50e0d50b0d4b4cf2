//! Compression, for the clients that take it.

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::HeaderMap;
use http::header::ACCEPT_ENCODING;
use std::io::{Result, Write};

/// Whether the client takes gzip: the weight of `gzip`, else that of `*`, is above zero. Which other encodings it likes better is not asked.
pub(super) fn is_accepted(headers: &HeaderMap) -> bool {
    let weight_of = |coding| {
        headers
            .get_all(ACCEPT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .find_map(|item| weight(item, coding))
    };
    weight_of("gzip")
        .or_else(|| weight_of("*"))
        .is_some_and(|weight| weight > 0.0 && weight <= 1.0)
}

/// The weight that `item` gives to `coding`: 0 where it cannot be read, `None` if the item is of another.
fn weight(item: &str, coding: &str) -> Option<f32> {
    let (name, parameter) = item.split_once(';').unwrap_or((item, "q=1"));
    let (key, weight) = parameter.split_once('=').unwrap_or_default();
    let weight = match key.trim().eq_ignore_ascii_case("q") {
        true => weight.trim().parse().unwrap_or(0.0),
        false => 0.0,
    };
    name.trim().eq_ignore_ascii_case(coding).then_some(weight)
}

/// What deflate ends a flush with: the length of an empty block, and its complement.
const FLUSHED: [u8; 4] = [0, 0, 0xff, 0xff];

/// Compresses a page piece by piece.
#[derive(Debug)]
pub(super) struct Gzip(GzEncoder<Vec<u8>>);

impl Gzip {
    pub(super) fn new() -> Self {
        Self(GzEncoder::new(Vec::new(), Compression::fast()))
    }

    /// The next piece, so that whoever has it and those before it has the page up to there.
    pub(super) fn piece(&mut self, page: &[u8], last: bool) -> Bytes {
        self.write(page, last)
            .expect("a Vec takes all that is written");
        std::mem::take(self.0.get_mut()).into()
    }

    fn write(&mut self, page: &[u8], last: bool) -> Result<()> {
        self.0.write_all(page)?;
        if last {
            return self.0.try_finish();
        }
        // One flush leaves some of the piece behind where a block of deflate's ends within its last bytes.
        loop {
            self.0.flush()?;
            if self.0.get_ref().ends_with(&FLUSHED) {
                return Ok(());
            }
        }
    }
}
