//! Patterns of names that code builds at run time or in a preprocessor: `"_get_%s" % period`,
//! `"add_{$key}"`, `name##_ctl`. A definition whose name fits one may be used without being named.
//!
//! The scan knows no language. It looks at the neighbours of each identifier: a fragment of a name
//! has a placeholder, a pasting operator or a concatenation beside it. A wrong pattern only turns
//! "unused" into "perhaps".

use std::collections::HashMap;
use std::fmt;

use kenning_model::RepoPath;

/// A position in a text: the file and its line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPosition {
    pub path: RepoPath,
    pub line: u32,
}

/// Counts the lines of one text. Positions are requested in ascending order, so the text is read
/// once.
pub struct LineCounter<'t> {
    path: &'t RepoPath,
    text: &'t str,
    byte: usize,
    line: u32,
}

impl<'t> LineCounter<'t> {
    pub fn new(path: &'t RepoPath, text: &'t str) -> LineCounter<'t> {
        LineCounter { path, text, byte: 0, line: 1 }
    }

    /// Returns the position of a byte that is not before the last one.
    pub fn position(&mut self, byte: usize) -> TextPosition {
        let between = &self.text[self.byte..byte];
        self.line += between.matches('\n').count() as u32;
        self.byte = byte;
        TextPosition { path: self.path.clone(), line: self.line }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.path, self.line)
    }
}

/// Returns the words of a text that may be names, each with its offset.
pub fn split_identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_inner)?;
        let length = text[start..].find(|c| !is_inner(c));
        rest = length.map_or(text.len(), |length| start + length);
        Some((start, &text[start..rest]))
    })
}

/// The part of a name that a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FragmentKind {
    Beginning,
    Middle,
    End,
}

/// The fragments of built names, each with the first place that has it.
#[derive(Default)]
pub struct NamePatterns {
    fragments: HashMap<(FragmentKind, String), TextPosition>,
}

impl NamePatterns {
    /// Collects the fragments of a text.
    pub fn add_text(&mut self, path: &RepoPath, text: &str) {
        let mut lines = LineCounter::new(path, text);
        for (start, word) in split_identifiers(text) {
            let before = text_before(text, start);
            let after = &text[start + word.len()..];
            let word = strip_format_letter(before, word);
            if let Some(kind) = fragment_kind(before, word, after) {
                let key = (kind, word.to_string());
                self.fragments.entry(key).or_insert_with(|| lines.position(start));
            }
        }
    }

    /// Returns the pattern that may build this name, such as `_get_…`, and its place.
    pub fn find(&self, name: &str) -> Option<(String, &TextPosition)> {
        let inner = || name.char_indices().skip(1).map(|(at, _)| at);
        let beginning = inner().filter(|&at| is_boundary(&name[..at], &name[at..]));
        let beginnings = beginning.filter_map(|at| {
            let place = self.place_of(FragmentKind::Beginning, &name[..at])?;
            Some((format!("{}…", &name[..at]), place))
        });
        let end = inner().filter(|&at| is_boundary(&name[..at], &name[at..]));
        let ends = end.filter_map(|at| {
            let place = self.place_of(FragmentKind::End, &name[at..])?;
            Some((format!("…{}", &name[at..]), place))
        });
        beginnings.chain(ends).next().or_else(|| self.find_middle(name))
    }

    fn place_of(&self, kind: FragmentKind, fragment: &str) -> Option<&TextPosition> {
        self.fragments.get(&(kind, fragment.to_string()))
    }

    /// Finds the shortest fragment, then the first by its letters, so that the answer is the same
    /// in every run.
    fn find_middle(&self, name: &str) -> Option<(String, &TextPosition)> {
        let middles = self.fragments.iter().filter(|((kind, fragment), _)| {
            *kind == FragmentKind::Middle && name.len() > fragment.len() && name.contains(fragment)
        });
        let found = middles.min_by_key(|((_, fragment), _)| (fragment.len(), fragment));
        found.map(|((_, fragment), place)| (format!("…{fragment}…"), place))
    }
}

