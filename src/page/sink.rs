//! lol_html as the parser, its output as the reader's input.
//!
//! lol_html hands out the bytes before a captured tag, calls the tag's handler, then hands out the tag. The handler leaves a
//! mark, the sink knows by it what the next slice is. Nothing is ever changed, so what the sink gets is the page, byte for
//! byte, and the sum of it is the offset. That order is not documented; it is checked at each tag.

use super::reading::Reading;
use super::walker::Walker;
use super::{Limits, Stopped};
use lol_html::html_content::EndTag;
use lol_html::send::{Element, ElementContentHandlers, HtmlRewriter, Settings};
use lol_html::{MemorySettings, OutputSink, Selector};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// All that the sink and the reader share.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) walker: Walker,
    pub(super) reading: Reading,
    pub(super) stopped: Option<Stopped>,
    pub(super) truncated: bool,
    pub(super) ended: bool,
    /// How many bytes lol_html has not been given.
    pub(super) passed: u64,
}

impl Core {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            walker: Walker::default(),
            reading,
            stopped: None,
            truncated: false,
            ended: false,
            passed: 0,
        }
    }

    /// Stops reading; what was read is kept, and nothing is cut any more.
    pub(super) fn stop(&mut self, why: Stopped) {
        if self.stopped.is_none() {
            self.stopped = Some(why);
            self.reading.finish();
        }
    }

    /// Up to where it is decided what is passed on.
    pub(super) fn decided(&self) -> u64 {
        if self.stopped.is_some() || self.ended {
            u64::MAX
        } else {
            self.reading.cuts.decided(self.walker.understood())
        }
    }

    fn slice(&mut self, slice: &[u8], mark: Mark) {
        if self.stopped.is_some() {
            return;
        }
        let limit = self.reading.limits.tag;
        let read = match mark {
            Mark::None => self.walker.stretch(slice, limit, &mut self.reading),
            Mark::Tag(at) | Mark::Script(at)
                if at + self.passed != self.walker.at || !is_tag(slice) =>
            {
                Err(Stopped::Parser)
            }
            Mark::Tag(_) => self.walker.captured(slice, false, &mut self.reading),
            Mark::Script(_) => self.walker.captured(slice, true, &mut self.reading),
            Mark::EndTag => {
                self.walker.script_ends();
                self.walker.stretch(slice, limit, &mut self.reading)
            }
        };
        self.reading.cuts.bound(self.walker.understood());
        if let Err(why) = read {
            self.stop(why);
        }
    }
}

fn is_tag(slice: &[u8]) -> bool {
    slice.starts_with(b"<") && slice.ends_with(b">")
}

pub(super) type Shared = Arc<Mutex<Core>>;

pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Core> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the next slice is.
#[derive(Debug, Clone, Copy)]
enum Mark {
    None,
    /// A captured start tag, with its offset.
    Tag(u64),
    /// The same of a script.
    Script(u64),
    /// The end tag of a script.
    EndTag,
}

/// A mark in one word: two bits for the kind, the rest for the offset.
#[derive(Debug, Clone, Default)]
struct Slot(Arc<AtomicU64>);

impl Slot {
    fn put(&self, mark: Mark) {
        let word = match mark {
            Mark::None => 0,
            Mark::Tag(at) => at << 2 | 1,
            Mark::Script(at) => at << 2 | 2,
            Mark::EndTag => 3,
        };
        self.0.store(word, Ordering::Relaxed);
    }

    fn take(&self) -> Mark {
        let word = self.0.swap(0, Ordering::Relaxed);
        match word & 3 {
            1 => Mark::Tag(word >> 2),
            2 => Mark::Script(word >> 2),
            3 => Mark::EndTag,
            _ => Mark::None,
        }
    }
}

pub(super) struct Sink {
    slot: Slot,
    core: Shared,
}

impl OutputSink for Sink {
    fn handle_chunk(&mut self, chunk: &[u8]) {
        if !chunk.is_empty() {
            let mark = self.slot.take();
            lock(&self.core).slice(chunk, mark);
        }
    }
}

pub(super) type Parser = HtmlRewriter<'static, Sink>;

static TAGS: LazyLock<Option<Selector>> = LazyLock::new(|| "form".parse().ok());
static SCRIPT: LazyLock<Option<Selector>> = LazyLock::new(|| "script".parse().ok());

/// A parser that hands the page to `core`; `None` never happens, the selectors are sound.
pub(super) fn parser(core: Shared, limits: &Limits) -> Option<Parser> {
    let slot = Slot::default();
    let tags = {
        let slot = slot.clone();
        move |element: &mut Element<'_, '_>| {
            slot.put(Mark::Tag(start(element)));
            Ok(())
        }
    };
    let script = {
        let slot = slot.clone();
        move |element: &mut Element<'_, '_>| {
            let end = slot.clone();
            let ends = element.on_end_tag(Box::new(move |_: &mut EndTag<'_>| {
                end.put(Mark::EndTag);
                Ok(())
            }));
            // An element that cannot have an end tag holds no text either.
            slot.put(if ends.is_ok() {
                Mark::Script(start(element))
            } else {
                Mark::Tag(start(element))
            });
            Ok(())
        }
    };
    let memory = MemorySettings::new()
        .with_preallocated_parsing_buffer_size(0)
        .with_max_allowed_memory_usage(limits.parser_memory);
    let settings = Settings::new_send()
        .with_strict(false)
        .with_memory_settings(memory)
        .append_element_content_handler((
            Cow::Borrowed(TAGS.as_ref()?),
            ElementContentHandlers::default().element(tags),
        ))
        .append_element_content_handler((
            Cow::Borrowed(SCRIPT.as_ref()?),
            ElementContentHandlers::default().element(script),
        ));
    Some(HtmlRewriter::new(settings, Sink { slot, core }))
}

fn start(element: &Element<'_, '_>) -> u64 {
    element.source_location().bytes().start as u64
}

#[cfg(test)]
mod tests;
