//! Suggests known names for a misspelled one.

use crate::case_folding::push_folded;

/// The most suggestions of [`nearest`] and [`nearest_lenient`].
const SUGGESTIONS: usize = 3;
/// A name of fewer letters is part of others by chance.
const MIN_PART: usize = 3;
/// The most letters of a wanted name that are compared. Real names are shorter, and comparing a
/// long text that somebody sent by mistake takes time.
const MAX_LETTERS: usize = 256;

/// How far a suggestion may be from the wanted name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// One letter in four may be wrong. For the names of a whole repository: many are somewhat
    /// similar, and a wrong guess costs its reader more than none.
    Strict,
    /// Two letters in five may be wrong, and any part of a name matches. For short lists that
    /// people keep, such as skills and specs: the reader mostly means one of them.
    Lenient,
}

impl Tolerance {
    /// Returns the most changes between a wanted name and a known one, from their letters.
    fn max_changes(self, wanted: usize, known: usize) -> usize {
        let changes = match self {
            Tolerance::Strict => wanted / 4,
            // A share of the longer name, so that a whole word may be missing.
            Tolerance::Lenient => wanted.max(known) * 2 / 5,
        };
        changes.max(1)
    }

    /// True if a wanted name of so many letters may stand for a part of a known one.
    fn is_distinctive_part(self, letters: usize) -> bool {
        self == Tolerance::Lenient || letters >= MIN_PART
    }

    /// True if a wanted text of so many letters means a name of so many that it contains.
    fn is_distinctive_name(self, name: usize, wanted: usize) -> bool {
        name > MIN_PART && (self == Tolerance::Lenient || 2 * name >= wanted)
    }
}

/// Returns up to three names that were probably meant, likeliest first; none if none is similar.
/// Case and word separators do not count. A part of a name also matches.
///
/// ```
/// use kenning_text::fuzzy_match::nearest;
///
/// let known = ["search_code", "search_packages", "trace"];
/// assert_eq!(nearest("SerachCode", known), ["search_code"]);
/// assert_eq!(nearest("search", known), ["search_code", "search_packages"]);
/// assert!(nearest("frobnicate", known).is_empty());
/// ```
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    nearest_within(&FuzzyPattern::new(wanted), known)
}

/// Like [`nearest`], for a short list of names: [`Tolerance::Lenient`].
///
/// ```
/// use kenning_text::fuzzy_match::{nearest, nearest_lenient};
///
/// let known = ["brewing", "grinding"];
/// assert!(nearest("grnding beans", known).is_empty());
/// assert_eq!(nearest_lenient("brewing of coffee", known), ["brewing"]);
/// ```
pub fn nearest_lenient<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    nearest_within(&FuzzyPattern::lenient(wanted), known)
}

fn nearest_within<'a>(
    wanted: &FuzzyPattern,
    known: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let mut scored: Vec<(usize, usize, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let distance_to = wanted.distance_to(name)?;
            Some((distance_to, name.len(), name))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    let names = scored.into_iter().map(|(_, _, name)| name);
    names.take(SUGGESTIONS).collect()
}

/// An unknown name, prepared for comparison with many known ones.
///
/// ```
/// use kenning_text::fuzzy_match::FuzzyPattern;
///
/// let wanted = FuzzyPattern::new("sesion");
/// assert!(wanted.distance_to("Session") < wanted.distance_to("session_store"));
/// assert_eq!(wanted.distance_to("kettle"), None);
/// ```
#[derive(Debug)]
pub struct FuzzyPattern {
    plain: String,
    letters: LetterSet,
    tolerance: Tolerance,
}

impl FuzzyPattern {
    /// Prepares a name with [`Tolerance::Strict`].
    pub fn new(text: &str) -> FuzzyPattern {
        FuzzyPattern::with_tolerance(text, Tolerance::Strict)
    }

    /// Prepares a name with [`Tolerance::Lenient`].
    pub fn lenient(text: &str) -> FuzzyPattern {
        FuzzyPattern::with_tolerance(text, Tolerance::Lenient)
    }

    fn with_tolerance(text: &str, tolerance: Tolerance) -> FuzzyPattern {
        let plain: String = fold_separators(text).chars().take(MAX_LETTERS).collect();
        FuzzyPattern { letters: LetterSet::from_name(&plain), plain, tolerance }
    }

    /// Returns the distance to a known name, in half changes of a letter; `None` if it is too far.
    pub fn distance_to(&self, name: &str) -> Option<usize> {
        if self.plain.is_empty() || self.is_far_from(name) {
            return None;
        }
        distance_to(&self.plain, &fold_separators(name), self.tolerance)
    }

    /// True if the letters alone rule the name out. They do for most names, and comparing two
    /// names takes a hundred times as long.
    fn is_far_from(&self, name: &str) -> bool {
        if !name.is_ascii() || !self.plain.is_ascii() {
            return false;
        }
        let letters = LetterSet::from_name(name);
        let missing = self.letters.count_missing_in(letters);
        // Each missing letter takes a change of its own. A name that is a part of the wanted one
        // lacks many.
        missing > self.tolerance.max_changes(self.plain.len(), name.len())
            && letters.count_missing_in(self.letters) > 0
    }
}

