//! The subject of a trace: a requirement or a scenario, parsed into parts that code may contain.
//!
//! Requirements are prose, and code shares few words with prose. Names, quotes and paths are
//! therefore extracted separately: each is strong evidence if the code repeats it.

use std::collections::{HashMap, HashSet};

use crate::search::ParsedQuery;
use crate::search::trace::to_phrase;
use kenning_model::{Requirement, Scenario, Spec};
use kenning_text::bm25;
use kenning_text::tokenizer::{self, Word};

/// A requirement or a scenario.
#[derive(Clone, Debug)]
pub struct RequirementQuery {
    /// The query for the search. Its first line holds the names and weighs more.
    pub query: ParsedQuery,
    /// The names of the requirement and its scenarios, as phrases.
    pub(super) names: Vec<NamePhrase>,
    /// The texts that the author quotes: names of code, paths, options, messages.
    pub(super) quotes: Vec<String>,
    /// The words of its names and of the spec's id.
    pub(super) title_words: HashSet<Word>,
    /// Each word of the question as it was written.
    pub(super) spellings: HashMap<Word, String>,
}

/// A name that a comment or a test may repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePhrase {
    pub written: String,
    pub phrase: String,
}

/// The inverse document frequency of query words in the code.
///
/// Words outside of the request have a rarity of 0.
#[derive(Clone, Debug, Default)]
pub struct WordIdf(HashMap<Word, f32>);

impl RequirementQuery {
    /// Builds the query of a whole requirement. Scenario names count as names, scenario texts only
    /// as a source of quotes.
    pub fn from_requirement(spec: &Spec, requirement: &Requirement) -> RequirementQuery {
        let scenarios: Vec<&str> =
            requirement.scenarios.iter().map(|one| one.name.as_str()).collect();
        let whole: Vec<&str> = requirement.scenarios.iter().map(|one| &*one.text).collect();
        RequirementQuery::new(
            &[&spec.id, &requirement.name],
            &[&requirement.description, &scenarios.join("\n")],
            &[&[requirement.name.as_str()], &scenarios[..]].concat(),
            &[&[requirement.description.as_str()], &whole[..]].concat(),
        )
    }

    /// Builds the query of one scenario. The requirement contributes its name only, so that
    /// siblings do not get the same answer.
    pub fn from_scenario(
        spec: &Spec,
        requirement: &Requirement,
        scenario: &Scenario,
    ) -> RequirementQuery {
        RequirementQuery::new(
            &[&spec.id, &requirement.name, &scenario.name],
            &[&scenario.text],
            &[&scenario.name],
            &[&scenario.text],
        )
    }

    fn new(title: &[&str], body: &[&str], names: &[&str], quoting: &[&str]) -> RequirementQuery {
        let text = strip_markup(&format!("{}\n{}", title.join(" "), body.join("\n")));
        let mut query = ParsedQuery::new(&text);
        let mut quotes: Vec<String> = Vec::new();
        for text in quoting.iter().chain(names) {
            for quote in find_quotes(text) {
                if !quotes.iter().any(|known| known == quote) && quotes.len() < MAX_QUOTES {
                    quotes.push(quote.to_string());
                }
            }
        }
        let named = quotes.iter().filter(|quote| is_identifier(quote));
        for name in named.map(|name| tokenizer::last_name(name)) {
            if !query.names.iter().any(|known| known == name) {
                query.names.push(name.to_string());
            }
        }
        RequirementQuery {
            title_words: tokenizer::of_question(&strip_markup(&title.join(" ")))
                .into_iter()
                .collect(),
            spellings: collect_spellings(&text),
            names: names.iter().filter_map(|name| NamePhrase::new(name)).collect(),
            query,
            quotes,
        }
    }
}

impl NamePhrase {
    /// Returns `None` for a name that code may contain by chance.
    fn new(written: &str) -> Option<NamePhrase> {
        let phrase = to_phrase(written);
        let words = phrase.split_whitespace().count();
        (words >= 2 && phrase.len() >= MIN_NAME_BYTES)
            .then(|| NamePhrase { written: written.to_string(), phrase })
    }
}

/// The least length of a name. A shorter one is weak evidence when repeated.
const MIN_NAME_BYTES: usize = 10;

/// The most quotes that are read. A requirement with more is a table.
const MAX_QUOTES: usize = 32;

impl WordIdf {
    /// Computes the rarity of each word from the number of chunks that contain it, of `chunks` in
    /// all.
    pub fn new(chunks: u32, words: &[Word], holding: &[u32]) -> WordIdf {
        let each = words.iter().zip(holding);
        WordIdf(each.map(|(word, holding)| (*word, bm25::idf(chunks, *holding))).collect())
    }

