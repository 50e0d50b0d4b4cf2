//! How far up an end tag reaches, and a start tag that ends what was left open.
//!
//! HTML's standard has most tags reach no further than the table's cell or the template they stand in. What is hidden there
//! would come to be seen if they did.

use super::elements::Element;
use super::names::{
    A, ADDRESS, B, BODY, CAPTION, DIV, HTML, Kind, LI, Name, OL, OPTION, P, SELECT, STRONG, TABLE,
    TBODY, TD, TEMPLATE, TH, TR, UL, kind, name,
};

const BUTTON: Name = name(b"button");
const OBJECT: Name = name(b"object");
const MARQUEE: Name = name(b"marquee");
const TFOOT: Name = name(b"tfoot");
const THEAD: Name = name(b"thead");

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

/// Whether an end tag of that name reaches no further than one of the elements, which stand open in the one it would end.
pub(super) fn stops(elements: &[Element], tag: Name) -> bool {
    let any = |stops: fn(&Element) -> bool| elements.iter().any(stops);
    match tag {
        TEMPLATE => false,
        HTML | BODY => any(|it| it.is_html(|name| name == TEMPLATE)),
        TABLE | TBODY | TFOOT | THEAD | TR | TD | TH | CAPTION => {
            any(|it| it.is_html(|name| matches!(name, TABLE | TEMPLATE | HTML)))
        }
        P => any(|it| bounds(it) || it.is_html(|name| name == BUTTON)),
        LI => any(|it| bounds(it) || it.is_html(|name| matches!(name, OL | UL))),
        _ if is_block(tag) || TEXTS.contains(&tag) => any(bounds),
        _ => any(|it| bounds(it) || it.is_html(is_block)),
    }
}

/// Whether the start of an item ends none that is further out than that open element.
pub(super) fn holds_items(element: &Element) -> bool {
    let is_block = |name| is_block(name) && !matches!(name, ADDRESS | DIV | P);
    bounds(element) || element.is_html(is_block)
}

/// Whether what stands in the element is a scope of its own.
fn bounds(element: &Element) -> bool {
    let is_scope = |name| {
        matches!(
            name,
            TD | TH | CAPTION | TABLE | TEMPLATE | HTML | MARQUEE | OBJECT
        )
    };
    element.holds_html() || element.is_html(is_scope)
}

/// Whether elements of that name lay a page out: the end tag of one that does not, such as `span`, reaches past none of them.
fn is_block(name: Name) -> bool {
    match name {
        OPTION => false,
        BODY | BUTTON | CAPTION | MARQUEE | OBJECT | SELECT | TFOOT | THEAD => true,
        _ => matches!(kind(name), Kind::Block | Kind::Section),
    }
}
