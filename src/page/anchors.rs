//! The rules of links: which is a result's title, which an ad, and what text one holds.

use super::SearchResult;
use super::hidden::Own;
use super::links::{self, Target};
use super::markup::Tag;
use super::reading::{Field, Place, Reading, Role};

/// What a link's class says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    Title,
    LiteTitle,
    Snippet,
    DisplayUrl,
    Other,
}

impl LinkKind {
    fn of(tag: &Tag<'_>) -> Self {
        let by_class = |class: &[u8]| match class {
            b"result__a" => Some(Self::Title),
            b"result-link" => Some(Self::LiteTitle),
            b"result__snippet" => Some(Self::Snippet),
            b"result__url" => Some(Self::DisplayUrl),
            _ => None,
        };
        by_class(tag.class)
            .or_else(|| tag.classes().find_map(by_class))
            .unwrap_or(Self::Other)
    }
}

impl Reading {
    /// A link, by what its class says it is.
    pub(super) fn link(&mut self, tag: &Tag<'_>, own: Own, at: u64, end: u64) -> Role {
        let kind = LinkKind::of(tag);
        if self.place == Place::Ad {
            return if kind == LinkKind::LiteTitle {
                self.lite_ad_title(tag.href)
            } else {
                Role::InAd
            };
        }
        let is_title = matches!(kind, LinkKind::Title | LinkKind::LiteTitle);
        if is_title || links::may_be_ad(tag.href) {
            match links::target(tag.href, self.encoding, self.limits.url) {
                Target::Ad => return self.ad_link(kind, at, end),
                Target::Web(url) if is_title => return self.title(kind, url, own),
                Target::Unusable if is_title => {
                    self.no_ad();
                    return Role::None;
                }
                Target::Web(_) | Target::Unusable => {}
            }
        }
        match kind {
            LinkKind::Snippet => self.result_field(Field::Snippet, own),
            LinkKind::DisplayUrl => self.result_field(Field::DisplayUrl, own),
            LinkKind::Title | LinkKind::LiteTitle | LinkKind::Other => {
                self.link_around(tag.href, own)
            }
        }
    }

    fn title(&mut self, kind: LinkKind, url: String, own: Own) -> Role {
        self.no_ad();
        if kind == LinkKind::LiteTitle {
            self.lite.after_ad = false;
        }
        if !self.elements.would_see(own) {
            self.hidden += 1;
            return Role::None;
        }
        self.left_out = false;
        self.current = Some(SearchResult {
            url,
            ..SearchResult::default()
        });
        self.field_starts(Field::Title)
    }

    /// The block's title leads to no ad, so the block is none.
    fn no_ad(&mut self) {
        self.finish_result();
        self.cuts.release();
        if self.place == Place::Block {
            self.place = Place::Result;
        }
    }

    /// A link that leads to an ad, outside the blocks known to be ads.
    fn ad_link(&mut self, kind: LinkKind, at: u64, end: u64) -> Role {
        self.ads += 1;
        if self.place == Place::Block && kind != LinkKind::Other {
            self.finish_result();
            self.lite.after_ad = kind == LinkKind::LiteTitle;
            self.becomes_ad(at, end);
            return Role::InAd;
        }
        if matches!(kind, LinkKind::Title | LinkKind::LiteTitle) {
            self.finish_result();
        }
        self.cuts.open_link(at, end);
        Role::AdLink
    }

    /// An ad's link holds no block: one that was left open ends where a block starts.
    pub(super) fn unclosed_ad_link(&mut self, at: u64) {
        if self.place != Place::Ad {
            self.cuts.close(at);
        }
    }
}
