//! The rules of the lite page: rows of a table, of which three or four in turn make a result.

use super::hidden::Own;
use super::links::may_be_ad;
use super::markup::Tag;
use super::reading::{Field, Place, Reading, Role};

/// Where in a result's rows the reading is.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The last title led to an ad, so the rows below it are the ad's.
    pub(super) after_ad: bool,
    /// How many ads' titles the current sponsored rows have had, if there are such.
    titles: Option<usize>,
    /// The row with the shown address, a result's last, is open.
    last_row: bool,
}

impl Reading {
    pub(super) fn row(&mut self, tag: &Tag<'_>, at: u64) -> Role {
        self.row_ends(at);
        if tag.has_class(b"result-sponsored") {
            self.finish_result();
            self.becomes_ad(at, at);
            if self.lite.titles.is_none() {
                self.lite.titles = Some(0);
                self.ads += 1;
            }
        } else {
            self.place = Place::Block;
            self.lite.titles = None;
            self.cuts.hold(at);
        }
        Role::Row
    }

    pub(super) fn row_ends(&mut self, at: u64) {
        self.cuts.close(at);
        self.cuts.release();
        self.place = Place::Outside;
        if std::mem::take(&mut self.lite.last_row) {
            self.finish_result();
        }
    }

    pub(super) fn cell(&mut self, tag: &Tag<'_>, own: Own, at: u64) -> Role {
        if !tag.has_class(b"result-snippet") {
            return self.zero_cell(own);
        }
        if self.row_of_ad(at) {
            Role::None
        } else {
            self.result_field(Field::Snippet, own)
        }
    }

    pub(super) fn lite_link_text(&mut self, own: Own, at: u64) -> Role {
        if self.row_of_ad(at) {
            return Role::None;
        }
        self.lite.last_row = self.current.is_some();
        self.result_field(Field::DisplayUrl, own)
    }

    /// Whether this row is an ad's, which it becomes when it follows an ad's title.
    fn row_of_ad(&mut self, at: u64) -> bool {
        if self.place == Place::Block && self.lite.after_ad {
            self.becomes_ad(at, at);
        }
        self.place == Place::Ad
    }

    /// A link of the title's class in an ad's row: the title, or "more info" beside it.
    pub(super) fn lite_ad_title(&mut self, href: &[u8]) -> Role {
        if let Some(titles) = &mut self.lite.titles
            && may_be_ad(href)
        {
            // A second ad may follow without a row between.
            self.ads += usize::from(*titles > 0);
            *titles += 1;
        }
        Role::InAd
    }
}
