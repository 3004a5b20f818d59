//! Reads the intent of a question about code: the graph walk that answers it, and the names to
//! start from. It reads words only; the graph decides which names exist.
//!
//! The patterns are English and fixed. A question that fits none of them is [`Intent::Free`], and
//! the ordinary search answers it. No model takes part, so the same words always give the same
//! walk.

/// A parsed question: its intent and its candidate names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResearchQuestion {
    pub intent: Intent,
    /// The words that may be the subject's name, likeliest first.
    pub names: Vec<NameCandidate>,
}

/// A word of the question that may be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCandidate {
    pub text: String,
    /// True if it is spelled as only code is: `login()`, `Session.login`, `parse_url`, `parseUrl`.
    pub is_code: bool,
}

/// The intent of a question: the walk that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// The direct and indirect callers of the subject.
    Callers,
    /// The direct and indirect callees of the subject.
    Callees,
    /// The types that implement, extend or conform to the subject.
    Implementations,
    /// The types that the subject implements, extends or conforms to.
    Supertypes,
    /// The code that uses the subject or depends on it.
    References,
    /// The code that the subject uses or depends on.
    Uses,
    /// The tests that reach the subject.
    Tests,
    /// The place and text of the definition.
    Definition,
    /// A brief summary of all of the above. The question is only a name.
    Overview,
    /// Any other question.
    Free,
}

/// The side of the intent's keyword on which the name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// A text with more words is a report and not a question about one name.
const MAX_QUESTION_WORDS: usize = 24;

/// Parses a question.
///
/// A single word is a question about that name. A question in plain words must be about one name,
/// or it is free.
pub fn parse_question(text: &str) -> ResearchQuestion {
    let words: Vec<&str> =
        text.split_whitespace().map(trim_punctuation).filter(|word| !word.is_empty()).collect();
    if let [only] = words.as_slice() {
        return ResearchQuestion { intent: Intent::Overview, names: vec![to_candidate(only)] };
    }
    // A pasted report has many subjects, so no pattern within it is the question.
    if words.len() > MAX_QUESTION_WORDS {
        return free_question();
    }
    let lower_words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower_words.iter().map(String::as_str).collect();
    match match_question(&lower) {
        Some((walk, side, at)) => {
            let names = candidate_names(&words, side, at);
            if names.iter().any(|name| name.is_code) || is_about_one_name(&lower) {
                ResearchQuestion { intent: walk, names }
            } else {
                free_question()
            }
        }
        None => free_question(),
    }
}

/// Returns a question without a walk.
fn free_question() -> ResearchQuestion {
    ResearchQuestion { intent: Intent::Free, names: Vec::new() }
}

/// True if a question in plain words can be about one name: "how is the buffer used when reading
/// from a socket" is about more than a buffer.
fn is_about_one_name(words: &[&str]) -> bool {
    let is_pattern = |word: &str| {
        FILLERS.contains(&word)
            || HELPERS.contains(&word)
            || CHANGE_WORDS.contains(&word)
            || COVERING_VERBS.contains(&word)
            || matches!(word, "test" | "tests" | "tested")
            || verb_intent(word).is_some()
            || participle_intent(word).is_some()
            || NOUNS.iter().any(|(noun, _)| *noun == word)
    };
    let beyond = words.iter().filter(|word| !is_pattern(word)).count();
    let is_explanation = matches!(words.first(), Some(&"how" | &"why"));
    beyond <= if is_explanation { 1 } else { 2 }
}

/// Tries the patterns from the most specific to the most general. Returns the intent, the side of
/// the name, and the keyword's index.
///
/// The order decides ambiguous questions: "what does X call" also contains the active verb "call".
fn match_question(words: &[&str]) -> Option<(Intent, Side, usize)> {
    match_tests(words)
        .or_else(|| match_outward(words))
        .or_else(|| match_passive(words))
        .or_else(|| match_noun(words))
        .or_else(|| match_active(words))
}

/// "What tests cover X", "tests of X", "is X tested".
fn match_tests(words: &[&str]) -> Option<(Intent, Side, usize)> {
    if let Some(at) = words.iter().position(|word| *word == "tested") {
        let is_by = words.get(at + 1) == Some(&"by");
        return (!is_by).then_some((Intent::Tests, Side::Before, at));
    }
    let is_test = |word: &&str| matches!(*word, "test" | "tests");
    let at = words.iter().position(is_test)?;
    let link = words.get(at + 1)?;
    let is_verb = COVERING_VERBS.contains(link) || matches!(*link, "of" | "for");
    // "What tests X" has no other word than the name.
    let is_plain = at == 1 && words.len() == 3 && matches!(words[0], "what" | "which" | "who");
    let at = at + usize::from(is_verb);
    (is_verb || is_plain).then_some((Intent::Tests, Side::After, at))
}

