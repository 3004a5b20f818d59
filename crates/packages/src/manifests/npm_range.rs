//! Version ranges in npm's syntax (`^1.2`, `1.x || >=2.0.0-rc.1 <3`, `1.2 - 2`), and the test if a
//! version satisfies one.
//!
//! The `semver` crate parses Cargo's ranges, which have other meanings, so it is used for versions
//! only. Tags, aliases and protocols are not ranges. Every range is reduced to comparators, as
//! node-semver does.

use std::cmp::Ordering;

use semver::{Prerelease, Version};

/// Alternatives, each a set of comparators. A version must satisfy all comparators of one
/// alternative.
#[derive(Debug)]
pub struct NpmRange(Vec<Vec<Comparator>>);

/// A comparison with one full version.
#[derive(Debug)]
struct Comparator {
    operator: Operator,
    version: Version,
}

/// The comparison of a comparator.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

/// Parses a version as people write it in manifests: `v1.2.3` and `=1.2.3` are `1.2.3`.
pub fn parse_version(text: &str) -> Option<Version> {
    Version::parse(text.trim().trim_start_matches(['v', '='])).ok()
}

impl NpmRange {
    /// `None` if the text is no range, such as a tag or a URL.
    pub fn parse(text: &str) -> Option<NpmRange> {
        text.split("||").map(parse_set).collect::<Option<_>>().map(NpmRange)
    }

    /// True if `version` is in the range. A prerelease is only in a range that names a prerelease
    /// of the same release: `^1.2.3-beta` has `1.2.3-rc`, and not `1.3.0-rc`.
    pub fn accepts(&self, version: &Version) -> bool {
        self.0.iter().any(|set| {
            set.iter().all(|comparator| comparator.accepts(version))
                && (version.pre.is_empty()
                    || set.iter().any(|comparator| comparator.names_release_of(version)))
        })
    }
}

impl Comparator {
    fn accepts(&self, version: &Version) -> bool {
        let ordering = version.cmp_precedence(&self.version);
        match self.operator {
            Operator::Less => ordering == Ordering::Less,
            Operator::LessOrEqual => ordering != Ordering::Greater,
            Operator::Equal => ordering == Ordering::Equal,
            Operator::GreaterOrEqual => ordering != Ordering::Less,
            Operator::Greater => ordering == Ordering::Greater,
        }
    }

    /// True if the comparator names a prerelease of the same release as `version`.
    fn names_release_of(&self, version: &Version) -> bool {
        let own = &self.version;
        !own.pre.is_empty()
            && (own.major, own.minor, own.patch) == (version.major, version.minor, version.patch)
    }
}

/// Parses comparators that must all hold: `>=1 <2`, `^1.2`, `1.2 - 2`.
fn parse_set(text: &str) -> Option<Vec<Comparator>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [from, "-", to] = words[..] {
        let mut set = lower_bound(&PartialVersion::parse(from)?);
        set.extend(upper_bound(&PartialVersion::parse(to)?));
        return Some(set);
    }
    let mut set = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (operator, rest) = split_operator(word);
        // An operator may stand apart from its version: `>= 1.2`.
        let version = match rest {
            "" if !operator.is_empty() => words.next()?,
            rest => rest,
        };
        set.extend(parse_comparators(operator, &PartialVersion::parse(version)?));
    }
    Some(set)
}

/// Splits a word into its operator and the rest. Longer operators come first, because some begin
/// like others.
fn split_operator(word: &str) -> (&str, &str) {
    ["~>", ">=", "<=", "~", "^", ">", "<", "="]
        .into_iter()
        .find_map(|operator| Some((operator, word.strip_prefix(operator)?)))
        .unwrap_or(("", word))
}

/// Expands an operator to comparators: `^1.2` becomes `>=1.2.0 <2.0.0-0`.
fn parse_comparators(operator: &str, partial: &PartialVersion) -> Vec<Comparator> {
    match operator {
        "^" => bounded_range(partial, partial.caret_end()),
        "~" | "~>" => bounded_range(partial, partial.tilde_end()),
        ">=" => lower_bound(partial),
        "<=" => upper_bound(partial),
        ">" => strict_lower_bound(partial),
        "<" => strict_upper_bound(partial),
        _ if partial.is_full() => vec![new_comparator(Operator::Equal, partial.start())],
        _ => bounded_range(partial, partial.end()),
    }
}

/// The range from the start of `partial` to before `end`; without an end it is open.
fn bounded_range(partial: &PartialVersion, end: Option<Version>) -> Vec<Comparator> {
    let end = end.map(|end| new_comparator(Operator::Less, end));
    lower_bound(partial).into_iter().chain(end).collect()
}

/// `>=`. A wildcard has no bound.
fn lower_bound(partial: &PartialVersion) -> Vec<Comparator> {
    match partial.major {
        Some(_) => vec![new_comparator(Operator::GreaterOrEqual, partial.start())],
        None => Vec::new(),
    }
}

