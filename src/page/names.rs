//! The names of elements, and what each kind of them does to the markup around it.

/// A tag's name: lower case, packed when it has at most eight bytes, else hashed.
pub(super) type Name = u64;

pub(super) const fn name(bytes: &[u8]) -> Name {
    let mut name = 0;
    let mut i = 0;
    while i < bytes.len() {
        name = longer(name, i, bytes[i]);
        i += 1;
    }
    name
}

/// A name that goes on with `byte` after that many.
#[inline]
pub(super) const fn longer(name: Name, length: usize, byte: u8) -> Name {
    let byte = byte.to_ascii_lowercase() as u64;
    if length < 8 {
        name << 8 | byte
    } else {
        (name ^ byte).wrapping_mul(0x0100_0000_01b3) | 1 << 63
    }
}

pub(super) const A: Name = name(b"a");
pub(super) const B: Name = name(b"b");
pub(super) const BODY: Name = name(b"body");
pub(super) const CAPTION: Name = name(b"caption");
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
pub(super) const TEMPLATE: Name = name(b"template");
pub(super) const TR: Name = name(b"tr");
const H2: Name = name(b"h2");
pub(super) const LI: Name = name(b"li");
pub(super) const MATH: Name = name(b"math");
pub(super) const OL: Name = name(b"ol");
pub(super) const OPTION: Name = name(b"option");
pub(super) const P: Name = name(b"p");
const SCRIPT: Name = name(b"script");
pub(super) const SELECT: Name = name(b"select");
pub(super) const SVG: Name = name(b"svg");
pub(super) const TABLE: Name = name(b"table");
pub(super) const TBODY: Name = name(b"tbody");
pub(super) const TH: Name = name(b"th");
pub(super) const UL: Name = name(b"ul");

pub(super) const ADDRESS: Name = name(b"address");
const ARTICLE: Name = name(b"article");
const ASIDE: Name = name(b"aside");
const BLOCKQUOTE: Name = name(b"blockquote");
const CENTER: Name = name(b"center");
const DD: Name = name(b"dd");
const DETAILS: Name = name(b"details");
const DIALOG: Name = name(b"dialog");
const DIR: Name = name(b"dir");
const DL: Name = name(b"dl");
const DT: Name = name(b"dt");
const FIELDSET: Name = name(b"fieldset");
const FIGCAPTION: Name = name(b"figcaption");
const FIGURE: Name = name(b"figure");
const FOOTER: Name = name(b"footer");
const H3: Name = name(b"h3");
const H4: Name = name(b"h4");
const H5: Name = name(b"h5");
const H6: Name = name(b"h6");
const HEADER: Name = name(b"header");
const HGROUP: Name = name(b"hgroup");
const LISTING: Name = name(b"listing");
const MAIN: Name = name(b"main");
const MENU: Name = name(b"menu");
const NAV: Name = name(b"nav");
const PRE: Name = name(b"pre");
const SEARCH: Name = name(b"search");
const SECTION: Name = name(b"section");
const SUMMARY: Name = name(b"summary");

const AREA: Name = name(b"area");
const BASE: Name = name(b"base");
const BASEFONT: Name = name(b"basefont");
const BGSOUND: Name = name(b"bgsound");
pub(super) const BR: Name = name(b"br");
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
    /// Its start ends a paragraph.
    Section,
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
        matches!(self, Self::Void | Self::Block | Self::Section | Self::Other)
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
        ADDRESS | ARTICLE | ASIDE | BLOCKQUOTE | CENTER | DD | DETAILS | DIALOG | DIR | DL | DT
        | FIELDSET | FIGCAPTION | FIGURE | FOOTER | H3 | H4 | H5 | H6 | HEADER | HGROUP
        | LISTING | MAIN | MENU | NAV | PRE | SEARCH | SECTION | SUMMARY => Kind::Section,
        _ => Kind::Other,
    }
}
