//! Reasons for which a definition without an edge may be used after all. A definition with one is
//! "perhaps" unused.
//!
//! All texts of the repository are scanned once: for names, for other spellings of them in strings,
//! for patterns that build names, and for words that find types or members at run time.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::unused_patterns::{LineCounter, NamePatterns, TextPosition, split_identifiers};
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::{RepoPath, Span};

/// The reason why a definition without an edge may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Another text contains the name.
    Named(TextPosition),
    /// A string contains the name in another spelling: `add-item` for `add_item`.
    Respelled(TextPosition),
    /// Code builds names of this pattern.
    Built { pattern: String, place: TextPosition },
    /// Code in the same file finds members or functions by a name that it computes.
    Computed { word: &'static str, line: u32 },
    /// The type has a base, and code looks for subtypes.
    Registry { word: &'static str, place: TextPosition },
    /// A library may call a method of an object that it is given.
    DuckTyped,
    /// Members of the type are used, for example as extension methods.
    MembersUsed,
    /// An interface requires a method of this name. A type without it would not fulfil the
    /// interface, even if nothing calls the method.
    Required,
    /// The grammar did not understand the whole file.
    Unparsed,
    /// Some files were not searched, because the time was up.
    Unsearched,
}

impl Doubt {
    /// True if the name itself is in another text.
    pub fn is_mention(&self) -> bool {
        matches!(self, Doubt::Named(_))
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Named(place) => write!(formatter, "named at {place}"),
            Doubt::Respelled(place) => write!(formatter, "spelled differently at {place}"),
            Doubt::Built { pattern, place } => {
                write!(formatter, "names like {pattern} are built at {place}")
            }
            Doubt::Computed { word, line } => {
                write!(formatter, "line {line} finds names at run time ({word})")
            }
            Doubt::Registry { word, place } => {
                write!(formatter, "subtypes are found at run time ({word}) at {place}")
            }
            Doubt::DuckTyped => formatter.write_str("a library may call it on an object"),
            Doubt::MembersUsed => formatter.write_str("its members are used"),
            Doubt::Required => formatter.write_str("an interface requires it"),
            Doubt::Unsearched => formatter.write_str("not all files were searched in time"),
            Doubt::Unparsed => formatter.write_str("the file was not parsed completely"),
        }
    }
}

/// The findings of one scan over all texts.
pub(super) struct TextScan<'n> {
    names: &'n HashSet<String>,
    /// Keys of [`spelling_key`], of all names.
    spellings: HashMap<u64, Option<TextPosition>>,
    /// The first mention of each name outside of its own definitions.
    pub named: HashMap<String, TextPosition>,
    pub patterns: NamePatterns,
    /// By language: the first word that finds subtypes.
    pub registries: HashMap<&'static str, (&'static str, TextPosition)>,
    pub required: RequiredMethods,
}