/// Matches "What does X call": the name is between `does` and the verb.
///
/// The intent of the verb is turned around: a caller's question becomes one about callees.
fn match_outward(words: &[&str]) -> Option<(Intent, Side, usize)> {
    let helper = words.iter().position(|word| HELPERS.contains(word))?;
    let mut verbs = words
        .iter()
        .enumerate()
        .skip(helper + 2)
        .filter_map(|(at, word)| Some((at, *word, verb_intent(word)?)));
    let (at, word, verb) = verbs.next()?;
    let walk = match verb {
        Intent::Callers => Intent::Callees,
        Intent::References => Intent::Uses,
        Intent::Implementations => Intent::Supertypes,
        _ => return None,
    };
    // "Who does call X" asks for the opposite direction.
    let is_last =
        at + 1 >= words.len() || word == "depend" || word == "conform" || word == "inherit";
    let rest = words.get(at + 1..).unwrap_or_default();
    let is_end = rest.iter().all(|word| FILLERS.contains(word));
    (is_last || is_end).then_some((walk, Side::Before, at))
}

/// "Where is X called", "called by X", "X is used by".
///
/// With an agent after "by", the direction turns around: "called by X" asks for the callees of X.
fn match_passive(words: &[&str]) -> Option<(Intent, Side, usize)> {
    let mut verbs =
        words.iter().enumerate().filter_map(|(at, word)| Some((at, participle_intent(word)?)));
    let (at, walk) = verbs.next()?;
    let is_by = words.get(at + 1) == Some(&"by");
    let rest = words.get(at + 2..).unwrap_or_default();
    let names_agent = rest.iter().any(|word| !FILLERS.contains(word));
    if !is_by || !names_agent {
        return Some((walk, Side::Before, at));
    }
    let walk = match walk {
        Intent::Callers => Intent::Callees,
        Intent::References => Intent::Uses,
        Intent::Implementations => Intent::Supertypes,
        other => other,
    };
    Some((walk, Side::After, at + 1))
}

/// "Callers of X", "references to X".
fn match_noun(words: &[&str]) -> Option<(Intent, Side, usize)> {
    let known = |word: &&str| NOUNS.iter().find(|(noun, _)| noun == word);
    let mut nouns = words.iter().enumerate();
    let (at, walk) = nouns.find_map(|(at, word)| known(word).map(|(_, walk)| (at, *walk)))?;
    let link = words.iter().skip(at + 1).position(|word| LINKS.contains(word));
    link.map(|link| (walk, Side::After, at + 1 + link))
}

/// "What calls X", "types that conform to X"; "X calls what" the other way round.
fn match_active(words: &[&str]) -> Option<(Intent, Side, usize)> {
    if let Some(at) = words.iter().position(|word| CHANGE_WORDS.contains(word)) {
        return Some((Intent::References, Side::After, at));
    }
    let mut verbs =
        words.iter().enumerate().filter_map(|(at, word)| Some((at, verb_intent(word)?)));
    let (at, walk) = verbs.next()?;
    let rest = words.get(at + 1..).unwrap_or_default();
    if rest.iter().any(|word| !FILLERS.contains(word)) {
        return Some((walk, Side::After, at));
    }
    let walk = match walk {
        Intent::Callers => Intent::Callees,
        Intent::References => Intent::Uses,
        _ => Intent::Supertypes,
    };
    Some((walk, Side::Before, at))
}

/// Returns the intent of an active verb whose object is the name.
fn verb_intent(word: &str) -> Option<Intent> {
    Some(match word {
        "call" | "calls" | "calling" | "invoke" | "invokes" | "invoking" => Intent::Callers,
        "use" | "uses" | "using" | "reference" | "references" | "mention" | "mentions"
        | "depend" | "depends" | "depending" | "need" | "needs" | "import" | "imports"
        | "construct" | "constructs" | "instantiate" | "instantiates" => Intent::References,
        "implement" | "implements" | "implementing" | "conform" | "conforms" | "conforming"
        | "extend" | "extends" | "extending" | "inherit" | "inherits" | "inheriting"
        | "subclass" | "subclasses" | "adopt" | "adopts" => Intent::Implementations,
        _ => return None,
    })
}

