//! How an example that fails ends: in a sentence.

use std::{error::Error, fmt, iter};

use search_gate::BoxError;

/// What `main` returns for any error. std prints `Error: ` and what it is in `Debug`: here the error and its sources, as a sentence.
pub struct Failure(BoxError);

impl<E: Into<BoxError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sentence(&*self.0))
    }
}

/// The error and what caused it.
pub fn sentence(error: &(dyn Error + 'static)) -> String {
    let sources = iter::successors(error.source(), |&error| error.source());
    // With the feature `tonic` there is a status among them, which says for gRPC what the others say.
    let sources = sources.filter(|source| !source.is::<tonic::Status>());
    let mut said = vec![error.to_string()];
    said.extend(sources.map(ToString::to_string));
    said.dedup();
    said.join(": ")
}
