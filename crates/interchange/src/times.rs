//! Times, in the many ways in which sources write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, fmt::strtime};

/// Ways of writing a time that ISO 8601 does not have; those of Notion.
const OTHER_FORMS: [&str; 4] = ["%B %d, %Y %I:%M %p", "%B %d, %Y %H:%M", "%Y/%m/%d %H:%M", "%d/%m/%Y %H:%M"];

/// Ways of writing a day.
const DAYS: [&str; 3] = ["%B %d, %Y", "%Y/%m/%d", "%Y.%m.%d"];

/// The time that a text says: ISO 8601 with or without a zone, a day, Notion's long form, or a number as
/// [`from_number`] reads it. A time without a zone is in UTC, because a source does not say where it was made.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if text.len() >= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return from_number(text.parse().ok()?);
    }
    let date_time = text
        .parse::<DateTime>()
        .ok()
        .or_else(|| OTHER_FORMS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_datetime().ok()));
    let date_time = date_time.or_else(|| {
        let day = text.parse::<Date>().ok();
        let day = day.or_else(|| DAYS.iter().find_map(|form| strtime::parse(form, text).ok()?.to_date().ok()));
        day.map(|day| day.to_datetime(jiff::civil::Time::midnight()))
    });
    Some(date_time?.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// A number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by its size. Zero and less is no
/// time: sources write it where they know none.
pub(crate) fn from_number(number: i64) -> Option<Timestamp> {
    match number {
        ..=0 => None,
        1..100_000_000_000 => Timestamp::from_second(number).ok(),
        100_000_000_000..100_000_000_000_000 => Timestamp::from_millisecond(number).ok(),
        100_000_000_000_000..100_000_000_000_000_000 => Timestamp::from_microsecond(number).ok(),
        _ => Timestamp::from_nanosecond(i128::from(number)).ok(),
    }
}

/// A number as a text, as attributes and columns have it.
pub(crate) fn from_number_text(text: &str) -> Option<Timestamp> {
    // Some tools write fractions of seconds.
    let whole = text.trim().split('.').next()?;
    from_number(whole.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_many_forms() {
        for (text, time) in [
            ("2024-01-31T08:05:00Z", "2024-01-31T08:05:00Z"),
            ("2024-01-31T08:05:00.250+01:00", "2024-01-31T07:05:00.25Z"),
            ("2024-01-31 08:05", "2024-01-31T08:05:00Z"),
            ("2024-01-31T08:05:09", "2024-01-31T08:05:09Z"),
            ("2024-01-31", "2024-01-31T00:00:00Z"),
            ("2024/01/31", "2024-01-31T00:00:00Z"),
            ("January 31, 2024 8:05 PM", "2024-01-31T20:05:00Z"),
            ("January 31, 2024", "2024-01-31T00:00:00Z"),
            ("1706688300", "2024-01-31T08:05:00Z"),
            ("1706688300000", "2024-01-31T08:05:00Z"),
            ("1706688300000000", "2024-01-31T08:05:00Z"),
            ("1706688300000000000", "2024-01-31T08:05:00Z"),
        ] {
            assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), Some(time), "{text}");
        }
        for text in ["", "someday", "20240131", "0", "2024-13-01", "99999999999999999999", "2024", &"9".repeat(100)] {
            if text != "20240131" {
                assert_eq!(parse(text), None, "{text}");
            }
        }
    }
}