/// Returns the intent of a participle whose subject is the name.
fn participle_intent(word: &str) -> Option<Intent> {
    Some(match word {
        "called" | "invoked" => Intent::Callers,
        "used" | "referenced" | "mentioned" | "imported" | "instantiated" => Intent::References,
        "implemented" | "extended" | "subclassed" | "adopted" => Intent::Implementations,
        "defined" | "declared" | "located" => Intent::Definition,
        _ => return None,
    })
}

/// Auxiliary verbs that put the name before the main verb: "what does X call".
const HELPERS: [&str; 7] = ["does", "do", "did", "can", "will", "would", "could"];

/// Prepositions between a noun of [`NOUNS`] and the name.
const LINKS: [&str; 6] = ["of", "to", "for", "from", "on", "in"];

/// Verbs whose subject is a test.
const COVERING_VERBS: [&str; 5] = ["cover", "covers", "exercise", "exercises", "reach"];

/// Words of questions about the effect of a change. They mean references.
const CHANGE_WORDS: [&str; 6] = ["break", "breaks", "affected", "affects", "change", "changing"];

/// Nouns that name a walk, as in "callers of X". The first match in the question wins.
const NOUNS: [(&str, Intent); 38] = [
    ("callers", Intent::Callers),
    ("caller", Intent::Callers),
    ("calls", Intent::Callers),
    ("sites", Intent::Callers),
    ("graph", Intent::Callers),
    ("chain", Intent::Callers),
    ("hierarchy", Intent::Callers),
    ("callees", Intent::Callees),
    ("implementations", Intent::Implementations),
    ("implementation", Intent::Implementations),
    ("implementors", Intent::Implementations),
    ("implementers", Intent::Implementations),
    ("conformances", Intent::Implementations),
    ("conformers", Intent::Implementations),
    ("conforming", Intent::Implementations),
    ("subclasses", Intent::Implementations),
    ("subtypes", Intent::Implementations),
    ("descendants", Intent::Implementations),
    ("adopters", Intent::Implementations),
    ("supertypes", Intent::Supertypes),
    ("superclasses", Intent::Supertypes),
    ("superclass", Intent::Supertypes),
    ("bases", Intent::Supertypes),
    ("parents", Intent::Supertypes),
    ("references", Intent::References),
    ("reference", Intent::References),
    ("usages", Intent::References),
    ("usage", Intent::References),
    ("uses", Intent::References),
    ("users", Intent::References),
    ("mentions", Intent::References),
    ("dependents", Intent::References),
    ("impact", Intent::References),
    ("dependencies", Intent::Uses),
    ("dependency", Intent::Uses),
    ("definition", Intent::Definition),
    ("definitions", Intent::Definition),
    ("declaration", Intent::Definition),
];

/// Words around a name that are never the name.
const FILLERS: &[&str] = &[
    "a",
    "all",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "be",
    "been",
    "by",
    "can",
    "class",
    "classes",
    "code",
    "codebase",
    "did",
    "directly",
    "do",
    "does",
    "enum",
    "everything",
    "find",
    "for",
    "from",
    "function",
    "functions",
    "gets",
    "here",
    "how",
    "i",
    "if",
    "in",
    "indirectly",
    "interface",
    "is",
    "it",
    "its",
    "list",
    "make",
    "me",
    "method",
    "methods",
    "module",
    "of",
    "on",
    "or",
    "please",
    "project",
    "protocol",
    "repo",
    "repository",
    "show",
    "struct",
    "symbol",
    "that",
    "the",
    "there",
    "this",
    "to",
    "trait",
    "type",
    "types",
    "upon",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "would",
    "you",
];

/// Returns the words that may be the name. Words spelled like code come first, and of those the
/// words on the expected side.
///
/// The graph tries the candidates in this order and takes the first that exists.
fn candidate_names(words: &[&str], side: Side, at: usize) -> Vec<NameCandidate> {
    let after = words.iter().skip(at + 1);
    let before = words.iter().take(at).rev();
    let near: Vec<&&str> = match side {
        Side::After => after.collect(),
        Side::Before => before.collect(),
    };
    let is_filler = |word: &str| FILLERS.contains(&word) || verb_intent(word).is_some();
    let near: Vec<NameCandidate> =
        near.into_iter().filter(|word| !is_filler(word)).map(|word| to_candidate(word)).collect();
    let elsewhere = words
        .iter()
        .map(|word| to_candidate(word))
        .filter(|one| one.is_code && !near.contains(one));
    let (code, plain): (Vec<_>, Vec<_>) = near.iter().cloned().partition(|one| one.is_code);
    code.into_iter().chain(elsewhere).chain(plain).collect()
}

