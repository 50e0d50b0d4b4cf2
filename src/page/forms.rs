//! Forms: the challenge, which endpoint a page is from, the way to its next page.

use super::encoding::attribute;
use super::links::action_path;
use super::markup::Tag;
use super::reading::{Reading, Role};
use crate::query::{Endpoint, Query};

/// A form that is open.
#[derive(Debug, Default)]
pub(super) struct Form {
    endpoint: Option<Endpoint>,
    fields: Vec<(String, String)>,
    /// It asks for the page before this one.
    previous: bool,
}

/// More hidden fields than any form of the provider has.
const MAX_FIELDS: usize = 64;

impl Reading {
    pub(super) fn form(&mut self, tag: &Tag<'_>, at: u64) -> Role {
        self.blocks_end(at);
        self.form_ends();
        let [id, action] = tag.attrs_of([b"id", b"action"]);
        let action = action.unwrap_or_default();
        if id == Some(b"challenge-form") {
            self.challenge = true;
            return Role::None;
        }
        let endpoint = match action {
            b"/html/" => Some(Endpoint::Html),
            b"/lite/" => Some(Endpoint::Lite),
            _ => {
                let path = action_path(&attribute(action, self.encoding));
                let path = path.as_deref();
                if path == Some("/anomaly.js") {
                    self.challenge = true;
                    return Role::None;
                }
                match path {
                    Some("/html" | "/html/") => Some(Endpoint::Html),
                    Some("/lite" | "/lite/") => Some(Endpoint::Lite),
                    _ => None,
                }
            }
        };
        self.endpoint = self.endpoint.or(endpoint);
        let previous = tag.has_class(b"prev_form");
        self.form = Some(Form {
            endpoint,
            previous,
            ..Form::default()
        });
        Role::Form
    }

    pub(super) fn input(&mut self, tag: &Tag<'_>) -> Role {
        let Some(form) = &mut self.form else {
            return Role::None;
        };
        let attrs = tag.attrs_of([b"type", b"name", b"value"]);
        let [kind, name, value] = attrs.map(Option::unwrap_or_default);
        if kind.eq_ignore_ascii_case(b"submit") {
            form.previous |= value
                .get(..4)
                .is_some_and(|start| start.eq_ignore_ascii_case(b"prev"));
        }
        let fits = form.fields.len() < MAX_FIELDS
            && value.len() <= self.limits.text
            && name.len() <= self.limits.text;
        if kind.eq_ignore_ascii_case(b"hidden") && !name.is_empty() && fits {
            form.fields.push((
                attribute(name, self.encoding),
                attribute(value, self.encoding),
            ));
        }
        Role::None
    }

    pub(super) fn form_ends(&mut self) {
        let Some(form) = self.form.take() else { return };
        let pages = form.fields.iter().any(|(name, _)| name == "s");
        if let Some(endpoint) = form.endpoint
            && pages
            && !form.previous
        {
            self.next = Some(Query::from_form(endpoint, form.fields));
        }
    }
}
