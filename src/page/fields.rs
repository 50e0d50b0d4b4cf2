//! Texts that are being read, and the results that are made of them.

use super::Published;
use super::hidden::Own;
use super::links;
use super::reading::{Field, Reading, Role, Side};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Reading {
    pub(super) fn result_field(&mut self, field: Field, own: Own) -> Role {
        let Some(current) = &self.current else {
            return Role::None;
        };
        let taken = match field {
            Field::Snippet => !current.snippet.is_empty(),
            Field::DisplayUrl => current.display_url.is_some(),
            Field::Date => current.published.is_some(),
            _ => false,
        };
        if taken || !self.elements.would_see(own) {
            Role::None
        } else {
            self.field_starts(field)
        }
    }

    pub(super) fn field_starts(&mut self, field: Field) -> Role {
        self.field_ends();
        self.field = Some(field);
        self.main_text.clear(self.limits.text);
        Role::Field(field)
    }

    pub(super) fn side_starts(&mut self, side: Side) -> Role {
        self.side = Some(side);
        self.side_text.clear(self.limits.text);
        Role::Side(side)
    }

    pub(super) fn field_ends(&mut self) {
        self.side_ends();
        let Some(field) = self.field.take() else {
            return;
        };
        let (text, bold) = self.main_text.take(self.limits.text);
        let filled = |text: String| Some(text).filter(|text| !text.is_empty());
        match (field, &mut self.current) {
            (Field::Title, Some(result)) => (result.title, result.title_bold) = (text, bold),
            (Field::Snippet, Some(result)) => (result.snippet, result.snippet_bold) = (text, bold),
            (Field::DisplayUrl, Some(result)) => result.display_url = filled(text),
            (Field::Date, Some(result)) => result.published = filled(text).map(Published::new),
            (Field::Heading | Field::Answer | Field::Spelling, _) => self.around_ends(field, text),
            (_, None) => {}
        }
    }

    pub(super) fn side_ends(&mut self) {
        let Some(side) = self.side.take() else { return };
        let (text, _) = self.side_text.take(self.limits.text);
        match side {
            Side::Badge => {
                if let Some(result) = &mut self.current
                    && !text.is_empty()
                {
                    result.file_type = Some(text);
                }
            }
            Side::More => self.more_ends(&text),
            Side::Suggestion => self.suggestion_ends(text),
        }
    }

    /// A piece of a text node, the `last` of it or not.
    #[inline]
    pub(super) fn text(&mut self, piece: &[u8], last: bool) {
        if self.field.is_some() || self.watches_texts() && !self.elements.in_option() {
            self.wanted_text(piece, last);
        } else {
            self.node.clear();
        }
    }

    fn wanted_text(&mut self, piece: &[u8], last: bool) {
        // White space and references take more room than the text they come to, but not without end.
        let room = (4 * self.limits.text).saturating_sub(self.node.len());
        let piece = &piece[..piece.len().min(room)];
        if last && self.node.is_empty() {
            if !piece.is_empty() {
                self.text_node(piece);
            }
            return;
        }
        self.node.extend_from_slice(piece);
        if last {
            let node = std::mem::take(&mut self.node);
            self.text_node(&node);
            self.node = node;
            self.node.clear();
        }
    }

    fn text_node(&mut self, node: &[u8]) {
        if !self.elements.seen() {
            self.left_out |= self.field == Some(Field::Title);
            return;
        }
        if self.field.is_none() {
            return self.watched_text(node);
        }
        match self.side {
            Some(Side::Badge | Side::More) => self.side_text.node(node, self.encoding),
            Some(Side::Suggestion) => {
                self.side_text.node(node, self.encoding);
                self.main_text.node(node, self.encoding);
            }
            None => self.main_text.node(node, self.encoding),
        }
    }

    /// Ends the current result, if there is one, and hands it out.
    pub(super) fn finish_result(&mut self) {
        if matches!(
            self.field,
            Some(Field::Title | Field::Snippet | Field::DisplayUrl | Field::Date)
        ) {
            self.field_ends();
        }
        let Some(mut result) = self.current.take() else {
            return;
        };
        if result.title.is_empty() && self.left_out {
            self.hidden += 1;
        } else if links::is_eof(&result.title, &result.url) {
            self.no_results = true;
        } else if self.is_duplicate(&result.url) {
            // Left out, as was asked for.
        } else if self.seen == self.limits.results {
            self.full = true;
        } else {
            self.seen += 1;
            result.position = self.seen;
            if self.collect {
                self.results.push_back(result);
            }
        }
    }

    fn is_duplicate(&mut self, url: &str) -> bool {
        let Some(unique) = &mut self.unique else {
            return false;
        };
        let mut hasher = DefaultHasher::new();
        url.hash(&mut hasher);
        !unique.insert(hasher.finish())
    }

    /// The page is over, or reading stops: hands out what there is.
    pub(super) fn finish(&mut self) {
        self.text(b"", true);
        if self
            .field
            .is_some_and(|field| field == Field::Answer || field == Field::Spelling)
        {
            self.field_ends();
        }
        self.finish_result();
        self.form_ends();
        self.cuts.give_up();
    }
}
