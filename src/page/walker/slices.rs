//! What goes on from one slice to the next.

use super::super::edges::{CommentEnd, Opens, TagEnd, ends_raw_text, opens};
use super::super::names::Name;
use super::super::reading::Reading;
use super::{State, Walker};

impl Walker {
    /// What is no markup, up to the end tag.
    pub(super) fn raw_text(&mut self, rest: &[u8], name: Name) -> usize {
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
    pub(super) fn carry_on(&mut self, base: u64, chunk: &[u8], open: usize, state: State) -> usize {
        self.carry.clear();
        self.carry.extend_from_slice(&chunk[open..]);
        self.state = state;
        self.at = base + chunk.len() as u64;
        chunk.len()
    }

    /// Goes on after a `<` at a slice's end, byte by byte until it is known what it begins.
    pub(super) fn opened(&mut self, rest: &[u8], reading: &mut Reading) -> usize {
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
