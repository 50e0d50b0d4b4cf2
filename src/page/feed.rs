//! Where the body goes: straight to the walker while it is plain markup, else through lol_html, within bounds.
//!
//! lol_html keeps a stack of open elements as soon as it has a selector, which took half the time of a page, and plain tags
//! change nothing of what it is asked. So it is given what is not plain: from there to the end of a tag, and more each time if
//! what follows is not plain either. Which way markup goes makes no difference but in time.

use super::cuts::Output;
use super::sink::{Parser, parser};
use super::state::{Core, Shared, lock};
use super::{Limits, Stopped};
use encoding_rs::UTF_8;
use memchr::memchr;
use std::sync::Arc;
use sync_wrapper::SyncWrapper;

/// A body that is being read.
#[derive(Default)]
pub(super) struct Feed {
    pub(super) shared: Shared,
    pub(super) limits: Limits,
    parser: Option<SyncWrapper<Parser>>,
    /// How many bytes the parser was given.
    given: usize,
    /// How much lol_html is given at least.
    least: usize,
    pub(super) output: Output,
    pub(super) pass_html: bool,
    /// The body's first bytes, by which some formats are known.
    head: Vec<u8>,
    pub(super) fed: u64,
    pub(super) ended: bool,
}

/// lol_html copies a slice whole when a tag goes on in it, so slices are small.
const SLICE: usize = 8 * 1024;

/// Plain markup that is shorter than this is hardly worth the way around lol_html.
const WORTHWHILE: usize = 256;

impl Feed {
    pub(super) fn parse(&mut self, bytes: &[u8]) {
        if self.ended {
            return;
        }
        self.begins_with(bytes);
        let mut rest = bytes;
        while !rest.is_empty() && lock(&self.shared).stopped.is_none() {
            rest = &rest[self.read_plain(rest)..];
            let (odd, after) = rest.split_at(self.odd(rest));
            self.write(odd);
            rest = after;
        }
    }

    /// Reads the plain markup that `rest` begins with; how much that is.
    fn read_plain(&mut self, rest: &[u8]) -> usize {
        let read = lock(&self.shared).plain(self.within_bound(rest), self.fed);
        let plain = read.unwrap_or_default();
        self.fed += plain as u64;
        if read.is_some() && self.given >= SLICE / 2 {
            // Of what is plain it sees no end tags, so the elements it takes for open would pile up.
            self.parser = None;
            self.given = 0;
        }
        // From time to time no more than to the end of a tag, in small chunks too: only there may lol_html be left.
        let is_small = rest.len() < WORTHWHILE && self.given >= SLICE / 2;
        self.least = if plain >= WORTHWHILE || self.least >= SLICE / 2 || is_small {
            0
        } else {
            (2 * self.least).clamp(WORTHWHILE / 4, SLICE / 2)
        };
        plain
    }

    /// As much of `bytes` as may yet be read of the page.
    fn within_bound<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let left = self.limits.page_bytes.saturating_sub(self.fed);
        let left = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        &bytes[..left]
    }

    /// How much lol_html is given of what is not plain: to the end of a tag.
    fn odd(&self, rest: &[u8]) -> usize {
        let from = self.least.min(rest.len());
        memchr(b'>', &rest[from..]).map_or(rest.len(), |end| from + end + 1)
    }

    /// Knows by its first bytes what is not html however it calls itself.
    fn begins_with(&mut self, bytes: &[u8]) {
        let missing = 4_usize.saturating_sub(self.head.len());
        if missing == 0 || bytes.is_empty() {
            return;
        }
        self.head
            .extend_from_slice(&bytes[..bytes.len().min(missing)]);
        let mut core = lock(&self.shared);
        match self.head[..] {
            [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] => core.stop(Stopped::Compressed),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => core.stop(Stopped::Encoding),
            [b'{' | b'[', ..] => core.stop(Stopped::NotHtml),
            [0xef, 0xbb, 0xbf, ..] => {
                core.reading.encoding = UTF_8;
                core.reading.encoding_open = false;
            }
            _ => {}
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        for slice in bytes.chunks(SLICE) {
            if lock(&self.shared).stopped.is_some() {
                self.parser = None;
                return;
            }
            let whole = slice.len();
            let slice = self.within_bound(slice);
            let is_last = slice.len() < whole;
            if self.parser.is_none() {
                lock(&self.shared).unseen = self.fed;
                self.given = 0;
                self.parser = parser(Arc::clone(&self.shared), &self.limits).map(SyncWrapper::new);
            }
            self.fed += slice.len() as u64;
            self.given += slice.len();
            // A parser that has failed panics when it is used again.
            match self
                .parser
                .as_mut()
                .map(|parser| parser.get_mut().write(slice))
            {
                Some(Ok(())) => {}
                Some(Err(_)) => self.stop(Stopped::ParserMemory),
                None => self.stop(Stopped::Parser),
            }
            if is_last {
                return self.stop(Stopped::PageBytes);
            }
        }
    }

    fn stop(&mut self, why: Stopped) {
        self.parser = None;
        lock(&self.shared).stop(why);
    }

    /// The body is over.
    pub(super) fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        if let Some(parser) = self.parser.take()
            && lock(&self.shared).stopped.is_none()
            && parser.into_inner().end().is_err()
        {
            self.stop(Stopped::ParserMemory);
        }
        lock(&self.shared).end(self.fed);
    }
}

impl Core {
    /// Reads the plain markup that `bytes` begin with; how much that is, `None` where the page may not be left to the walker.
    fn plain(&mut self, bytes: &[u8], fed: u64) -> Option<usize> {
        // What lol_html holds back goes first.
        if self.walker.at != fed || !self.walker.is_at_markup(&self.reading) {
            return None;
        }
        let read = self.walker.plain(bytes, &mut self.reading);
        let plain = self.walker.at - fed;
        self.unseen += plain;
        self.reading.cuts.bound(self.walker.understood());
        if let Err(why) = read {
            self.stop(why);
        }
        Some(plain as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lol_html_is_given_what_is_not_plain_and_hardly_more() {
        let row = r#"<div class="result"><a class="result__a" href="https://a.example/">A <b>page</b></a></div>"#;
        let page = format!(
            "<!doctype html><title>a</title><script>if (1 > 0) {{}}</script>{}<!-- end -->",
            row.repeat(200)
        );
        for size in [512, 16 * 1024] {
            let mut feed = Feed::default();
            for chunk in page.as_bytes().chunks(size) {
                feed.parse(chunk);
            }
            feed.end();
            let core = lock(&feed.shared);
            assert_eq!((core.stopped, core.reading.seen), (None, 200));
            let given = page.len() as u64 - core.unseen;
            assert!(given >= 90, "{given} bytes");
            assert!(given < page.len() as u64 / 4, "{given} bytes");
        }
    }
}
