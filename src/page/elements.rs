//! The open elements, as far as the page's end tags go.

use super::hidden::Own;
use super::names::{
    A, BODY, HTML, LI, MATH, Name, OPTION, P, SELECT, SVG, TABLE, TD, TEMPLATE, TH, TR,
};
use super::reading::Role;
use super::scopes::{holds_items, stops};

#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) name: Name,
    pub(super) role: Role,
    hidden: Hidden,
    /// It is of svg or math.
    foreign: bool,
}

impl Element {
    pub(super) fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// Whether it is one of html with such a name.
    pub(super) fn is_html(&self, such: impl Fn(Name) -> bool) -> bool {
        !self.foreign && such(self.name)
    }
}

#[derive(Debug, Default)]
pub(super) struct Elements {
    open: Vec<Element>,
    /// How many `p` and `a` are open.
    paragraphs: usize,
    links: usize,
    /// Whether there has been any `svg` or `math`.
    had_foreign: bool,
    /// How what stands outside of all elements is hidden.
    outside: Hidden,
}

/// How something is hidden.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hidden {
    gone: bool,
    invisible: bool,
}

impl Elements {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The name of the innermost open element.
    pub(super) fn last(&self) -> Option<Name> {
        self.open.last().map(|element| element.name)
    }

    /// The name of the innermost open element, if that is one of svg or math.
    pub(super) fn last_foreign(&self) -> Option<Name> {
        self.open
            .last()
            .and_then(|element| element.foreign.then_some(element.name))
    }

    pub(super) fn had_foreign(&self) -> bool {
        self.had_foreign
    }

    pub(super) fn in_option(&self) -> bool {
        self.open
            .last()
            .is_some_and(|parent| matches!(parent.name, SELECT | OPTION))
    }

    /// How what stands here is hidden.
    pub(super) fn hidden(&self) -> Hidden {
        self.open
            .last()
            .map_or(self.outside, |parent| parent.hidden)
    }

    /// Hides what stands in the elements that are open, and outside of all: the page's end tags end none, so what comes after them is
    /// where they stand.
    pub(super) fn hide(&mut self, hidden: Hidden) {
        let open = self.open.iter_mut().map(|element| &mut element.hidden);
        for outer in open.chain([&mut self.outside]) {
            outer.gone |= hidden.gone;
            outer.invisible |= hidden.invisible;
        }
    }

    /// Whether what stands here can be seen.
    pub(super) fn seen(&self) -> bool {
        self.would_see(Own::default())
    }

    /// Whether an element that stands here can be seen, by its own attributes too.
    pub(super) fn would_see(&self, own: Own) -> bool {
        let Hidden { gone, invisible } = self.inherited(own);
        !gone && !invisible
    }

    fn inherited(&self, own: Own) -> Hidden {
        let Hidden { gone, invisible } = self.hidden();
        Hidden {
            gone: gone || own.gone,
            invisible: own.visible.map_or(invisible, |visible| !visible),
        }
    }

    pub(super) fn push(&mut self, name: Name, role: Role, own: Own) {
        let mut hidden = self.inherited(own);
        hidden.gone |= name == TEMPLATE;
        let foreign = matches!(name, SVG | MATH) || self.in_foreign();
        self.had_foreign |= foreign;
        self.count(name, 1);
        self.open.push(Element {
            name,
            role,
            hidden,
            foreign,
        });
    }

    pub(super) fn pop(&mut self) -> Option<Element> {
        let element = self.open.pop()?;
        self.count(element.name, usize::MAX);
        Some(element)
    }

    fn count(&mut self, name: Name, by: usize) {
        match name {
            A => self.links = self.links.wrapping_add(by),
            P => self.paragraphs = self.paragraphs.wrapping_add(by),
            _ => {}
        }
    }

    /// How many elements stay open after that end tag; `None` when it ends none.
    pub(super) fn after_end(&self, tag: Name) -> Option<usize> {
        let at = self.open.iter().rposition(|element| element.name == tag)?;
        (!stops(&self.open[at + 1..], tag)).then_some(at)
    }

    /// How many elements stay open when that block starts, since the start ends those whose end tags may be left out.
    pub(super) fn after_start(&self, tag: Name) -> Option<usize> {
        match tag {
            TR => self.last_among(&[TR], &[TABLE, TEMPLATE]),
            TD | TH => self.last_among(&[TD, TH], &[TABLE, TR, TEMPLATE]),
            LI => self
                .last_within(|element| element.name == LI, holds_items)
                .or_else(|| self.paragraph()),
            OPTION => self.last_among(&[OPTION], &[SELECT, TEMPLATE]),
            _ => self.paragraph(),
        }
    }

    fn paragraph(&self) -> Option<usize> {
        (self.paragraphs > 0).then(|| self.after_end(P)).flatten()
    }

    fn last_among(&self, wanted: &[Name], scope: &[Name]) -> Option<usize> {
        self.last_within(
            |element| wanted.contains(&element.name),
            |element| scope.contains(&element.name),
        )
    }

    /// The innermost element that is wanted, if none that stops the search stands in it.
    fn last_within(
        &self,
        wanted: impl Fn(&Element) -> bool,
        stops: impl Fn(&Element) -> bool,
    ) -> Option<usize> {
        let (at, element) = self
            .open
            .iter()
            .enumerate()
            .rfind(|(_, element)| wanted(element) || stops(element))?;
        wanted(element).then_some(at)
    }

    /// Takes an open link out from under what was opened in it: links do not nest.
    pub(super) fn take_link(&mut self) -> Option<Element> {
        if self.links == 0 {
            return None;
        }
        let at = self.open.iter().rposition(|element| element.name == A)?;
        self.links -= 1;
        Some(self.open.remove(at))
    }

    /// Whether the page began and has not ended.
    pub(super) fn page_is_open(&self) -> bool {
        self.open
            .iter()
            .any(|element| matches!(element.name, HTML | BODY))
    }
}
