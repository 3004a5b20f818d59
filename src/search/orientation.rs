//! Recognizes the first questions about a repository: how it starts or is used, how it is tested,
//! what can be configured. Manifests, guides and entry points answer them, not words that happen to
//! be in the code.
//!
//! Every word of the question must be known here. "How does the scheduler start" is about a
//! scheduler, and an ordinary question.

/// The subject of a first question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Entry points and the commands that start the program; of a library, how it is called.
    Start,
    /// Test frameworks, test folders and the command that runs the tests.
    Tests,
    /// Settings: files, types and environment variables.
    Configuration,
}

impl Topic {
    /// Returns the question that people ask.
    pub fn question(self) -> &'static str {
        match self {
            Topic::Start => "how does it start",
            Topic::Tests => "how is it tested",
            Topic::Configuration => "what can be configured",
        }
    }
}

/// Returns the topic of a question that is about the whole repository.
pub fn parse_topic(question: &str) -> Option<Topic> {
    let lower = question.to_lowercase();
    let is_sign = |c: char| !c.is_alphanumeric();
    let words: Vec<&str> = lower.split(is_sign).filter(|word| !word.is_empty()).collect();
    // "Start" alone may be a name.
    let is_question = words.len() > 1 && words.iter().all(|word| is_known(word));
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    // "How do I run the tests" is about tests.
    let topics = [
        (TEST_WORDS, Topic::Tests),
        (CONFIGURATION_WORDS, Topic::Configuration),
        (START_WORDS, Topic::Start),
    ];
    let found = topics.iter().find(|(known, _)| has(known)).map(|(_, topic)| *topic);
    found.filter(|_| is_question)
}

fn is_known(word: &str) -> bool {
    [COMMON_WORDS, TEST_WORDS, CONFIGURATION_WORDS, START_WORDS]
        .iter()
        .any(|known| known.contains(&word))
}

const START_WORDS: &[&str] = &[
    "begin",
    "begins",
    "boot",
    "boots",
    "bootstrap",
    "entry",
    "entrypoint",
    "entrypoints",
    "example",
    "examples",
    "execution",
    "import",
    "launch",
    "launched",
    "main",
    "quickstart",
    "run",
    "runs",
    "start",
    "started",
    "starts",
    "startup",
    "usage",
    "use",
    "using",
];

const TEST_WORDS: &[&str] = &["suite", "test", "tested", "testing", "tests"];

const CONFIGURATION_WORDS: &[&str] = &[
    "config",
    "configs",
    "configurable",
    "configuration",
    "configurations",
    "configure",
    "configured",
    "default",
    "defaults",
    "env",
    "environment",
    "flags",
    "option",
    "options",
    "parameters",
    "params",
    "preferences",
    "setting",
    "settings",
    "tunable",
];

/// Words that do not make a question about something else.
const COMMON_WORDS: &[&str] = &[
    "a",
    "all",
    "an",
    "and",
    "app",
    "application",
    "are",
    "available",
    "be",
    "binary",
    "by",
    "can",
    "cli",
    "code",
    "codebase",
    "command",
    "do",
    "does",
    "each",
    "executable",
    "exist",
    "file",
    "files",
    "find",
    "for",
    "framework",
    "function",
    "get",
    "getting",
    "has",
    "here",
    "how",
    "i",
    "if",
    "in",
    "is",
    "it",
    "its",
    "kind",
    "kinds",
    "layout",
    "library",
    "list",
    "locally",
    "me",
    "my",
    "of",
    "on",
    "or",
    "package",
    "point",
    "points",
    "process",
    "program",
    "project",
    "read",
    "repo",
    "repository",
    "runner",
    "server",
    "service",
    "set",
    "should",
    "show",
    "some",
    "support",
    "supported",
    "supports",
    "the",
    "there",
    "this",
    "to",
    "tool",
    "types",
    "unit",
    "up",
    "used",
    "user",
    "users",
    "variables",
    "via",
    "we",
    "what",
    "where",
    "which",
    "whole",
    "with",
    "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_questions_have_a_topic() {
        for (question, topic) in [
            ("how does it start", Some(Topic::Start)),
            ("How does this program start?", Some(Topic::Start)),
            ("where is the entry point", Some(Topic::Start)),
            ("what are the entry points", Some(Topic::Start)),
            ("how do I run it", Some(Topic::Start)),
            ("how do I use this library", Some(Topic::Start)),
            ("how do I get started", Some(Topic::Start)),
            ("how is it tested", Some(Topic::Tests)),
            ("which test framework is used", Some(Topic::Tests)),
            ("how do I run the tests", Some(Topic::Tests)),
            ("where are the tests", Some(Topic::Tests)),
            ("what can be configured", Some(Topic::Configuration)),
            ("which environment variables are read", Some(Topic::Configuration)),
            ("what options does it support", Some(Topic::Configuration)),
            ("how does the scheduler start", None),
            ("how are retries configured", None),
            ("what tests cover Session", None),
            ("where is Store tested", None),
            ("start", None),
            ("what calls main", None),
        ] {
            assert_eq!(parse_topic(question), topic, "{question}");
        }
    }
}