/// The most bytes before a word that are looked at. A minified file is one line, so without a bound
/// the cost would be quadratic.
const LOOK_BEHIND: usize = 256;

/// Returns the text before a byte, at most `LOOK_BEHIND` bytes of it.
fn text_before(text: &str, byte: usize) -> &str {
    let least = byte.saturating_sub(LOOK_BEHIND);
    let start = (least..=byte).find(|at| text.is_char_boundary(*at)).unwrap_or(byte);
    &text[start..byte]
}

/// True if a name may be cut here: at an underscore, or before a capital or a digit.
fn is_boundary(before: &str, after: &str) -> bool {
    before.ends_with('_')
        || after.starts_with(|c: char| c == '_' || c.is_uppercase() || c.is_numeric())
}

/// Removes the letter of a placeholder: the word of `%s_ctl` is `s_ctl`.
fn strip_format_letter<'w>(before: &str, word: &'w str) -> &'w str {
    let rest = word.strip_prefix(['s', 'd', 'i', 'u', 'v']);
    rest.filter(|_| before.ends_with('%')).unwrap_or(word)
}

/// The fewest letters of a fragment; shorter ones are in too many names.
const MIN_LETTERS: usize = 2;

/// Returns the part of a name that a word is, by the text on both sides of it. `None` for a word
/// that is whole.
fn fragment_kind(before: &str, word: &str, after: &str) -> Option<FragmentKind> {
    if word.chars().filter(|c| c.is_alphabetic()).count() < MIN_LETTERS {
        return None;
    }
    let goes_on = has_hole_after(before, word, after);
    let went_on = has_hole_before(before, word, after);
    match (went_on, goes_on) {
        (false, false) => None,
        (false, true) => Some(FragmentKind::Beginning),
        (true, true) => Some(FragmentKind::Middle),
        (true, false) => Some(FragmentKind::End),
    }
}

/// True if something is added after the word.
fn has_hole_after(before: &str, word: &str, after: &str) -> bool {
    // `name ## x` and `[<name $x>]` paste tokens.
    let blank = after.trim_start_matches([' ', '\t']);
    if blank.starts_with("##") || blank.starts_with('$') && is_in_paste(before) {
        return true;
    }
    if after.starts_with('$') && word.ends_with('_') {
        return true;
    }
    let is_hole = is_format_hole(after) || starts_with_any(after, &["{", "${", "#{", "\\(", "$"]);
    if is_hole && opens_in_quote(before) {
        return true;
    }
    after.strip_prefix(QUOTES).is_some_and(|rest| {
        let is_whole = before.ends_with(QUOTES);
        let is_joined = starts_with_any(rest.trim_start(), CONCATENATIONS);
        let is_prefix = word.ends_with('_') || has_several_parts(word);
        opens_in_quote(before) && (is_joined || is_whole && is_prefix)
    })
}

/// True for a word such as `_apply_operator`. In quotes, it may be the beginning of a name that a
/// function completes: `dispatch(self, '_apply_operator')`.
fn has_several_parts(word: &str) -> bool {
    let parts = word.split('_').filter(|part| !part.is_empty()).count();
    let humps = word.chars().zip(word.chars().skip(1));
    parts > 1 || humps.filter(|(a, b)| a.is_lowercase() && b.is_uppercase()).count() > 0
}

/// True if something is added before the word.
fn has_hole_before(before: &str, word: &str, after: &str) -> bool {
    let blank = before.trim_end_matches([' ', '\t']);
    if blank.ends_with("##") || is_in_paste(before) && !before.ends_with("[<") {
        return true;
    }
    let is_closing = before.ends_with(['}', ')']);
    if is_closing && word.starts_with('_') {
        return true;
    }
    if (is_closing || before.ends_with('%')) && closes_in_quote(after) {
        return true;
    }
    before.strip_suffix(QUOTES).is_some_and(|rest| {
        let is_whole = after.starts_with(QUOTES);
        let rest = rest.trim_end();
        let is_joined = CONCATENATIONS.iter().any(|sign| rest.ends_with(sign));
        closes_in_quote(after) && is_whole && (is_joined || word.starts_with('_'))
    })
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Operators between a literal and the other part of a text.
const CONCATENATIONS: &[&str] = &["+", "..", ".", "<>", "~", "||", "&", "%"];

fn starts_with_any(text: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| text.starts_with(beginning))
}

