//! How replies write numbers and ages. `front::human` has the forms for people, with digit groups;
//! these are for programs and agents.

use std::time::Duration;

/// Counts a noun: `1 file`, `2 files`. The plural is regular, so choose such nouns.
pub fn count_noun(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Formats an age in the largest unit that fits: `just now`, `5 minutes ago`, `3 days ago`.
///
/// Units are rounded down, and there is none above days.
pub fn format_age(age: Duration) -> String {
    let minutes = (age.as_secs() / 60) as usize;
    match minutes {
        0 => "just now".to_string(),
        1..60 => format!("{} ago", count_noun(minutes, "minute")),
        60..1440 => format!("{} ago", count_noun(minutes / 60, "hour")),
        _ => format!("{} ago", count_noun(minutes / 1440, "day")),
    }
}

/// Rounds a score to three decimals. More digits would only look exact, and differ between
/// machines.
pub fn round_score(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_in_the_largest_unit_that_fits() {
        for (seconds, expected) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (3_599, "59 minutes ago"),
            (7_300, "2 hours ago"),
            (86_400, "1 day ago"),
            (900_000, "10 days ago"),
        ] {
            assert_eq!(format_age(Duration::from_secs(seconds)), expected);
        }
    }
}
