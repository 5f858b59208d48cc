//! Lengths of time and moments, as policies write them.

use std::time::Duration;

use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};

/// Nobody thinks longer than that.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads `90s`, `5m`, `1h30m`: numbers with units, from the greatest to the smallest.
pub(crate) fn duration(text: &str) -> Result<Duration, &'static str> {
    const ODD: &str = "this is not a length of time";
    const UNITS: [(&str, u64); 5] = [
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1000),
        ("ms", 1),
    ];
    let (mut total, mut units, mut rest) = (Duration::ZERO, UNITS.iter(), text);
    while !rest.is_empty() {
        let (digits, after) = split(rest, |c| c.is_ascii_digit());
        let (unit, after) = split(after, |c| c.is_ascii_alphabetic());
        let (_, length) = units.find(|(name, _)| *name == unit).ok_or(ODD)?;
        let count: u64 = digits.parse().map_err(|_| ODD)?;
        let millis = count.checked_mul(*length).ok_or(ODD)?;
        total = total
            .checked_add(Duration::from_millis(millis))
            .ok_or(ODD)?;
        rest = after;
    }
    match total {
        Duration::ZERO if text.is_empty() => Err(ODD),
        Duration::ZERO => Err("nobody can answer in no time"),
        total if total > LONGEST => Err("this is longer than a year"),
        total => Ok(total),
    }
}

fn split(text: &str, part: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !part(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// Reads a moment with its offset, or a day, which ends when it is over in UTC.
pub(crate) fn moment(text: &str) -> Result<Timestamp, &'static str> {
    const ODD: &str = "this is not a date";
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    if text.parse::<jiff::civil::DateTime>().is_ok() && text.len() > "2026-12-31".len() {
        return Err("this time has no offset, so it could be any of two dozen moments");
    }
    let day: Date = text.parse().map_err(|_| ODD)?;
    let next = day.checked_add(1.day()).map_err(|_| ODD)?;
    let midnight = next.to_zoned(TimeZone::UTC).map_err(|_| ODD)?;
    Ok(midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        let seconds = |text| duration(text).map(|d| d.as_millis());
        assert_eq!(seconds("90s"), Ok(90_000));
        assert_eq!(seconds("5m"), Ok(300_000));
        assert_eq!(seconds("1h30m"), Ok(5_400_000));
        assert_eq!(seconds("2d1ms"), Ok(172_800_001));
    }

    #[test]
    fn what_is_no_length_of_time_is_refused() {
        for text in [
            "",
            "5",
            "m",
            "5 m",
            "-5m",
            "30m1h",
            "5m5m",
            "1.5h",
            "5min",
            "99999999999999999999s",
            "18446744073709551615d",
            "0s",
            "400d",
            "５m",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_day_lasts_until_it_is_over() {
        let end = |text| moment(text).map(|m| m.to_string());
        assert_eq!(end("2026-12-31"), Ok("2027-01-01T00:00:00Z".to_owned()));
        assert_eq!(
            end("2026-12-31T18:00:00Z"),
            Ok("2026-12-31T18:00:00Z".to_owned())
        );
        assert_eq!(
            end("2026-12-31T18:00:00+02:00"),
            Ok("2026-12-31T16:00:00Z".to_owned())
        );
        assert_eq!(
            end("2026-12-31 18:00:00Z"),
            Ok("2026-12-31T18:00:00Z".to_owned())
        );
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "soon",
            "2026-13-01",
            "2026-02-30",
            "18:00:00",
            "2026-12-31T18:00:00",
            "9999-12-31",
        ] {
            assert!(moment(text).is_err(), "{text}");
        }
    }
}
