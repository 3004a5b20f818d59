//! Tests a version against a composer constraint, by translation to npm's syntax where the two
//! differ. Branches, exclusions and fourth numbers have no translation and get no verdict.

use super::super::npm_range::{NpmRange, parse_version};

/// True if the version fits; `None` if the constraint or the version cannot be translated. Callers
/// treat `None` as a fit.
pub fn accepts_version(constraint: &str, version: &str) -> Option<bool> {
    let alternatives = constraint.split('|').filter(|part| !part.trim().is_empty());
    let translated: Option<Vec<String>> = alternatives.map(translate_conjunction).collect();
    let range = NpmRange::parse(&translated?.join("||"))?;
    Some(range.accepts(&parse_version(&pad_version(version)?)?))
}

/// Translates constraints that must all hold, separated by commas or blanks.
fn translate_conjunction(constraints: &str) -> Option<String> {
    if constraints.contains(" - ") {
        return Some(constraints.to_string());
    }
    let mut translated = Vec::new();
    let mut operator = String::new();
    for word in constraints.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        // `>= 1.0` may have a space in it: an operator alone waits for its version.
        let start = word.trim_start_matches(['<', '>', '=', '!', '~', '^']);
        operator += &word[..word.len() - start.len()];
        if !start.is_empty() {
            translated.push(translate_constraint(&std::mem::take(&mut operator), start)?);
        }
    }
    operator.is_empty().then(|| translated.join(" "))
}

/// Translates one constraint; `None` if npm has no equivalent.
fn translate_constraint(operator: &str, version: &str) -> Option<String> {
    // `1.0@beta` and `@dev` state the required stability, which a version here does not tell.
    let version = match version.split('@').next().unwrap_or_default() {
        "" => "*",
        version => version.trim_start_matches('v'),
    };
    if version.contains("dev") {
        return None;
    }
    let is_wild = version.contains('*') || version.contains('x');
    match operator {
        "" if is_wild => Some(version.to_string()),
        "~" => match version.split_once('.') {
            // `~1.2` lets the last number given grow, and so all below `2`.
            Some((major, minor)) if !minor.contains('.') => {
                let next = major.parse::<u64>().ok()?.checked_add(1)?;
                Some(format!(">={version} <{next}"))
            }
            _ => Some(format!("~{version}")),
        },
        // A version that is not given in full means its zeros, not all that begins so.
        "" | "=" | "==" => Some(format!("={}", pad_version(version)?)),
        ">" | "<=" => Some(format!("{operator}{}", pad_version(version)?)),
        ">=" | "<" | "^" => Some(format!("{operator}{version}")),
        _ => None,
    }
}

/// The version with three numbers; `None` if it has more.
fn pad_version(version: &str) -> Option<String> {
    let version = version.trim().trim_start_matches('v');
    let end = version.find(['-', '+']).unwrap_or(version.len());
    let (numbers, rest) = version.split_at(end);
    let missing = 2_usize.checked_sub(numbers.matches('.').count())?;
    Some(format!("{numbers}{}{rest}", ".0".repeat(missing)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdicts of composer's own `Semver::satisfies` on the same inputs.
    #[test]
    fn constraints() {
        let fits = [
            ("^1.0", "1.2.3"),
            ("~1.2", "1.9.0"),
            ("~0.3", "0.9.0"),
            ("~1.2.3", "1.2.9"),
            ("1.2", "1.2.0"),
            ("1.2.*", "1.2.7"),
            ("*", "3.0"),
            (">1.1,<1.3|^5", "1.2.0"),
            (">1.1, <1.3 || ^5", "5.1.0"),
            (">= 1.0 <2.0", "1.5"),
            ("1.0 - 2.0", "2.0.9"),
            ("v1.0.0", "1.0.0"),
            ("==1.0", "v1.0.0"),
            ("^1.0@dev", "1.0.0"),
            ("@dev", "1.0.0"),
            ("", "1.0.0"),
            ("^0.3", "0.3.5"),
            ("~1", "1.9.0"),
        ];
        let does_not = [
            ("^2", "1.2.3"),
            ("~1.2", "2.0.0"),
            ("~1.2.3", "1.3.0"),
            ("1.2", "1.2.1"),
            (">1.2", "1.2.0"),
            ("<=1.2", "1.2.1"),
            ("1.2.*", "1.3.0"),
            ("^0.3", "0.4.0"),
            (">1.1,<1.3|^5", "2.0.0"),
            ("~0.3", "1.0.0"),
        ];
        let untold = [
            ("dev-main", "1.0.0"),
            ("1.0.x-dev", "1.0.0"),
            ("!=1.0", "1.0.0"),
            ("^1.0", "1.2.3.4"),
            ("^1.0", "dev-main"),
            ("dev-main as 1.0", "1.0.0"),
            ("self.version", "1.0.0"),
            (">=", "1.0.0"),
            ("~x.y", "1.0.0"),
            ("^1", ""),
        ];
        for (cases, expected) in
            [(&fits[..], Some(true)), (&does_not[..], Some(false)), (&untold[..], None)]
        {
            for (constraint, version) in cases {
                assert_eq!(
                    accepts_version(constraint, version),
                    expected,
                    "{constraint} and {version}"
                );
            }
        }
    }
}
