//! The open elements, as far as the page's end tags go.

use super::hidden::Own;
use super::markup::{Name, name};
use super::reading::Role;

#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) name: Name,
    pub(super) role: Role,
    gone: bool,
    invisible: bool,
}

#[derive(Debug, Default)]
pub(super) struct Elements {
    open: Vec<Element>,
    /// How many `p` and `a` are open, and how many `svg` and `math`.
    paragraphs: usize,
    links: usize,
    foreign: usize,
    /// Whether there has been any `svg` or `math`.
    had_foreign: bool,
}

pub(super) const A: Name = name(b"a");
pub(super) const B: Name = name(b"b");
const BODY: Name = name(b"body");
pub(super) const DIV: Name = name(b"div");
pub(super) const FORM: Name = name(b"form");
pub(super) const H1: Name = name(b"h1");
pub(super) const HTML: Name = name(b"html");
pub(super) const IMG: Name = name(b"img");
pub(super) const INPUT: Name = name(b"input");
pub(super) const META: Name = name(b"meta");
pub(super) const SPAN: Name = name(b"span");
pub(super) const STRONG: Name = name(b"strong");
pub(super) const TD: Name = name(b"td");
const TEMPLATE: Name = name(b"template");
pub(super) const TR: Name = name(b"tr");
const H2: Name = name(b"h2");
const LI: Name = name(b"li");
const MATH: Name = name(b"math");
const OL: Name = name(b"ol");
const OPTION: Name = name(b"option");
const P: Name = name(b"p");
const SCRIPT: Name = name(b"script");
const SELECT: Name = name(b"select");
const SVG: Name = name(b"svg");
const TABLE: Name = name(b"table");
const TBODY: Name = name(b"tbody");
const TH: Name = name(b"th");
const UL: Name = name(b"ul");

const AREA: Name = name(b"area");
const BASE: Name = name(b"base");
const BASEFONT: Name = name(b"basefont");
const BGSOUND: Name = name(b"bgsound");
const BR: Name = name(b"br");
const COL: Name = name(b"col");
const EMBED: Name = name(b"embed");
const HR: Name = name(b"hr");
const KEYGEN: Name = name(b"keygen");
const LINK: Name = name(b"link");
const PARAM: Name = name(b"param");
const SOURCE: Name = name(b"source");
const TRACK: Name = name(b"track");
const WBR: Name = name(b"wbr");

const IFRAME: Name = name(b"iframe");
const NOEMBED: Name = name(b"noembed");
const NOFRAMES: Name = name(b"noframes");
const NOSCRIPT: Name = name(b"noscript");
pub(super) const PLAINTEXT: Name = name(b"plaintext");
const STYLE: Name = name(b"style");
const TEXTAREA: Name = name(b"textarea");
const TITLE: Name = name(b"title");
const XMP: Name = name(b"xmp");

/// What the start tag of an element does to the elements around it and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It holds nothing and has no end tag.
    Void,
    /// Its start ends an element that was left open before it.
    Block,
    /// What it holds is no markup.
    RawText,
    /// The same, but where it ends hangs on more than the next end tag.
    Script,
    /// What it holds has rules of its own.
    Foreign,
    Other,
}

impl Kind {
    /// Whether what comes after it is read as what came before it.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Void | Self::Block | Self::Other)
    }
}

pub(super) fn kind(tag: Name) -> Kind {
    match tag {
        DIV | TR | TD | TH | TABLE | TBODY | FORM | H1 | H2 | P | UL | OL | LI | OPTION => {
            Kind::Block
        }
        BR | IMG | INPUT | META | LINK | HR | AREA | BASE | BASEFONT | BGSOUND | COL | EMBED
        | KEYGEN | PARAM | SOURCE | TRACK | WBR => Kind::Void,
        TITLE | STYLE | TEXTAREA | NOSCRIPT | IFRAME | XMP | NOEMBED | NOFRAMES | PLAINTEXT => {
            Kind::RawText
        }
        SCRIPT => Kind::Script,
        SVG | MATH => Kind::Foreign,
        _ => Kind::Other,
    }
}

impl Elements {
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The name of the innermost open element.
    pub(super) fn last(&self) -> Option<Name> {
        self.open.last().map(|element| element.name)
    }

    pub(super) fn in_foreign(&self) -> bool {
        self.foreign > 0
    }

    pub(super) fn had_foreign(&self) -> bool {
        self.had_foreign
    }

    pub(super) fn in_option(&self) -> bool {
        self.open
            .last()
            .is_some_and(|parent| matches!(parent.name, SELECT | OPTION))
    }

    /// Whether what stands here can be seen.
    pub(super) fn seen(&self) -> bool {
        self.open
            .last()
            .is_none_or(|parent| !parent.gone && !parent.invisible)
    }

    /// Whether an element that stands here can be seen, by its own attributes too.
    pub(super) fn would_see(&self, own: Own) -> bool {
        let (gone, invisible) = self.inherited(own);
        !gone && !invisible
    }

    fn inherited(&self, own: Own) -> (bool, bool) {
        let (gone, invisible) = self
            .open
            .last()
            .map_or((false, false), |parent| (parent.gone, parent.invisible));
        (
            gone || own.gone,
            own.visible.map_or(invisible, |visible| !visible),
        )
    }

    pub(super) fn push(&mut self, name: Name, role: Role, own: Own) {
        let (gone, invisible) = self.inherited(own);
        let gone = gone || name == TEMPLATE;
        self.count(name, 1);
        self.open.push(Element {
            name,
            role,
            gone,
            invisible,
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
            SVG | MATH => {
                self.foreign = self.foreign.wrapping_add(by);
                self.had_foreign = true;
            }
            _ => {}
        }
    }

    /// How many elements stay open after that end tag; `None` when it ends none.
    pub(super) fn after_end(&self, tag: Name) -> Option<usize> {
        self.open.iter().rposition(|element| element.name == tag)
    }

    /// How many elements stay open when that block starts, since the start ends those whose end tags may be left out.
    pub(super) fn after_start(&self, tag: Name) -> Option<usize> {
        match tag {
            TR => self.last_within(&[TR], &[TABLE]),
            TD | TH => self.last_within(&[TD, TH], &[TABLE, TR]),
            LI => self.last_within(&[LI], &[UL, OL]),
            OPTION => self.last_within(&[OPTION], &[SELECT]),
            _ if self.paragraphs > 0 => self.last_within(&[P], &[TD, TH, TABLE, TEMPLATE, HTML]),
            _ => None,
        }
    }

    fn last_within(&self, wanted: &[Name], scope: &[Name]) -> Option<usize> {
        let at = self
            .open
            .iter()
            .rposition(|element| wanted.contains(&element.name) || scope.contains(&element.name))?;
        wanted.contains(&self.open[at].name).then_some(at)
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
