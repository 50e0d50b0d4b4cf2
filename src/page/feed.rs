//! Where the body goes: past what needs no parsing, through lol_html, in slices and within bounds.

use super::cuts::Output;
use super::options::plain_list;
use super::sink::{Parser, parser};
use super::state::{Shared, lock};
use super::{Limits, Stopped};
use encoding_rs::UTF_8;
use std::sync::Arc;
use sync_wrapper::SyncWrapper;

/// A body that is being read.
#[derive(Default)]
pub(super) struct Feed {
    pub(super) shared: Shared,
    pub(super) limits: Limits,
    parser: Option<SyncWrapper<Parser>>,
    pub(super) output: Output,
    pub(super) pass_html: bool,
    /// The body's first bytes, by which some formats are known.
    head: Vec<u8>,
    pub(super) fed: u64,
    pub(super) ended: bool,
}

/// lol_html copies a slice whole when a tag goes on in it, so slices are small.
const SLICE: usize = 8 * 1024;

impl Feed {
    pub(super) fn parse(&mut self, bytes: &[u8]) {
        if self.ended {
            return;
        }
        self.begins_with(bytes);
        let mut rest = bytes;
        while self.is_before_results()
            && let Some(list) = plain_list(rest)
        {
            self.write(&rest[..list.start]);
            rest = &rest[list.start..];
            if lock(&self.shared).pass_over(list.len(), self.fed) {
                self.fed += list.len() as u64;
                rest = &rest[list.len()..];
            }
        }
        self.write(rest);
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

    /// Lists of options stand above the results.
    fn is_before_results(&self) -> bool {
        lock(&self.shared).reading.watches_texts()
    }

    fn write(&mut self, bytes: &[u8]) {
        for slice in bytes.chunks(SLICE) {
            if lock(&self.shared).stopped.is_some() {
                self.parser = None;
                return;
            }
            let left = self.limits.page_bytes.saturating_sub(self.fed);
            let read = usize::try_from(left).map_or(slice.len(), |left| left.min(slice.len()));
            let (slice, is_last) = (&slice[..read], read < slice.len());
            self.fed += slice.len() as u64;
            if self.parser.is_none() {
                self.parser = parser(Arc::clone(&self.shared), &self.limits).map(SyncWrapper::new);
            }
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
