//! Which of the known names somebody means who wrote another one. Strict: a wrong guess costs its reader more
//! than none.

/// So many are worth reading.
const SHOWN: usize = 3;
/// A shorter name is part of others by chance.
const TELLING: usize = 3;
/// Longer than any name: comparing more of what somebody sent would only take time.
const LONGEST: usize = 128;

/// The names that were probably meant, likeliest first; none if none is like it. Capitals and what stands
/// between words do not count, and a part of a name (`search` of `search_code`) may be meant too.
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

/// A name that there is not, to be compared with many.
pub struct Wanted(String);

impl Wanted {
    pub fn new(text: &str) -> Wanted {
        Wanted(plain(text).chars().take(LONGEST).collect())
    }

    /// The less, the likelier it is that this one was meant; `None` if it was not.
    pub fn unlikeness(&self, name: &str) -> Option<usize> {
        let is_something = !self.0.is_empty();
        is_something.then(|| unlikeness(&self.0, &plain(name)))?
    }
}

/// In letters that have to be changed, and half steps for what is only a part; `None` if it is too many.
fn unlikeness(wanted: &str, name: &str) -> Option<usize> {
    let length = wanted.chars().count();
    let most = (length / 4).max(1);
    let distance = |part: &str| {
        // One letter may be anything.
        let is_worth_it = part.chars().count().abs_diff(length) <= most && length > 1;
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
    let end = ends
        .filter_map(|part| distance(part).map(|distance| 2 * distance + 1))
        .min();
    [whole, part, end].into_iter().flatten().min()
}

fn plain(name: &str) -> String {
    let spaced = name.chars().map(|c| match c.is_alphanumeric() {
        true => c,
        false => ' ',
    });
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
        for wanted in [
            "zzzz",
            "x",
            "",
            "…",
            "frobnicate",
            "housekeeping_of_indexes",
        ] {
            check(wanted, &[]);
        }
    }
}