    /// Returns the rarity of a word; 0 if no query of this request contains it.
    pub fn get(&self, word: Word) -> f32 {
        self.0.get(&word).copied().unwrap_or_default()
    }

    /// Returns the word score of code that contains each of the query's words once.
    pub(super) fn full_score(&self, query: &ParsedQuery) -> f32 {
        let worth = query.words.iter().map(|(word, weight)| weight * self.get(*word));
        worth.sum::<f32>().max(f32::MIN_POSITIVE)
    }
}

/// Returns the words of several queries, each once.
pub fn collect_words<'a>(subjects: impl Iterator<Item = &'a RequirementQuery>) -> Vec<Word> {
    let mut words: Vec<Word> =
        subjects.flat_map(|subject| subject.query.words.iter()).map(|(word, _)| *word).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Removes Markdown marks and the formulaic words of requirements.
fn strip_markup(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let words = line.split_whitespace();
        let kept = words.filter(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            !FORMULAIC_WORDS.contains(&bare.to_lowercase().as_str())
        });
        let line = kept.collect::<Vec<_>>().join(" ");
        line.replace(['*', '`', '#', '|'], " ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Formulaic words of requirements, which say nothing about the subject.
const FORMULAIC_WORDS: &[&str] = &[
    "shall",
    "must",
    "should",
    "may",
    "given",
    "when",
    "then",
    "and",
    "but",
    "scenario",
    "requirement",
];

/// Returns each word as it is written, for reasons that people read. The tokenizer stems words, and
/// stems look misspelled.
fn collect_spellings(text: &str) -> HashMap<Word, String> {
    let mut spelled = HashMap::new();
    for written in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        // If a word has parts, the last token is the whole.
        if let Some(word) = tokenizer::of_question(written).last() {
            let written = written.to_lowercase();
            spelled.entry(*word).or_insert(written);
        }
    }
    spelled
}

/// Returns the texts in backticks, and messages in double quotation marks.
fn find_quotes(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (mark, is_worth) in
            [('`', is_specific as fn(&str) -> bool), ('"', is_message as fn(&str) -> bool)]
        {
            // The odd elements are between two marks. An unclosed mark begins no quote.
            let closed = line.matches(mark).count() / 2;
            let inside = line.split(mark).skip(1).step_by(2).take(closed);
            found.extend(inside.map(str::trim).filter(|quote| is_worth(quote)));
        }
    }
    found
}

/// True if the quote is specific enough to find in code: `--strict`, `spec.md` or `parseSpec`, but
/// not `a`.
fn is_specific(quote: &str) -> bool {
    (3..=80).contains(&quote.len()) && quote.chars().any(char::is_alphanumeric)
}

/// True if a text in quotation marks is a program's message, not a single word.
fn is_message(quote: &str) -> bool {
    is_specific(quote) && quote.split_whitespace().count() >= 2
}

/// True if it may be the name of a definition: `Session.login()`, but not `--strict`.
pub(super) fn is_identifier(quote: &str) -> bool {
    let starts_well = quote.starts_with(|c: char| c.is_alphabetic() || c == '_');
    starts_well && tokenizer::is_name(quote) && !quote.contains(['/', '-'])
}

/// Returns the words of texts as a set.
pub(super) fn collect_word_set(texts: &[&str]) -> HashSet<Word> {
    let mut set = HashSet::new();
    for text in texts {
        tokenizer::each(text, |word| {
            set.insert(word);
        });
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_what_code_may_repeat() {
        for (text, expected) in [
            ("calls `brew()` with `--hot`", &["brew()", "--hot"][..]),
            ("says \"No water left\" and \"stop\"", &["No water left"]),
            ("`a` and ` ` and ``", &[]),
            ("an odd ` stays alone", &[]),
        ] {
            assert_eq!(find_quotes(text), expected, "{text}");
        }
        assert!(is_identifier("Kettle.boil()") && is_identifier("boil_water"));
        assert!(!is_identifier("--hot") && !is_identifier("src/kettle.rs"));
    }

    #[test]
    fn a_subject_asks_for_its_names_and_not_for_formulas() {
        let spec = Spec { id: "brewing".to_string(), ..Spec::default() };
        let requirement = Requirement {
            name: "Heat the water".to_string(),
            description: "The kettle SHALL call `boil` until it **MUST** stop.".to_string(),
            ..Requirement::default()
        };
        let subject = RequirementQuery::from_requirement(&spec, &requirement);
        assert_eq!(subject.query.names, ["boil"]);
        let text = &subject.query.text;
        assert!(text.starts_with("brewing Heat the water\n"), "{text}");
        assert!(!text.contains("SHALL") && !text.contains("MUST"), "{text}");
        assert_eq!(subject.names[0].phrase, " heat the water ");
    }
}