/// True for `%s`, `%d`, `%(name)s`, `%1$s`, `%@`.
fn is_format_hole(after: &str) -> bool {
    let rest = after.strip_prefix('%');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || "(@+-.".contains(c)))
}

/// True if a quote opens before the word, with nothing but a path of names between.
fn opens_in_quote(before: &str) -> bool {
    let path = before.trim_end_matches(is_path_sign);
    path.ends_with(QUOTES)
}

/// True if a quote closes after the word, with nothing but a path of names between.
fn closes_in_quote(after: &str) -> bool {
    let mut signs = after.chars().take(LOOK_BEHIND);
    signs.find(|sign| !is_path_sign(*sign)).is_some_and(|sign| QUOTES.contains(&sign))
}

fn is_path_sign(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '/' | '\\' | '#' | '>' | '-' | '@')
}

/// True inside of `[<…>]`, in which macros paste names.
fn is_in_paste(before: &str) -> bool {
    let line = before.rfind('\n').map_or(before, |at| &before[at..]);
    line.rfind("[<").is_some_and(|open| !line[open..].contains(">]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_position() {
        let text = "fn größe(a_b) → c";
        let words: Vec<&str> = split_identifiers(text).map(|(_, word)| word).collect();
        assert_eq!(words, ["fn", "größe", "a_b", "c"]);
        for (start, word) in split_identifiers(text) {
            assert!(text[start..].starts_with(word));
        }
    }

    #[test]
    fn built_names_are_recognized() {
        for (text, name, pattern) in [
            ("getattr(self, \"_get_%s\" % period)", "_get_year", Some("_get_…")),
            ("getattr(self, '_get_{}'.format(x))", "_get_year", Some("_get_…")),
            ("getattr(self, f'visit_{name}')", "visit_node", Some("visit_…")),
            ("getattr(self, 'visit_' + name)", "visit_node", Some("visit_…")),
            ("PREFIX = 'do_'", "do_start", Some("do_…")),
            ("dispatch(x, '_apply_to')", "_apply_to_ket", Some("…_apply_to…")),
            ("show('apply')", "apply_to", None),
            ("$method = \"add_{$key}\";", "add_timeout", Some("add_…")),
            ("$method = 'get' . ucfirst($x);", "getName", Some("get…")),
            ("$method = 'get' . ucfirst($x);", "getter", None),
            ("send(\"#{kind}_path\")", "user_path", Some("…_path")),
            ("send(:\"on_#{kind}\")", "on_start", Some("on_…")),
            ("this[`on${event}`]()", "onStart", Some("on…")),
            ("this['on' + event]()", "onStart", Some("on…")),
            ("{NAME(n), c##_ctl}", "epoch_ctl", Some("…_ctl")),
            ("#define CALL(x) handle_ ## x()", "handle_start", Some("handle_…")),
            ("#define A(x, y) x##_to_##y", "a_to_b", Some("…_to_…")),
            ("[<read_ $name>]()", "read_u8", Some("read_…")),
            ("dlsym(h, \"plugin_\" name)", "plugin_init", Some("plugin_…")),
            ("cmd_$1 \"$@\"", "cmd_push", Some("cmd_…")),
            ("sprintf(buf, \"%s_init\", name)", "lua_init", Some("…_init")),
            ("NSSelectorFromString(\"handle\\(name):\")", "handleOpen", Some("handle…")),
            ("print(\"error in\" + x)", "inFlight", None),
            ("let a = get(x) + set(y)", "getName", None),
            ("if x { get } else { set }", "getName", None),
        ] {
            let mut patterns = NamePatterns::default();
            patterns.add_text(&RepoPath::new("a").unwrap(), text);
            let found = patterns.find(name).map(|(pattern, _)| pattern);
            assert_eq!(found.as_deref(), pattern, "{text}");
        }
    }
}
