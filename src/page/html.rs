//! The rules of the html page: blocks of results and ads, and the parts of a result.

use super::encoding::attribute;
use super::hidden::Own;
use super::markup::Tag;
use super::reading::{Field, Place, Reading, Role, Side};

impl Reading {
    pub(super) fn div(&mut self, tag: &Tag<'_>, own: Own, at: u64) -> Role {
        let mut is_result = false;
        for token in tag.classes() {
            match token {
                b"result--ad" => return self.ad_block(at),
                b"result--no-result" | b"no-results" | b"no-results__container" => {
                    self.says_no_results(own)
                }
                b"result" => is_result = true,
                b"result__snippet" => return self.result_field(Field::Snippet, own),
                b"zci" | b"zci__result" => return self.zero_box(token, own),
                b"nav-link" | b"feedback-btn" => self.blocks_end(at),
                _ => {}
            }
        }
        if is_result {
            self.block_starts(at);
            return Role::Block;
        }
        if tag.attr(b"id") == Some(b"did_you_mean") {
            self.spelling_starts(own)
        } else {
            Role::None
        }
    }

    pub(super) fn span(&mut self, tag: &Tag<'_>, own: Own, at: u64) -> Role {
        if tag.class.is_empty() {
            // The date of the html page stands in a bare span after the shown address.
            let after_url = self
                .current
                .as_ref()
                .is_some_and(|result| result.display_url.is_some());
            let is_date = after_url && self.field.is_none();
            return if is_date {
                self.result_field(Field::Date, own)
            } else {
                Role::None
            };
        }
        for token in tag.classes() {
            match token {
                b"result__type" if self.field == Some(Field::Title) => {
                    return self.side_starts(Side::Badge);
                }
                b"link-text" => return self.lite_link_text(own, at),
                b"timestamp" => return self.result_field(Field::Date, own),
                b"did-you-mean" => return self.spelling_starts(own),
                b"no-results" => self.says_no_results(own),
                _ => {}
            }
        }
        Role::None
    }

    pub(super) fn image(&mut self, tag: &Tag<'_>, own: Own) -> Role {
        let is_icon = tag.has_class(b"result__icon__img");
        if (is_icon || self.zero.open) && self.elements.would_see(own) {
            let src = tag.src;
            if src.is_empty() || src.len() > self.limits.url {
                return Role::None;
            }
            if is_icon {
                if let Some(result) = &mut self.current {
                    result
                        .icon
                        .get_or_insert_with(|| attribute(src, self.encoding));
                }
            } else if let Some(zero) = &mut self.zero_click {
                zero.image
                    .get_or_insert_with(|| attribute(src, self.encoding));
            }
        }
        Role::None
    }

    fn says_no_results(&mut self, own: Own) {
        self.no_results |= self.elements.would_see(own);
    }

    /// Begins a block. One that was left open ends here: no result is cut with an ad before it.
    fn block_starts(&mut self, at: u64) {
        self.blocks_end(at);
        self.place = Place::Block;
        self.cuts.hold(at);
    }

    fn ad_block(&mut self, at: u64) -> Role {
        self.block_starts(at);
        self.ads += 1;
        self.becomes_ad(at, at);
        Role::Block
    }

    pub(super) fn becomes_ad(&mut self, at: u64, end: u64) {
        self.place = Place::Ad;
        self.cuts.open_block(at, end);
    }

    /// A block ends, or something starts that no block holds.
    pub(super) fn blocks_end(&mut self, at: u64) {
        self.cuts.close(at);
        self.cuts.release();
        self.place = Place::Outside;
        self.finish_result();
    }
}
