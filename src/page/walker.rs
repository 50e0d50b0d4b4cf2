//! Reads the stretches of markup that lol_html hands over unread.
//!
//! lol_html settles where a page has forms, scripts and other raw text (styles, titles). To capture every other tag with
//! it as well costs three allocations a tag and a third of the time, so what stands between the captured tags, plain
//! markup and comments, is split here.

use super::Stopped;
use super::elements::{Kind, PLAINTEXT};
use super::ends::{CommentEnd, TagEnd};
use super::markup::{Name, Tag, is_space, name, plain_end};
use super::reading::Reading;
use memchr::memchr;

#[derive(Debug, Default)]
pub(super) struct Walker {
    state: State,
    /// The start of a tag that goes on in the next slice.
    carry: Vec<u8>,
    /// The offset of the next byte.
    pub(super) at: u64,
}

#[derive(Debug, Clone, Copy, Default)]
enum State {
    #[default]
    Text,
    /// After a `<` of which it is not known yet what it begins.
    Open,
    Tag(TagEnd),
    Comment(CommentEnd),
    /// `<!doctype …>`, `<?…>` and the like, up to the next `>`.
    Declaration,
    Cdata(CommentEnd),
    /// In an element whose content is no markup, up to its end tag.
    RawText(Name),
    /// In a script: where that ends is left to lol_html.
    Script,
}

impl Walker {
    /// The offset up to which everything has been understood.
    pub(super) fn understood(&self) -> u64 {
        self.at - self.carry.len() as u64
    }

    /// Whether the page ended amid a tag or a comment.
    pub(super) fn is_amid(&self) -> bool {
        !matches!(self.state, State::Text)
    }

    /// A start tag that lol_html captured.
    pub(super) fn captured(
        &mut self,
        raw: &[u8],
        script: bool,
        reading: &mut Reading,
    ) -> Result<(), Stopped> {
        if raw.len() > reading.limits.tag {
            return Err(Stopped::Tag);
        }
        // lol_html knows better where a tag starts.
        self.carry.clear();
        self.state = if script && !reading.elements.in_foreign() {
            State::Script
        } else {
            State::Text
        };
        let start = self.at;
        self.at += raw.len() as u64;
        reading.text(b"", true);
        // The sink has seen to it that this is a tag.
        Tag::read(raw).map_or(Ok(()), |tag| reading.start(&tag, start))
    }

    /// The end tag of a script is next.
    pub(super) fn script_ends(&mut self) {
        if matches!(self.state, State::Script) {
            self.state = State::Text;
        }
    }

    /// Markup that holds none of the tags that lol_html captures.
    pub(super) fn stretch(
        &mut self,
        chunk: &[u8],
        limit: usize,
        reading: &mut Reading,
    ) -> Result<(), Stopped> {
        let mut rest = chunk;
        while !rest.is_empty() {
            let used = match &mut self.state {
                State::Text => self.text(rest, reading)?,
                State::Open => self.opened(rest, reading),
                State::Tag(end) => {
                    let found = end.find(rest);
                    let used = found.unwrap_or(rest.len());
                    if self.carry.len() + used > limit {
                        return Err(Stopped::Tag);
                    }
                    self.carry.extend_from_slice(&rest[..used]);
                    self.at += used as u64;
                    if found.is_some() {
                        self.state = State::Text;
                        let raw = std::mem::take(&mut self.carry);
                        if let Some(tag) = Tag::read(&raw) {
                            reading.tag(&tag, self.at - raw.len() as u64)?;
                            self.begins_raw_text(&tag, reading);
                        }
                    }
                    used
                }
                State::Comment(end) => {
                    let found = end.find(rest);
                    self.skip(rest, found)
                }
                State::Declaration => self.skip(rest, memchr(b'>', rest).map(|at| at + 1)),
                State::Cdata(end) => {
                    let found = end.find_cdata(rest);
                    self.skip(rest, found)
                }
                State::RawText(name) => {
                    let name = *name;
                    self.raw_text(rest, name)
                }
                State::Script => self.skip(rest, None),
            };
            rest = &rest[used..];
        }
        Ok(())
    }

    fn skip(&mut self, rest: &[u8], found: Option<usize>) -> usize {
        let used = found.unwrap_or(rest.len());
        self.at += used as u64;
        if found.is_some() {
            self.state = State::Text;
        }
        used
    }

    /// Text and whole tags, up to where something else begins or the slice ends.
    fn text(&mut self, chunk: &[u8], reading: &mut Reading) -> Result<usize, Stopped> {
        let base = self.at;
        let mut from = 0;
        let mut seek = 0;
        while let Some(found) = memchr(b'<', &chunk[seek..]) {
            let open = seek + found;
            let after = &chunk[open + 1..];
            if let Some(last) = reading.elements.last()
                && let Some(length) = plain_end(after, last)
                && length < reading.limits.tag
            {
                reading.text(&chunk[from..open], true);
                seek = open + 1 + length;
                from = seek;
                self.at = base + seek as u64;
                reading.last_ends(self.at);
                continue;
            }
            let Some(opens) = opens(after, reading.elements.in_foreign()) else {
                reading.text(&chunk[from..open], false);
                return Ok(self.carry_on(base, chunk, open, State::Open));
            };
            let (state, used) = match opens {
                Opens::Text => {
                    seek = open + 1;
                    continue;
                }
                Opens::Tag => {
                    reading.text(&chunk[from..open], true);
                    let Some(tag) = Tag::read(&chunk[open..]) else {
                        if chunk.len() - open > reading.limits.tag {
                            return Err(Stopped::Tag);
                        }
                        let mut end = TagEnd::default();
                        // Past what tells that it is a tag: the name's first letter, or the slash before it.
                        end.find(&chunk[open + 2..]);
                        return Ok(self.carry_on(base, chunk, open, State::Tag(end)));
                    };
                    if tag.raw.len() > reading.limits.tag {
                        return Err(Stopped::Tag);
                    }
                    seek = open + tag.raw.len();
                    from = seek;
                    self.at = base + seek as u64;
                    reading.tag(&tag, base + open as u64)?;
                    if self.begins_raw_text(&tag, reading) {
                        return Ok(seek);
                    }
                    continue;
                }
                Opens::Comment => (State::Comment(CommentEnd::default()), open + 4),
                Opens::Declaration => (State::Declaration, open + 2),
                Opens::Cdata => (State::Cdata(CommentEnd::default()), open + 9),
            };
            reading.text(&chunk[from..open], true);
            self.state = state;
            self.at = base + used as u64;
            return Ok(used);
        }
        reading.text(&chunk[from..], false);
        self.at = base + chunk.len() as u64;
        Ok(chunk.len())
    }

