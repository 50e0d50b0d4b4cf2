//! lol_html as the parser, its output as the reader's input.
//!
//! It is given what is not plain markup, and scripts are captured: where one ends hangs on more than the next tag. All other tags
//! are left to the [walker](super::walker), since each further selector is asked for every tag.
//!
//! lol_html hands out the bytes before a captured tag, calls the tag's handler, then hands out the tag. The handler leaves a
//! mark, the sink knows by it what the next slice is. Nothing is ever changed, so what the sink gets is the page, byte for
//! byte, and the sum of it is the offset. That order is not documented; it is checked at each tag.

use super::state::{Core, Shared, lock};
use super::{Limits, Stopped};
use lol_html::html_content::EndTag;
use lol_html::send::{Element, ElementContentHandlers, HtmlRewriter, Settings};
use lol_html::{MemorySettings, OutputSink, Selector};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

impl Core {
    fn slice(&mut self, slice: &[u8], mark: Mark) {
        if self.stopped.is_some() {
            return;
        }
        let read = match mark {
            Mark::None => self.walker.stretch(slice, &mut self.reading),
            Mark::Script(at) if at + self.unseen != self.walker.at || !is_tag(slice) => {
                Err(Stopped::Parser)
            }
            Mark::Script(_) => self.walker.script(slice, &mut self.reading),
            Mark::ScriptEnd => {
                self.walker.script_ends();
                self.walker.stretch(slice, &mut self.reading)
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

/// What the next slice is.
#[derive(Debug, Clone, Copy)]
enum Mark {
    None,
    /// The start tag of a script, with its offset.
    Script(u64),
    /// The end tag of one.
    ScriptEnd,
}

/// A mark in one word: two bits for the kind, the rest for the offset.
#[derive(Debug, Clone, Default)]
struct Slot(Arc<AtomicU64>);

impl Slot {
    fn put(&self, mark: Mark) {
        let word = match mark {
            Mark::None => 0,
            Mark::Script(at) => at << 2 | 1,
            Mark::ScriptEnd => 2,
        };
        self.0.store(word, Ordering::Relaxed);
    }

    fn take(&self) -> Mark {
        let word = self.0.swap(0, Ordering::Relaxed);
        match word & 3 {
            1 => Mark::Script(word >> 2),
            2 => Mark::ScriptEnd,
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

const HTML: &str = "http://www.w3.org/1999/xhtml";

static SCRIPT: LazyLock<Option<Selector>> = LazyLock::new(|| "script".parse().ok());

/// A parser that hands the page to `core`; `None` never happens, the selector is sound.
pub(super) fn parser(core: Shared, limits: &Limits) -> Option<Parser> {
    let slot = Slot::default();
    let marks = slot.clone();
    let script = move |element: &mut Element<'_, '_>| {
        // What a script of svg holds is markup.
        if element.namespace_uri() != HTML {
            return Ok(());
        }
        let end_marks = marks.clone();
        let ends = element.on_end_tag(Box::new(move |_: &mut EndTag<'_>| {
            end_marks.put(Mark::ScriptEnd);
            Ok(())
        }));
        // An element that cannot have an end tag holds no script either.
        if ends.is_ok() {
            let start = element.source_location().bytes().start;
            marks.put(Mark::Script(start as u64));
        }
        Ok(())
    };
    let memory = MemorySettings::new()
        .with_preallocated_parsing_buffer_size(0)
        .with_max_allowed_memory_usage(limits.parser_memory);
    let settings = Settings::new_send()
        .with_strict(false)
        .with_memory_settings(memory)
        .append_element_content_handler((
            Cow::Borrowed(SCRIPT.as_ref()?),
            ElementContentHandlers::default().element(script),
        ));
    Some(HtmlRewriter::new(settings, Sink { slot, core }))
}

#[cfg(test)]
mod tests;