/// `<=`. A partial version includes everything that it covers.
fn upper_bound(partial: &PartialVersion) -> Vec<Comparator> {
    if partial.is_full() {
        return vec![new_comparator(Operator::LessOrEqual, partial.start())];
    }
    let end = partial.end();
    end.map(|end| new_comparator(Operator::Less, end)).into_iter().collect()
}

/// `>`. A wildcard excludes every version.
fn strict_lower_bound(partial: &PartialVersion) -> Vec<Comparator> {
    if partial.is_full() {
        return vec![new_comparator(Operator::Greater, partial.start())];
    }
    // `>1.2` begins where `1.2.x` ends, and that without its prereleases.
    let end = partial.end().map(|end| Version { pre: Prerelease::EMPTY, ..end });
    vec![end.map_or_else(match_nothing, |end| new_comparator(Operator::GreaterOrEqual, end))]
}

/// `<`. Prereleases of the bound are excluded if it is partial.
fn strict_upper_bound(partial: &PartialVersion) -> Vec<Comparator> {
    match partial.major {
        Some(_) if partial.is_full() => vec![new_comparator(Operator::Less, partial.start())],
        Some(_) => vec![new_comparator(Operator::Less, lowest_prerelease(partial.start()))],
        None => vec![match_nothing()],
    }
}

fn new_comparator(operator: Operator, version: Version) -> Comparator {
    Comparator { operator, version }
}

/// A comparator that no version satisfies: `<0.0.0-0`.
fn match_nothing() -> Comparator {
    new_comparator(Operator::Less, lowest_prerelease(Version::new(0, 0, 0)))
}

/// The lowest version with these numbers, so that `<2.0.0-0` excludes `2.0.0-beta`.
fn lowest_prerelease(version: Version) -> Version {
    Version { pre: Prerelease::new("0").expect("a number is a prerelease"), ..version }
}

/// A version whose last numbers may be missing or `x`.
struct PartialVersion {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    pre: Prerelease,
}

impl PartialVersion {
    /// Parses a version with up to three numbers. Build metadata is dropped; a number behind a
    /// wildcard is an error.
    fn parse(text: &str) -> Option<PartialVersion> {
        let text = text.trim_start_matches(['v', '=']).split('+').next().unwrap_or_default();
        let (numbers, pre) = match text.split_once('-') {
            Some((numbers, pre)) if !pre.is_empty() => (numbers, Prerelease::new(pre).ok()?),
            Some(_) => return None,
            None => (text, Prerelease::EMPTY),
        };
        let mut parts = numbers.split('.').map(parse_number);
        let major = parts.next()??;
        let minor = parts.next().unwrap_or(Some(None))?;
        let patch = parts.next().unwrap_or(Some(None))?;
        let is_gapless =
            (major.is_some() || minor.is_none()) && (minor.is_some() || patch.is_none());
        let partial = PartialVersion { major, minor, patch, pre };
        (parts.next().is_none() && is_gapless).then_some(partial)
    }

    /// True if all three numbers are given.
    fn is_full(&self) -> bool {
        self.patch.is_some()
    }

    /// The lowest release that the numbers cover.
    fn start(&self) -> Version {
        let [major, minor, patch] =
            [self.major, self.minor, self.patch].map(Option::unwrap_or_default);
        let version = Version::new(major, minor, patch);
        // `1.x-beta` has numbers open, and its prerelease means nothing.
        if self.is_full() {
            let pre = self.pre.clone();
            Version { pre, ..version }
        } else {
            version
        }
    }

    /// The end of what the numbers cover, exclusive: `1.2` covers up to `1.3.0-0`. `None` for a
    /// wildcard.
    fn end(&self) -> Option<Version> {
        let version = match (self.major?, self.minor, self.patch) {
            (major, None, _) => Version::new(major.checked_add(1)?, 0, 0),
            (major, Some(minor), None) => Version::new(major, minor.checked_add(1)?, 0),
            (major, Some(minor), Some(patch)) => Version::new(major, minor, patch.checked_add(1)?),
        };
        Some(lowest_prerelease(version))
    }

    /// The end of `~`: the next minor version, or the next major one if no minor is given.
    fn tilde_end(&self) -> Option<Version> {
        PartialVersion { patch: None, pre: Prerelease::EMPTY, ..*self }.end()
    }

    /// The end of `^`: the version at which the first number that is not zero changes.
    fn caret_end(&self) -> Option<Version> {
        match (self.major?, self.minor, self.patch) {
            (0, Some(0), Some(_)) => self.end(),
            (0, Some(_), _) => self.tilde_end(),
            _ => PartialVersion { minor: None, patch: None, pre: Prerelease::EMPTY, ..*self }.end(),
        }
    }
}

