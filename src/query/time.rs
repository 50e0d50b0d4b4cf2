//! How old results may be.

use super::QueryError;
use super::error::Kind;
use jiff::civil::Date;
use std::str::FromStr;

/// How old results may be, as the provider's form has it.
///
/// It can be read from text: `day`, `week`, `month`, `year`, their first letters, or two dates.
///
/// ```
/// use search_gate::{QueryError, TimeRange};
///
/// # fn main() -> Result<(), QueryError> {
/// assert_eq!("week".parse::<TimeRange>()?, TimeRange::Week);
/// assert_eq!("2026-01-01..2026-06-30".parse::<TimeRange>()?, TimeRange::dates("2026-01-01", "2026-06-30"));
/// assert!("yesterday".parse::<TimeRange>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeRange {
    /// The past day.
    Day,
    /// The past week.
    Week,
    /// The past month.
    Month,
    /// The past year.
    Year,
    /// From the first day to the last, both included, each written `YYYY-MM-DD`. The provider's menu does not offer this; it is known to
    /// understand it.
    #[non_exhaustive]
    Dates {
        /// The first day.
        from: String,
        /// The last day.
        to: String,
    },
}

impl TimeRange {
    /// From one day to another, both included, each written `YYYY-MM-DD`. They are checked when the query becomes a request.
    #[must_use]
    pub fn dates(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self::Dates {
            from: from.into(),
            to: to.into(),
        }
    }

    /// The value of the form's field.
    pub(super) fn code(&self) -> Result<String, QueryError> {
        Ok(match self {
            Self::Day => "d".to_owned(),
            Self::Week => "w".to_owned(),
            Self::Month => "m".to_owned(),
            Self::Year => "y".to_owned(),
            Self::Dates { from, to } => {
                let (first, last) = (day(from)?, day(to)?);
                if first > last {
                    return Err(Kind::DatesReversed {
                        from: first.to_string(),
                        to: last.to_string(),
                    }
                    .into());
                }
                format!("{first}..{last}")
            }
        })
    }
}

fn day(text: &str) -> Result<Date, QueryError> {
    let date = Date::strptime("%Y-%m-%d", text.trim()).map_err(|error| Kind::Date {
        text: text.to_owned(),
        source: Some(error),
    })?;
    if date.year() < 1 {
        return Err(Kind::Date {
            text: text.to_owned(),
            source: None,
        }
        .into());
    }
    Ok(date)
}

impl FromStr for TimeRange {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let text = text.trim();
        let range = match text.to_ascii_lowercase().as_str() {
            "d" | "day" => Self::Day,
            "w" | "week" => Self::Week,
            "m" | "month" => Self::Month,
            "y" | "year" => Self::Year,
            _ => {
                let (from, to) = text.split_once("..").ok_or_else(|| Kind::Time {
                    text: text.to_owned(),
                })?;
                Self::dates(from, to)
            }
        };
        range.code().map(|_| range)
    }
}
