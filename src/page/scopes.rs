//! How far up an end tag reaches, and a start tag that ends what was left open.
//!
//! HTML's standard has most tags reach no further than the table's cell or the template they stand in. What is hidden there
//! would come to be seen if they did.

use super::elements::Element;
use super::names::{
    A, B, BODY, CAPTION, DIV, FORM, H1, H2, HTML, LI, Name, OL, P, SELECT, STRONG, TABLE, TBODY,
    TD, TEMPLATE, TH, TR, UL, name,
};

const BUTTON: Name = name(b"button");
const OBJECT: Name = name(b"object");
const MARQUEE: Name = name(b"marquee");
const TFOOT: Name = name(b"tfoot");
const THEAD: Name = name(b"thead");
const ADDRESS: Name = name(b"address");

/// Elements that lay a page out; the end tag of one that does not, such as `span`, reaches past none of them.
const BLOCKS: [Name; 46] = [
    ADDRESS,
    name(b"article"),
    name(b"aside"),
    name(b"blockquote"),
    BODY,
    BUTTON,
    CAPTION,
    name(b"center"),
    name(b"dd"),
    name(b"details"),
    name(b"dir"),
    DIV,
    name(b"dl"),
    name(b"dt"),
    name(b"fieldset"),
    name(b"figcaption"),
    name(b"figure"),
    name(b"footer"),
    FORM,
    H1,
    H2,
    name(b"h3"),
    name(b"h4"),
    name(b"h5"),
    name(b"h6"),
    name(b"header"),
    name(b"hgroup"),
    LI,
    name(b"listing"),
    name(b"main"),
    MARQUEE,
    name(b"menu"),
    name(b"nav"),
    OBJECT,
    OL,
    P,
    name(b"pre"),
    name(b"search"),
    name(b"section"),
    SELECT,
    name(b"summary"),
    TBODY,
    TFOOT,
    THEAD,
    TR,
    UL,
];

/// Elements of text whose end tags reach past blocks.
const TEXTS: [Name; 14] = [
    A,
    B,
    name(b"big"),
    name(b"code"),
    name(b"em"),
    name(b"font"),
    name(b"i"),
    name(b"nobr"),
    name(b"s"),
    name(b"small"),
    name(b"strike"),
    STRONG,
    name(b"tt"),
    name(b"u"),
];

/// Whether the end tag of `tag` reaches no further than that open element.
pub(super) fn stops(element: &Element, tag: Name) -> bool {
    match tag {
        TEMPLATE => false,
        HTML | BODY => is(element, &[TEMPLATE]),
        TABLE | TBODY | TFOOT | THEAD | TR | TD | TH | CAPTION => {
            is(element, &[TABLE, TEMPLATE, HTML])
        }
        P => is(element, &[BUTTON]) || bounds(element),
        LI => is(element, &[OL, UL]) || bounds(element),
        _ if BLOCKS.contains(&tag) || TEXTS.contains(&tag) => bounds(element),
        _ => is(element, &BLOCKS) || bounds(element),
    }
}

/// Whether the start of an item ends none that is further out than that open element.
pub(super) fn holds_items(element: &Element) -> bool {
    !is(element, &[ADDRESS, DIV, P]) && is(element, &BLOCKS) || bounds(element)
}

/// Whether what stands in the element is a scope of its own.
fn bounds(element: &Element) -> bool {
    element.holds_html()
        || is(
            element,
            &[TD, TH, CAPTION, TABLE, TEMPLATE, HTML, MARQUEE, OBJECT],
        )
}

fn is(element: &Element, names: &[Name]) -> bool {
    !element.is_foreign() && names.contains(&element.name)
}