    fn begins_raw_text(&mut self, tag: &Tag<'_>, reading: &Reading) -> bool {
        let raw_text = tag.kind == Kind::RawText && !reading.elements.in_foreign();
        if raw_text {
            self.state = State::RawText(tag.name);
        }
        raw_text
    }

    fn raw_text(&mut self, rest: &[u8], name: Name) -> usize {
        if self.carry.is_empty() {
            for open in memchr::memchr_iter(b'<', rest) {
                match ends_raw_text(&rest[open..], name) {
                    Some(false) => {}
                    Some(true) => return self.skip(rest, Some(open)),
                    None => return self.carry_on(self.at, rest, open, State::RawText(name)),
                }
            }
            return self.skip(rest, None);
        }
        for (used, &byte) in rest.iter().enumerate() {
            self.carry.push(byte);
            let Some(ends) = ends_raw_text(&self.carry, name) else {
                continue;
            };
            // The last byte is the first of what follows.
            self.carry.pop();
            self.at += used as u64;
            if ends {
                self.state = State::Tag(TagEnd::default());
            } else {
                self.carry.clear();
            }
            return used;
        }
        self.at += rest.len() as u64;
        rest.len()
    }

    /// Keeps what begins at `open` for the next slice.
    fn carry_on(&mut self, base: u64, chunk: &[u8], open: usize, state: State) -> usize {
        self.carry.clear();
        self.carry.extend_from_slice(&chunk[open..]);
        self.state = state;
        self.at = base + chunk.len() as u64;
        chunk.len()
    }

    /// Goes on after a `<` at a slice's end, byte by byte until it is known what it begins.
    fn opened(&mut self, rest: &[u8], reading: &mut Reading) -> usize {
        for (used, &byte) in rest.iter().enumerate() {
            self.carry.push(byte);
            self.at += 1;
            let Some(opens) = opens(&self.carry[1..], reading.elements.in_foreign()) else {
                continue;
            };
            let (state, whole) = match opens {
                Opens::Text => (State::Text, false),
                Opens::Tag => (State::Tag(TagEnd::default()), false),
                Opens::Declaration => (State::Declaration, false),
                Opens::Comment => (State::Comment(CommentEnd::default()), true),
                Opens::Cdata => (State::Cdata(CommentEnd::default()), true),
            };
            if !whole {
                // The last byte is the first of what follows.
                self.carry.pop();
                self.at -= 1;
            }
            match opens {
                Opens::Text => reading.text(&self.carry, false),
                _ => reading.text(b"", true),
            }
            if !matches!(opens, Opens::Tag) {
                self.carry.clear();
            }
            self.state = state;
            return used + usize::from(whole);
        }
        rest.len()
    }
}

/// Whether `bytes` begin with the end tag of that element; `None` when they are too few to tell.
fn ends_raw_text(bytes: &[u8], element: Name) -> Option<bool> {
    if *bytes.get(1)? != b'/' || element == PLAINTEXT {
        return Some(false);
    }
    let rest = &bytes[2..];
    let end = rest.iter().position(|b| !b.is_ascii_alphabetic());
    if end.is_none() && rest.len() <= 8 {
        return None;
    }
    let (tag, after) = rest.split_at(end.unwrap_or(rest.len()));
    let ends = after
        .first()
        .is_some_and(|&b| is_space(b) || b == b'/' || b == b'>');
    Some(ends && name(tag) == element)
}

#[derive(Debug, Clone, Copy)]
enum Opens {
    Tag,
    Comment,
    Declaration,
    Cdata,
    Text,
}

/// What a `<` begins, by the bytes after it; `None` when they are too few to tell.
#[inline(always)]
fn opens(after: &[u8], foreign: bool) -> Option<Opens> {
    const COMMENT: &[u8] = b"!--";
    const CDATA: &[u8] = b"![CDATA[";
    match after {
        [] | [b'/'] => None,
        [b'a'..=b'z' | b'A'..=b'Z', ..] | [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Some(Opens::Tag),
        [b'!', ..] if after.starts_with(COMMENT) => Some(Opens::Comment),
        [b'!', ..] if foreign && after.starts_with(CDATA) => Some(Opens::Cdata),
        [b'!', ..] if COMMENT.starts_with(after) || foreign && CDATA.starts_with(after) => None,
        [b'!' | b'/' | b'?', ..] => Some(Opens::Declaration),
        _ => Some(Opens::Text),
    }
}

#[cfg(test)]
mod tests;
