//! The words of a question that occur in no code of the product: nowhere, or in documents, tests and
//! examples alone. An answer about the other words must say so.

use super::orientation::is_example_path;
use crate::graph::Graph;
use crate::ops::OpError;
use kenning_lang::languages;
use kenning_model::RepoPath;
use kenning_text::prose_tokenizer;
use kenning_text::tokenizer;

/// The words of a question that no code of the product contains.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AbsentWords {
    /// The words that no file contains.
    pub nowhere: Vec<String>,
    /// The words that only documents contain, each with one of them.
    pub in_documents: Vec<(String, RepoPath)>,
    /// The words that only documents, tests and examples contain, each with one of the latter.
    pub in_tests: Vec<(String, RepoPath)>,
    /// The number of words that were looked for.
    pub asked: usize,
}

/// The files that are read to check a word. A word in more of them is there, unless it is short: a
/// short one is a part of many others.
const MAX_READ: usize = 40;
const SHORT_PART: usize = 4;

/// A longer question is a report, and its words are not its subject.
const MAX_WORDS: usize = 12;

/// Words of a question about its form, and words for anything that code does. Code says them in
/// other words, so their absence says nothing.
const FORM_WORDS: &[&str] = &[
    "access",
    "across",
    "actual",
    "answer",
    "applies",
    "around",
    "behavior",
    "behaviour",
    "builds",
    "built",
    "case",
    "cases",
    "check",
    "checks",
    "choose",
    "chose",
    "chosen",
    "code",
    "codebase",
    "come",
    "comes",
    "decide",
    "decides",
    "decision",
    "decisions",
    "detect",
    "detection",
    "determine",
    "different",
    "dispatches",
    "does",
    "done",
    "entire",
    "explain",
    "extract",
    "extraction",
    "file",
    "files",
    "find",
    "function",
    "functions",
    "general",
    "generate",
    "get",
    "gets",
    "give",
    "given",
    "goes",
    "handles",
    "happen",
    "happens",
    "helper",
    "helpers",
    "hierarchy",
    "implement",
    "implements",
    "inside",
    "integrates",
    "internal",
    "keep",
    "keeps",
    "kept",
    "kind",
    "kinds",
    "library",
    "lifecycle",
    "logic",
    "made",
    "management",
    "manages",
    "many",
    "mechanism",
    "multiple",
    "onto",
    "part",
    "parts",
    "place",
    "places",
    "produce",
    "project",
    "propagation",
    "put",
    "registration",
    "repository",
    "representation",
    "resolution",
    "resolves",
    "responsible",
    "set",
    "sets",
    "show",
    "single",
    "somebody",
    "specific",
    "storage",
    "stores",
    "structure",
    "support",
    "supports",
    "take",
    "taken",
    "takes",
    "test",
    "tests",
    "thing",
    "things",
    "through",
    "throughout",
    "track",
    "turn",
    "use",
    "utilities",
    "utility",
    "various",
    "versus",
    "via",
    "way",
    "ways",
    "whether",
    "whole",
    "wire",
    "without",
    "work",
    "works",
];

/// Looks for each word of a question by its stem, as a part of any word of the repository.
pub fn find_absent_words(graph: &Graph, question: &str) -> Result<AbsentWords, OpError> {
    let words: Vec<String> = tokenizer::spelled_words(question)
        .into_iter()
        .map(|word| word.text)
        .filter(|word| !is_form_word(word))
        .collect();
    let mut absent = AbsentWords { asked: words.len(), ..AbsentWords::default() };
    if words.len() > MAX_WORDS {
        return Ok(absent);
    }
    for word in words {
        let Some(stem) = shortened_stem(&word) else {
            continue;
        };
        let mut paths = files_with(graph, &singular(&word), &word)?;
        if paths.iter().any(is_product) {
            continue;
        }
        paths.extend(files_with(graph, &stem, &word)?);
        if paths.iter().any(is_product) {
            continue;
        }
        paths.sort();
        // Tests and examples before documents: they are code.
        let test = paths.iter().find(|path| !is_document(path));
        match (test, paths.first()) {
            (Some(test), _) => absent.in_tests.push((word, test.clone())),
            (None, Some(document)) => absent.in_documents.push((word, document.clone())),
            (None, None) => absent.nowhere.push(word),
        }
    }
    Ok(absent)
}

/// True for a word that says nothing about the subject: one of the list in any form, or a verb or
/// an adverb by its ending.
fn is_form_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    let is_verb = ["ed", "ing", "ly"].iter().any(|ending| lower.ends_with(ending));
    let stems = prose_tokenizer::query_terms(&lower);
    is_verb
        || stems.is_empty()
        || FORM_WORDS
            .iter()
            .any(|known| *known == lower || prose_tokenizer::query_terms(known) == stems)
}

