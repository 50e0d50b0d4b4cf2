//! Splits markup into texts and tags, for the reading.
//!
//! The rules on hidden text need every tag. To have lol_html capture them all costs three allocations a tag and a third of the
//! time, so the walker splits what stands around scripts by itself, into what lol_html would split it: that is tested. It
//! gets plain markup from the [feed](super::feed), and all else from lol_html, which settles what is script.

mod slices;

use super::Stopped;
use super::edges::{CommentEnd, Opens, TagEnd, opens};
use super::markup::{Tag, plain_end};
use super::names::{Kind, Name};
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

    /// The start tag of a script, which lol_html captured.
    pub(super) fn script(&mut self, raw: &[u8], reading: &mut Reading) -> Result<(), Stopped> {
        if raw.len() > reading.limits.tag {
            return Err(Stopped::Tag);
        }
        if matches!(self.state, State::Open) {
            // It did not begin a tag, so it is text.
            reading.text(&self.carry, false);
        }
        // lol_html knows better where a tag starts.
        self.carry.clear();
        self.state = State::Script;
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

    /// Whether what comes next is markup, for lol_html too: that may still be among svg when all svg has ended here.
    pub(super) fn is_at_markup(&self, reading: &Reading) -> bool {
        matches!(self.state, State::Text) && !reading.elements.had_foreign()
    }

    /// Reads plain markup: texts and whole tags that change nothing of how what comes next is read.
    ///
    /// What is not plain is left, from the text before it on.
    pub(super) fn plain(&mut self, bytes: &[u8], reading: &mut Reading) -> Result<(), Stopped> {
        self.text(bytes, true, reading).map(drop)
    }

    /// Reads markup that has come through lol_html and holds no start of a script.
    pub(super) fn stretch(&mut self, chunk: &[u8], reading: &mut Reading) -> Result<(), Stopped> {
        let mut rest = chunk;
        while !rest.is_empty() {
            let used = match &mut self.state {
                State::Text => self.text(rest, false, reading)?,
                State::Open => self.opened(rest, reading),
                State::Tag(end) => {
                    let found = end.find(rest);
                    let used = found.unwrap_or(rest.len());
                    if self.carry.len() + used > reading.limits.tag {
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
    fn text(&mut self, chunk: &[u8], plain: bool, reading: &mut Reading) -> Result<usize, Stopped> {
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
                reading.innermost_ends(self.at);
                continue;
            }
            let Some(opens) = opens(after, reading.elements.in_foreign()) else {
                if plain {
                    return Ok(from);
                }
                reading.text(&chunk[from..open], false);
                return Ok(self.carry_on(base, chunk, open, State::Open));
            };
            let (state, used) = match opens {
                Opens::Text => {
                    seek = open + 1;
                    continue;
                }
                Opens::Tag => {
                    let tag = Tag::read(&chunk[open..]);
                    if plain && tag.is_none_or(|tag| !tag.kind.is_plain()) {
                        return Ok(from);
                    }
                    reading.text(&chunk[from..open], true);
                    let Some(tag) = tag else {
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
                _ if plain => return Ok(from),
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
        // A script that lol_html did not capture is one in an svg that it alone takes for open.
        let raw_text =
            matches!(tag.kind, Kind::RawText | Kind::Script) && !reading.elements.is_foreign();
        if raw_text {
            self.state = State::RawText(tag.name);
        }
        raw_text
    }
}

#[cfg(test)]
mod tests;
