use std::{error::Error, fmt};

/// Tells the sources of an error after it, if that is asked for as in `{error:#}`.
pub(crate) fn tell(
    f: &mut fmt::Formatter<'_>,
    source: Option<&(dyn Error + 'static)>,
) -> fmt::Result {
    let mut next = source.filter(|_| f.alternate());
    while let Some(source) = next {
        write!(f, ": {source}")?;
        next = source.source();
    }
    Ok(())
}