/// Returns two for each letter to change, and one more for a match of a part.
fn distance_to(wanted: &str, name: &str, tolerance: Tolerance) -> Option<usize> {
    let length = wanted.chars().count();
    let distance = |part: &str| {
        let letters = part.chars().count();
        let max = tolerance.max_changes(length, letters);
        // A single letter can be changed into any other.
        let may_be_near =
            length > 1 && letters.abs_diff(length) <= max && min_changes(wanted, part) <= max;
        let distance = may_be_near.then(|| strsim::damerau_levenshtein(wanted, part));
        distance.filter(|distance| *distance <= max)
    };
    let whole = distance(name).map(|distance| 2 * distance);
    let is_part = tolerance.is_distinctive_part(length) && name.contains(wanted);
    let part = if is_part {
        Some(1)
    } else {
        contains_name(wanted, length, name, tolerance)
            .then_some(2 * tolerance.max_changes(length, length) + 2)
    };
    let borders = name.match_indices(' ').map(|(border, _)| border);
    let ends = borders.flat_map(|border| [&name[..border], &name[border + 1..]]);
    let end = ends.filter_map(|part| distance(part).map(|distance| 2 * distance + 1)).min();
    [whole, part, end].into_iter().flatten().min()
}

/// True if the wanted text says the name, among other things: `docx` in `other:docx`.
fn contains_name(wanted: &str, length: usize, name: &str, tolerance: Tolerance) -> bool {
    // `go` in `lang-go` is a word; in `django` it is chance.
    let is_word = || tolerance == Tolerance::Lenient && wanted.split(' ').any(|word| word == name);
    tolerance.is_distinctive_name(name.chars().count(), length) && wanted.contains(name)
        || is_word()
}

/// Returns a lower bound of the changes, from the counts of letters alone. It is cheap, and mostly
/// too many.
fn min_changes(wanted: &str, name: &str) -> usize {
    let mut balance = [0_i32; 64];
    let slot = |letter: char| letter as usize % 64;
    wanted.chars().for_each(|letter| balance[slot(letter)] += 1);
    name.chars().for_each(|letter| balance[slot(letter)] -= 1);
    let missing: i32 = balance.iter().map(|count| (*count).max(0)).sum();
    let surplus: i32 = balance.iter().map(|count| (-*count).max(0)).sum();
    missing.max(surplus) as usize
}

/// The set of ASCII letters and digits in a name, as a bit mask. Case does not count.
#[derive(Clone, Copy, Debug)]
struct LetterSet(u64);

impl LetterSet {
    fn from_name(name: &str) -> LetterSet {
        LetterSet(name.bytes().fold(0, |letters, byte| match byte {
            b'a'..=b'z' => letters | 1 << (byte - b'a'),
            b'A'..=b'Z' => letters | 1 << (byte - b'A'),
            b'0'..=b'9' => letters | 1 << (byte - b'0' + 26),
            _ => letters,
        }))
    }

    fn count_missing_in(self, others: LetterSet) -> usize {
        (self.0 & !others.0).count_ones() as usize
    }
}

/// Folds case and turns separators into blanks.
fn fold_separators(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        push_folded(&mut plain, if c.is_alphanumeric() { c } else { ' ' });
    }
    plain.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, expected: &[&str]) {
        let known = [
            "search_code",
            "search_packages",
            "trace",
            "index.exclude",
            "home",
            "@acme/web-ui",
            "status",
        ];
        assert_eq!(nearest(wanted, known), expected, "{wanted}");
    }

    #[test]
    fn a_slip_is_understood() {
        check("serch", &["search_code", "search_packages"]);
        check("serach_pakages", &["search_packages"]);
        check("exlude", &["index.exclude"]);
        check("indx.exlude", &["index.exclude"]);
        check("SearchCode", &["search_code"]);
        check("web-ui", &["@acme/web-ui"]);
        check("staus", &["status"]);
    }

    #[test]
    fn what_is_like_nothing_gets_no_guess() {
        for wanted in ["zzzz", "x", "", "…", "frobnicate", "housekeeping_of_indexes"] {
            check(wanted, &[]);
        }
    }

    #[test]
    fn lenient_matches_are_those_of_short_lists() {
        for (wanted, known, is_found) in [
            ("dcox", "docx", true),
            ("kindergarden", "kintergarten", true),
            ("other:docx", "docx", true),
            ("mydocxtool", "docx", true),
            ("lang-go", "go", true),
            ("django", "go", false),
            ("go", "django", true),
            ("zzzz", "docx", false),
            ("", "docx", false),
        ] {
            let found = nearest_lenient(wanted, [known]);
            assert_eq!(!found.is_empty(), is_found, "{wanted} {known}");
        }
        assert_eq!(nearest_lenient(&"x".repeat(1 << 20), ["docx"]), [""; 0]);
    }

    #[test]
    fn the_quick_checks_exclude_only_what_is_unlike() {
        let parts =
            ["log", "Login", "in", "_", "get", "URL", "x", "größe", " ", "9", "session", "nois"];
        let name = |mut seed: usize| {
            let mut name = String::new();
            while seed > 0 {
                name.push_str(parts[seed % parts.len()]);
                seed /= parts.len();
            }
            name
        };
        for tolerance in [Tolerance::Strict, Tolerance::Lenient] {
            let mut like = 0;
            for seed in 1..4000 {
                let (wanted, known) = (name(seed * 7), name(seed * 31 % 1728));
                let (plain_wanted, plain_known) =
                    (fold_separators(&wanted), fold_separators(&known));
                let expected = if plain_wanted.is_empty() {
                    None
                } else {
                    distance_to(&plain_wanted, &plain_known, tolerance)
                };
                like += usize::from(expected.is_some());
                let found = FuzzyPattern::with_tolerance(&wanted, tolerance).distance_to(&known);
                assert_eq!(found, expected, "{wanted} {known}");
                let distance = strsim::damerau_levenshtein(plain_wanted.as_str(), &plain_known);
                assert!(min_changes(&plain_wanted, &plain_known) <= distance);
            }
            assert!(like > 100, "{like}");
        }
    }
}
