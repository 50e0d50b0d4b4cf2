//! What a query sends, and what it refuses to send.

mod refuses;
mod sends;
mod settings;

use search_gate::{Query, QueryError};

fn body(query: &Query) -> String {
    query.form().unwrap().body
}

fn error(query: &Query) -> QueryError {
    query.form().unwrap_err()
}

/// The field as a server reads it.
fn field(query: &Query, name: &str) -> Option<String> {
    let body = body(query);
    let mut fields = form_urlencoded::parse(body.as_bytes());
    fields
        .find(|(n, _)| n == name)
        .map(|(_, value)| value.into_owned())
}