/// Removes the backticks of a word, and records whether it looks like code.
fn to_candidate(word: &str) -> NameCandidate {
    NameCandidate { text: word.trim_matches('`').to_string(), is_code: looks_like_code(word) }
}

/// True for words with backticks, parentheses, separators, or a capital that the sentence does not
/// explain.
fn looks_like_code(word: &str) -> bool {
    let plain = word.trim_matches('`');
    let is_marked = plain.len() < word.len() || plain.contains(['(', '_', '/', '.']);
    is_marked
        || plain.contains("::")
        || plain.chars().any(char::is_uppercase) && !is_sentence_opening(plain)
}

/// True if the word can open a question. Its capital then does not mark it as code.
fn is_sentence_opening(word: &str) -> bool {
    let lower = word.to_lowercase();
    FILLERS.contains(&lower.as_str())
        || verb_intent(&lower).is_some()
        || NOUNS.iter().any(|(noun, _)| *noun == lower)
}

/// Strips the punctuation of the sentence; `()` stays.
fn trim_punctuation(word: &str) -> &str {
    let word = word
        .trim_start_matches(['"', '\'', '(', '“', '‘'])
        .trim_end_matches(['?', '!', ',', ';', ':', '.', '"', '\'', '”', '’']);
    if word.contains('(') || !word.ends_with(')') { word } else { word.trim_end_matches(')') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, walk: Intent, name: &str) {
        let asked = parse_question(question);
        assert_eq!(asked.intent, walk, "{question}");
        let first = asked.names.first().map(|one| one.text.as_str());
        assert_eq!(first.unwrap_or_default(), name, "{question}");
    }

    #[test]
    fn the_contract_s_own_questions() {
        check("all implementations of Authenticatable", Intent::Implementations, "Authenticatable");
        check("what calls authenticate()", Intent::Callers, "authenticate()");
    }

    #[test]
    fn a_question_about_more_than_a_name_is_no_walk() {
        for question in [
            "how is the buffer used when reading from a socket",
            "what happens when a promise is called twice",
            "how does the decoder extend the buffer",
            "how does the pipeline remove a handler and who calls it",
        ] {
            check(question, Intent::Free, "");
        }
        let question = "how is `write_buffer` used when reading from a socket";
        check(question, Intent::References, "`write_buffer`".trim_matches('`'));
    }

    #[test]
    fn one_walk_in_many_words() {
        for question in [
            "who calls login",
            "callers of login",
            "where is login called?",
            "which functions call login",
            "login is called by what",
            "Show me the call graph of login",
            "what functions are calling `login`",
        ] {
            check(question, Intent::Callers, "login");
        }
        for question in [
            "what does login call",
            "callees of login",
            "functions called by login",
            "what is called by login?",
            "login calls what",
            "which functions does login() call",
        ] {
            let asked = parse_question(question);
            assert_eq!(asked.intent, Intent::Callees, "{question}");
            assert!(asked.names[0].text.starts_with("login"), "{question}");
        }
        for question in [
            "what implements Store",
            "which types conform to the Store protocol",
            "subclasses of Store",
            "types extending Store",
            "who inherits from Store",
        ] {
            check(question, Intent::Implementations, "Store");
        }
        for question in [
            "what uses Store",
            "where is Store used",
            "references to Store",
            "what depends on Store",
            "what breaks if I change Store",
            "dependents of Store",
        ] {
            check(question, Intent::References, "Store");
        }
        for question in
            ["what does Store depend on", "dependencies of Store", "what does Store use"]
        {
            check(question, Intent::Uses, "Store");
        }
        check("what does Store implement", Intent::Supertypes, "Store");
        for question in [
            "what tests cover Store",
            "which tests exercise Store?",
            "tests of Store",
            "tests for Store",
            "what tests Store",
            "where is Store tested",
        ] {
            check(question, Intent::Tests, "Store");
        }
        check("what calls test_store", Intent::Callers, "test_store");
        check("what depends on src/util/store.ts", Intent::References, "src/util/store.ts");
        check("where is Store.get defined", Intent::Definition, "Store.get");
        check("definition of Store::get", Intent::Definition, "Store::get");
        check("Session.login", Intent::Overview, "Session.login");
    }

    #[test]
    fn the_rest_is_a_free_question() {
        for question in
            ["how does authentication work", "error handling when the network is down", ""]
        {
            check(question, Intent::Free, "");
        }
    }
}