/// The names of the methods that interfaces require, with their language.
pub(super) type RequiredMethods = HashSet<(&'static str, String)>;

impl<'n> TextScan<'n> {
    pub fn new(names: &'n HashSet<String>) -> TextScan<'n> {
        let spellings = names.iter().map(|name| (spelling_key(name), None)).collect();
        TextScan {
            names,
            spellings,
            named: HashMap::new(),
            patterns: NamePatterns::default(),
            registries: HashMap::new(),
            required: RequiredMethods::new(),
        }
    }

    /// Scans a text. `is_own` says if a name at this byte belongs to its own definition.
    pub fn add_text(&mut self, path: &RepoPath, text: &str, is_own: impl Fn(&str, usize) -> bool) {
        let registry_words = languages::by_path(path)
            .map(|language| (language.name, language.usage.registry_words))
            .unwrap_or_default();
        let mut lines = LineCounter::new(path, text);
        for (start, word) in split_identifiers(text) {
            if self.names.contains(word) {
                if !self.named.contains_key(word) && !is_own(word, start) {
                    self.named.insert(word.to_string(), lines.position(start));
                }
            } else if let Some(whole) = quoted_name(text, start, word)
                && let Some(place @ None) = self.spellings.get_mut(&spelling_key(whole))
            {
                *place = Some(lines.position(start));
            }
            if let Some(known) = registry_words.1.iter().find(|known| **known == word) {
                let registry = self.registries.entry(registry_words.0);
                registry.or_insert_with(|| (*known, lines.position(start)));
            }
        }
        if may_build_names(path) {
            self.patterns.add_text(path, text);
        }
    }

    /// Returns the reason that the texts give for a name.
    pub fn doubt(&self, name: &str) -> Option<Doubt> {
        if let Some(place) = self.named.get(name) {
            return Some(Doubt::Named(place.clone()));
        }
        if let Some(Some(place)) = self.spellings.get(&spelling_key(name)) {
            return Some(Doubt::Respelled(place.clone()));
        }
        let (pattern, place) = self.patterns.find(name)?;
        Some(Doubt::Built { pattern, place: place.clone() })
    }
}

/// Extensions of texts for people and of data that have no language here.
const TEXT_EXTENSIONS: &[&str] =
    &["adoc", "asciidoc", "csv", "diff", "log", "patch", "po", "pot", "rst", "svg", "tsv", "txt"];

/// True if a file may contain code that builds names.
fn may_build_names(path: &RepoPath) -> bool {
    let extension = path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_lowercase();
    match languages::by_path(path) {
        Some(language) => language.role != LanguageRole::Prose,
        None => !TEXT_EXTENSIONS.contains(&extension.as_str()),
    }
}

/// Returns the whole name in a string that begins at this word, with its hyphens; `None` if the
/// word does not follow a quote or a slash.
fn quoted_name<'t>(text: &'t str, start: usize, word: &str) -> Option<&'t str> {
    let is_opened = text[..start].ends_with(['"', '\'', '`', '/', ':']);
    let rest = &text[start + word.len()..];
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let end = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
    is_opened.then(|| &text[start..start + word.len() + end])
}

/// Returns a key that all spellings of a name share: `addItem`, `add_item`, `ADD-ITEM`.
fn spelling_key(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
    letters.flat_map(char::to_lowercase).for_each(|c| c.hash(&mut hasher));
    hasher.finish()
}

/// Returns the word that computes names in a text, and its line.
pub(super) fn find_computed_names(text: &str, words: &[&'static str]) -> Option<Doubt> {
    let found = words.iter().filter_map(|word| text.find(word).map(|at| (at, *word)));
    let (at, word) = found.min()?;
    let line = text[..at].matches('\n').count() as u32 + 1;
    Some(Doubt::Computed { word, line })
}

/// True if a definition at the margin contains a closing brace at the margin before its end: the
/// grammar took the code behind it for a part of it.
pub(super) fn is_span_too_long(text: &str, span: &Span) -> bool {
    let (start, end) = (span.start_byte as usize, span.end_byte as usize);
    let is_at_margin = start == 0 || text.as_bytes().get(start - 1) == Some(&b'\n');
    let inner = text.get(start..end).unwrap_or_default().trim_end();
    let last = inner.rfind('\n').unwrap_or(0);
    is_at_margin && inner[..last].contains("\n}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_give_reasons() {
        for (path, text, name, reason) in [
            ("a.md", "call `add_item`", "add_item", Some("named at a.md:1")),
            ("a.md", "\nadd_items", "add_item", None),
            ("a.md", "say 'add_' + name", "add_item", None),
            ("a.yml", "run: \"add-item\"", "add_item", Some("spelled differently at a.yml:1")),
            ("a.py", "x = addItem()", "add_item", None),
            (
                "a.py",
                "\n\ngetattr(x, 'add_' + y)",
                "add_item",
                Some("names like add_… are built at a.py:3"),
            ),
        ] {
            let names = HashSet::from([name.to_string()]);
            let mut scan = TextScan::new(&names);
            scan.add_text(&RepoPath::new(path).unwrap(), text, |_, _| false);
            let found = scan.doubt(name).map(|doubt| doubt.to_string());
            assert_eq!(found.as_deref(), reason, "{text}");
        }
    }

    #[test]
    fn spans_that_swallow_others_are_known() {
        for (text, is_too_long) in [
            ("void a() {\n  b();\n}", false),
            ("void a() {\n  b();\n}\nvoid c() {\n}", true),
            ("a", false),
        ] {
            let span = Span { start_byte: 0, end_byte: text.len() as u32, ..Span::default() };
            assert_eq!(is_span_too_long(text, &span), is_too_long, "{text}");
        }
    }
}