/// Returns the files with a word that has this part and is a form of the asked one: `raft` is a
/// part of `draft`, too. If many files have a long part, they are not read.
fn files_with(graph: &Graph, part: &str, word: &str) -> Result<Vec<RepoPath>, OpError> {
    let mut paths = graph.paths_with_word_part(part)?;
    if paths.len() > MAX_READ && part.len() > SHORT_PART {
        return Ok(paths);
    }
    paths.sort_by_key(|path| !is_product(path));
    paths.truncate(MAX_READ);
    let stems = prose_tokenizer::query_terms(word);
    let mut kept = Vec::new();
    for path in paths {
        let text = graph.read_lines(&path, 1, u32::MAX)?.unwrap_or_default();
        let has_word = |line: &str| {
            let terms = prose_tokenizer::terms(line);
            stems.iter().all(|stem| terms.contains(stem))
        };
        let has_part = |line: &&str| line.to_ascii_lowercase().contains(part);
        if text.lines().filter(has_part).any(has_word) {
            kept.push(path);
        }
    }
    Ok(kept)
}

/// Returns the word in lower case without the ending of a plural.
fn singular(word: &str) -> String {
    let lower = word.to_lowercase();
    let is_plural = lower.len() > 4 && ["ss", "is", "us"].iter().all(|end| !lower.ends_with(end));
    lower.strip_suffix('s').filter(|_| is_plural).unwrap_or(&lower).to_string()
}

/// Returns the longest stem of a word's parts, without a vowel that changes with the ending.
/// `None` if it is too short to distinguish anything.
fn shortened_stem(word: &str) -> Option<String> {
    let stems = prose_tokenizer::query_terms(word);
    let longest = stems.into_iter().max_by_key(String::len)?;
    let part = longest.strip_suffix(['i', 'y', 'e']).unwrap_or(&longest);
    (part.chars().count() >= 3 && part.is_ascii()).then(|| part.to_string())
}

/// True for code that is shipped.
fn is_product(path: &RepoPath) -> bool {
    !is_document(path) && !languages::is_test_path(path) && !is_example_path(path)
}

/// True for a file whose words say nothing about the code: prose, and data such as a lock file.
fn is_document(path: &RepoPath) -> bool {
    let role = languages::by_path(path).map(|language| language.role);
    role != Some(languages::LanguageRole::Program)
}

impl AbsentWords {
    /// Returns the share of the words that the product lacks, from 0 to 1.
    pub fn share(&self) -> f32 {
        let absent = self.nowhere.len() + self.in_documents.len() + self.in_tests.len();
        absent as f32 / self.asked.max(1) as f32
    }

    /// Returns the note: `"redis" occurs nowhere; "session" only in documents (docs/a.md)`.
    pub fn note(&self) -> Option<String> {
        let nowhere = self.nowhere.iter().map(|word| format!("{word:?} occurs nowhere here"));
        let elsewhere = |kind: &'static str| {
            move |(word, path): &(String, RepoPath)| {
                format!("{word:?} occurs only in {kind} ({path})")
            }
        };
        let parts: Vec<String> = nowhere
            .chain(self.in_documents.iter().map(elsewhere("documents and data")))
            .chain(self.in_tests.iter().map(elsewhere("tests and examples")))
            .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::shop;

    #[test]
    fn words_without_code_are_named() {
        let shop = shop(&[
            ("src/a.py", "def retry(request):\n    return send(request)\n"),
            ("tests/test_a.py", "def test_redis():\n    retry(1)\n"),
            ("src/b.py", "def draft_plan():\n    return 1\n"),
            ("README.md", "# Shop\n\nRetries requests. Stores sessions in redis.\n"),
        ]);
        let index = shop.engine.code(None).unwrap();
        for (question, expected, share) in [
            ("how are request retries decided", None, 0.0),
            (
                "where are sessions",
                Some("\"sessions\" occurs only in documents and data (README.md)"),
                1.0,
            ),
            (
                "redis retries",
                Some("\"redis\" occurs only in tests and examples (tests/test_a.py)"),
                0.5,
            ),
            (
                "how do requests send kafka messages",
                Some("\"kafka\" occurs nowhere here; \"messages\" occurs nowhere here"),
                0.5,
            ),
            ("send requests by raft", Some("\"raft\" occurs nowhere here"), 1.0 / 3.0),
            ("kafka retry request plan sending", Some("\"kafka\" occurs nowhere here"), 0.25),
        ] {
            let absent = index.query_graph(|graph| find_absent_words(graph, question)).unwrap();
            assert_eq!(absent.note().as_deref(), expected, "{question}");
            assert_eq!(absent.share(), share, "{question}");
        }
    }
}
