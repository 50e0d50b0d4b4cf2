//! What a tag does: to what is open, and to what is being read.

use super::Stopped;
use super::elements::Element;
use super::hidden::{self, Own};
use super::markup::Tag;
use super::names::{self, Kind, Name};
use super::reading::{Place, Reading, Role};

impl Reading {
    #[inline]
    pub(super) fn tag(&mut self, tag: &Tag<'_>, at: u64) -> Result<(), Stopped> {
        if tag.is_end {
            self.end(tag.name, at, at + tag.raw.len() as u64);
            return Ok(());
        }
        self.start(tag, at)
    }

    pub(super) fn start(&mut self, tag: &Tag<'_>, at: u64) -> Result<(), Stopped> {
        if self.full {
            return Err(Stopped::Results);
        }
        self.any_tag = true;
        #[cfg(test)]
        self.tags.push(at);
        if self.elements.in_foreign() {
            self.html_starts(tag, at);
        }
        if tag.kind == Kind::Block {
            if let Some(left) = self.elements.after_start(tag.name) {
                self.close_to(left, at);
            }
            self.unclosed_ad_link(at);
        } else if tag.kind == Kind::Section {
            if let Some(left) = self.elements.after_start(tag.name) {
                self.close_to(left, at);
            }
        } else if tag.name == names::A
            && let Some(link) = self.elements.take_link()
        {
            self.closed(link, at);
        }
        let own = if tag.may_hide {
            hidden::own(tag)
        } else {
            Own::default()
        };
        let role = self.opened(tag, own, at, at + tag.raw.len() as u64);
        if tag.kind == Kind::Void || self.elements.in_foreign() && tag.raw.ends_with(b"/>") {
            return Ok(());
        }
        if self.elements.depth() >= self.limits.depth {
            return Err(Stopped::Depth);
        }
        self.elements.push(tag.name, role, own);
        Ok(())
    }

    /// An end tag that stands from `at` to `end`.
    pub(super) fn end(&mut self, name: Name, at: u64, end: u64) {
        if self.elements.in_foreign() {
            self.html_ends(name, at);
        }
        if name == names::FORM {
            // It ends even where its element goes on, as around a table's cell.
            self.form_ends();
        }
        let Some(left) = self.elements.after_end(name) else {
            return;
        };
        let hidden = self.elements.hidden();
        self.close_to(left + 1, at);
        self.innermost_ends(end);
        if matches!(name, names::BODY | names::HTML) {
            self.elements.hide(hidden);
        }
    }

    /// The innermost open element ends at `at`: past its own end tag, if it has one.
    pub(super) fn innermost_ends(&mut self, at: u64) {
        if let Some(element) = self.elements.pop() {
            self.closed(element, at);
        }
    }

    fn close_to(&mut self, left: usize, at: u64) {
        while self.elements.depth() > left {
            self.innermost_ends(at);
        }
    }

    fn closed(&mut self, element: Element, at: u64) {
        match element.role {
            Role::None => {}
            Role::Block => self.blocks_end(at),
            Role::Row => self.row_ends(at),
            Role::AdLink => self.unclosed_ad_link(at),
            Role::InAd => {
                if self.place == Place::Ad {
                    self.cuts.sure(at);
                }
            }
            Role::Field(field) => {
                if self.field == Some(field) {
                    self.field_ends();
                }
            }
            Role::Side(side) => {
                if self.side == Some(side) {
                    self.side_ends();
                }
            }
            Role::Bold => self.main_text.bold_ends(),
            Role::Form => self.form_ends(),
            Role::ZeroBox => self.zero.open = false,
        }
    }

    fn opened(&mut self, tag: &Tag<'_>, own: Own, at: u64, end: u64) -> Role {
        match tag.name {
            names::A => self.link(tag, own, at, end),
            names::DIV => self.div(tag, own, at),
            names::SPAN => self.span(tag, own, at),
            names::TR => self.row(tag, at),
            names::TD => self.cell(tag, own, at),
            names::FORM => self.form(tag, at),
            names::INPUT => self.input(tag),
            names::B | names::STRONG => {
                self.main_text.bold();
                Role::Bold
            }
            names::IMG => self.image(tag, own),
            names::H1 if self.zero.open => self.zero_heading(own),
            names::META if self.encoding_open => self.meta(tag),
            _ => Role::None,
        }
    }
}
