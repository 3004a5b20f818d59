//! Suggests known names for a misspelled one. Strict: a wrong guess costs its reader more than
//! none.

/// The most suggestions that are shown.
const SHOWN: usize = 3;
/// A shorter name is part of others by chance.
const TELLING: usize = 3;
/// Longer than any name: comparing more of what somebody sent would only take time.
const LONGEST: usize = 128;

/// Returns the names that were probably meant, likeliest first; none if none is similar. Case and
/// word separators do not count. A part of a name also matches (`search` for `search_code`).
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = Wanted::new(wanted);
    let scored = known.into_iter().filter_map(|name| {
        let unlikeness = wanted.unlikeness(name)?;
        Some((unlikeness, name.len(), name))
    });
    let mut scored: Vec<(usize, usize, &str)> = scored.collect();
    scored.sort_unstable();
    scored.dedup();
    let names = scored.into_iter().map(|(_, _, name)| name);
    names.take(SHOWN).collect()
}

/// An unknown name, prepared for comparison with many known ones.
pub struct Wanted {
    plain: String,
    letters: Letters,
}

impl Wanted {
    pub fn new(text: &str) -> Wanted {
        let plain: String = plain(text).chars().take(LONGEST).collect();
        Wanted { letters: Letters::of(&plain), plain }
    }

    /// Returns the distance to a known name; `None` if it is too far.
    pub fn unlikeness(&self, name: &str) -> Option<usize> {
        let is_worth_it = !self.plain.is_empty() && !self.is_far_from(name);
        is_worth_it.then(|| unlikeness(&self.plain, &plain(name)))?
    }

    /// True if its letters alone tell that the name was not meant. Most are not, and to compare two
    /// names takes a hundred times as long.
    fn is_far_from(&self, name: &str) -> bool {
        if !name.is_ascii() || !self.plain.is_ascii() {
            return false;
        }
        let letters = Letters::of(name);
        let lacking = self.letters.without(letters);
        // Each takes a change of its own. A name that is a part of what was wanted lacks many.
        lacking > most_changes(self.plain.len()) && letters.without(self.letters) > 0
    }
}

/// In letters that have to be changed, and half steps for what is only a part; `None` if it is too many.
fn unlikeness(wanted: &str, name: &str) -> Option<usize> {
    let length = wanted.chars().count();
    let most = most_changes(length);
    let distance = |part: &str| {
        // One letter may be anything.
        let is_worth_it = part.chars().count().abs_diff(length) <= most && length > 1;
        let is_worth_it = is_worth_it && fewest_changes(wanted, part) <= most;
        let distance = is_worth_it.then(|| strsim::damerau_levenshtein(wanted, part));
        distance.filter(|distance| *distance <= most)
    };
    let whole = distance(name).map(|distance| 2 * distance);
    let is_part = length >= TELLING && name.contains(wanted);
    let letters = name.chars().count();
    let is_said = letters > TELLING && 2 * letters >= length && wanted.contains(name);
    let part = match (is_part, is_said) {
        (true, _) => Some(1),
        (false, true) => Some(2 * most + 2),
        (false, false) => None,
    };
    let borders = name.match_indices(' ').map(|(border, _)| border);
    let ends = borders.flat_map(|border| [&name[..border], &name[border + 1..]]);
    let end = ends.filter_map(|part| distance(part).map(|distance| 2 * distance + 1)).min();
    [whole, part, end].into_iter().flatten().min()
}

/// So many letters of a name may be wrong.
fn most_changes(length: usize) -> usize {
    (length / 4).max(1)
}

/// No fewer letters have to be changed, whatever their order: cheap to know, and mostly too many.
fn fewest_changes(wanted: &str, name: &str) -> usize {
    let mut balance = [0_i32; 64];
    let place = |letter: char| letter as usize % 64;
    wanted.chars().for_each(|letter| balance[place(letter)] += 1);
    name.chars().for_each(|letter| balance[place(letter)] -= 1);
    let lacking: i32 = balance.iter().map(|count| (*count).max(0)).sum();
    let needless: i32 = balance.iter().map(|count| (-*count).max(0)).sum();
    lacking.max(needless) as usize
}

/// The set of ASCII letters and digits in a name, as a bit mask. Case does not count.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn of(name: &str) -> Letters {
        Letters(name.bytes().fold(0, |letters, byte| match byte {
            b'a'..=b'z' => letters | 1 << (byte - b'a'),
            b'A'..=b'Z' => letters | 1 << (byte - b'A'),
            b'0'..=b'9' => letters | 1 << (byte - b'0' + 26),
            _ => letters,
        }))
    }

    /// How many of these the others are not.
    fn without(self, others: Letters) -> usize {
        (self.0 & !others.0).count_ones() as usize
    }
}

fn plain(name: &str) -> String {
    let spaced = name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' });
    let spaced: String = spaced.flat_map(char::to_lowercase).collect();
    spaced.trim().to_string()
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
    fn what_is_passed_over_is_unlike() {
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
        let mut like = 0;
        for seed in 1..4000 {
            let (wanted, known) = (name(seed * 7), name(seed * 31 % 1728));
            let (plain_wanted, plain_known) = (plain(&wanted), plain(&known));
            let expected = if plain_wanted.is_empty() {
                None
            } else {
                unlikeness(&plain_wanted, &plain_known)
            };
            like += usize::from(expected.is_some());
            assert_eq!(Wanted::new(&wanted).unlikeness(&known), expected, "{wanted} {known}");
            let distance = strsim::damerau_levenshtein(plain_wanted.as_str(), &plain_known);
            assert!(fewest_changes(&plain_wanted, &plain_known) <= distance);
        }
        assert!(like > 100, "{like}");
    }
}
