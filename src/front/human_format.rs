//! Numbers and times as people read them. Replies to programs use `ops::format` instead.

use std::fmt::Display;
use std::time::Duration;

/// Groups the digits of a whole number: `3,477`.
///
/// It takes anything that displays as digits; signs and fractions are not supported.
pub fn group_digits(number: impl Display) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Counts a noun: `1 file`, `3,477 files`.
pub fn count_noun(number: impl Display, noun: &str) -> String {
    match group_digits(number).as_str() {
        "1" => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// Formats a time with at most two units: `2.6 s`, `14 s`, `1 min 20 s`, `2 h 5 min`.
pub fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 if time.subsec_millis() >= 50 => format!("{:.1} s", time.as_secs_f64()),
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")]
        {
            assert_eq!(group_digits(number), expected);
        }
        assert_eq!(count_noun(1, "file"), "1 file");
        assert_eq!(count_noun(3477, "chunk"), "3,477 chunks");
    }

    #[test]
    fn times_are_as_exact_as_one_wants_to_know() {
        for (milliseconds, expected) in [
            (20, "0 s"),
            (340, "0.3 s"),
            (2600, "2.6 s"),
            (3000, "3 s"),
            (14_200, "14 s"),
            (80_000, "1 min 20 s"),
            (7_500_000, "2 h 5 min"),
        ] {
            assert_eq!(format_duration(Duration::from_millis(milliseconds)), expected);
        }
    }
}
