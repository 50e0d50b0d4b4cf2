//! When a provider asks to be asked again.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderValue, header::RETRY_AFTER};

/// The wait that `Retry-After` asks for, in seconds or as a date. None is asked for by 0, and by a date that has passed; what is
/// neither form says nothing. The gate bounds it.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?;
    parse(value, SystemTime::now()).filter(|wait| !wait.is_zero())
}

fn parse(value: &HeaderValue, now: SystemTime) -> Option<Duration> {
    let value = value.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that no integer holds is a wait without end.
        return Some(value.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str) -> Option<Duration> {
        // 1994-11-06 08:49:07 UTC
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_747);
        parse(&HeaderValue::from_str(value).unwrap(), now)
    }

    #[test]
    fn seconds_and_all_three_forms_of_a_date_are_understood() {
        let half_a_minute = Some(Duration::from_secs(30));
        for value in [
            "30",
            " 30 ",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(parsed(value), half_a_minute, "{value:?}");
        }
    }

    #[test]
    fn nothing_past_and_far_away_are_waits_too() {
        assert_eq!(parsed("0"), Some(Duration::ZERO));
        assert_eq!(
            parsed("Sun, 06 Nov 1994 08:49:06 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(
            parsed("Sat, 06 Nov 2004 08:49:07 GMT"),
            Some(Duration::from_secs(3653 * 24 * 3600))
        );
        assert_eq!(parsed("99999999999999999999999"), Some(Duration::MAX));
    }

    #[test]
    fn garbage_says_nothing() {
        for value in [
            "",
            "soon",
            "-5",
            "1.5",
            "30s",
            "0x10",
            "Sun, 99 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(parsed(value), None, "{value:?}");
        }
    }
}