/// Parses a number. The inner `None` is a wildcard, the outer one any other text. Leading zeros are
/// not allowed in semantic versions.
fn parse_number(text: &str) -> Option<Option<u64>> {
    match text {
        "x" | "X" | "*" => Some(None),
        "0" => Some(Some(0)),
        text if text.starts_with('0') || !text.bytes().all(|byte| byte.is_ascii_digit()) => None,
        text => text.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdicts of `satisfies` in npm's own `semver` on the same inputs.
    fn check(range: &str, accepted: &[&str], rejected: &[&str]) {
        let parsed = NpmRange::parse(range).expect(range);
        let accepts = |version: &&&str| parsed.accepts(&parse_version(version).expect(version));
        let wrongly_rejected: Vec<_> = accepted.iter().filter(|v| !accepts(v)).collect();
        let wrongly_accepted: Vec<_> = rejected.iter().filter(accepts).collect();
        assert!(wrongly_rejected.is_empty(), "{range} rejects {wrongly_rejected:?}");
        assert!(wrongly_accepted.is_empty(), "{range} accepts {wrongly_accepted:?}");
    }

    #[test]
    fn carets() {
        check("^1.2.3", &["1.2.3", "1.9.0", "1.2.3+b"], &["1.2.2", "2.0.0", "2.0.0-a", "1.3.0-a"]);
        check("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "0.2.2", "1.0.0"]);
        check("^0.0.3", &["0.0.3"], &["0.0.4", "0.0.2"]);
        check("^0", &["0.0.0", "0.9.9"], &["1.0.0"]);
        check("^0.0", &["0.0.9"], &["0.1.0"]);
        check("^ v1.x", &["1.0.0", "1.5.0"], &["2.0.0"]);
        check("^1.2.3-beta.2", &["1.2.3-beta.10", "1.2.3", "1.3.0"], &["1.2.3-beta.1", "1.3.0-rc"]);
        check("^*", &["0.0.0", "7.0.0"], &["7.0.0-a"]);
    }

    #[test]
    fn tildes() {
        check("~1.2.3", &["1.2.3", "1.2.9"], &["1.3.0", "1.2.2"]);
        check("~1.2", &["1.2.0", "1.2.9"], &["1.3.0"]);
        check("~> 1", &["1.0.0", "1.9.0"], &["2.0.0"]);
        check("~0.0.1", &["0.0.1", "0.0.9"], &["0.1.0"]);
    }

    #[test]
    fn placeholders() {
        check("1.x", &["1.0.0", "1.9.9"], &["0.9.0", "2.0.0"]);
        check("1.2.*", &["1.2.0"], &["1.3.0"]);
        check("1", &["1.2.3"], &["2.0.0"]);
        check("", &["0.0.0", "1.2.3"], &["1.2.3-a"]);
        check("*", &["0.0.0", "1.2.3"], &["1.2.3-a"]);
    }

    #[test]
    fn comparisons() {
        check("1.2.3", &["1.2.3", "1.2.3+b"], &["1.2.4", "1.2.3-a"]);
        check("=v1.2.3", &["1.2.3"], &["1.2.4"]);
        check(">=1.2 <2", &["1.2.0", "1.9.9"], &["2.0.0", "2.0.0-a", "1.1.9"]);
        check(">1.2", &["1.3.0"], &["1.2.9"]);
        check(">1", &["2.0.0"], &["1.9.9", "2.0.0-a"]);
        check("<=1.2", &["1.2.9", "0.1.0"], &["1.3.0"]);
        check("<1.2", &["1.1.9"], &["1.2.0", "1.2.0-a"]);
        check("> 1.2.3 <= 2.0.0", &["1.2.4", "2.0.0"], &["1.2.3", "2.0.1"]);
        check(">*", &[], &["0.0.0", "1.0.0"]);
        check("1 2", &[], &["1.0.0", "2.0.0"]);
        check(">=1.0.0-rc.1", &["1.0.0-rc.2", "1.0.0", "2.0.0"], &["1.0.0-beta", "2.0.0-rc.1"]);
    }

    #[test]
    fn hyphens_and_alternatives() {
        check("1.2.3 - 2.3.4", &["1.2.3", "2.3.4"], &["1.2.2", "2.3.5"]);
        check("1.2 - 2.3", &["1.2.0", "2.3.9"], &["2.4.0"]);
        check("1 - 2", &["1.0.0", "2.9.9"], &["3.0.0"]);
        check("* - 2", &["0.0.0", "2.9.9"], &["3.0.0"]);
        check("^1 || ^3.1||5", &["1.5.0", "3.1.0", "5.9.9"], &["2.0.0", "3.0.0", "6.0.0"]);
        check("1||", &["1.0.0", "9.0.0"], &[]);
    }

    #[test]
    fn what_is_no_range() {
        for text in [
            "latest",
            "abc",
            "1.2.3.4",
            "1.x.2",
            "^",
            ">=",
            "1.2.3-",
            "01.2.3",
            "1.2.3 foo",
            "1 -2",
            "workspace:*",
            "git+ssh://a",
            "../a",
            "user/repo",
            "99999999999999999999.1.1",
            "1,2",
            "-",
            "- -",
        ] {
            assert!(NpmRange::parse(text).is_none(), "{text}");
        }
        assert!(parse_version("1.2").is_none());
        assert!(NpmRange::parse(&"||".repeat(1_000_000)).is_some());
        assert!(NpmRange::parse(&format!("^{0}.{0}.{0}", u64::MAX)).is_some());
    }
}
