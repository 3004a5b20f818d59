//! Recognizes the first questions about a repository: how it starts, how it is tested, what can be
//! configured. Manifests and entry points answer them, not words that happen to be in the code.
//!
//! Every word of the question must be known here. "How does the scheduler start" is about a
//! scheduler, and an ordinary question.

/// The subject of a first question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Entry points and the commands that start the program.
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
    "execution",
    "launch",
    "launched",
    "main",
    "run",
    "runs",
    "start",
    "started",
    "starts",
    "startup",
];

const TEST_WORDS: &[&str] = &["test", "tested", "testing", "tests"];

const CONFIGURATION_WORDS: &[&str] = &[
    "config",
    "configurable",
    "configuration",
    "configure",
    "configured",
    "environment",
    "options",
    "setting",
    "settings",
];

/// Words that do not make a question about something else.
const COMMON_WORDS: &[&str] = &[
    "a",
    "all",
    "and",
    "app",
    "application",
    "are",
    "be",
    "can",
    "code",
    "codebase",
    "command",
    "do",
    "does",
    "exist",
    "file",
    "files",
    "find",
    "for",
    "function",
    "has",
    "here",
    "how",
    "i",
    "in",
    "is",
    "it",
    "its",
    "layout",
    "me",
    "of",
    "point",
    "points",
    "process",
    "program",
    "project",
    "read",
    "repo",
    "repository",
    "server",
    "service",
    "set",
    "show",
    "the",
    "there",
    "this",
    "to",
    "tool",
    "up",
    "used",
    "variables",
    "we",
    "what",
    "where",
    "which",
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
            ("how is it tested", Some(Topic::Tests)),
            ("how do I run the tests", Some(Topic::Tests)),
            ("where are the tests", Some(Topic::Tests)),
            ("what can be configured", Some(Topic::Configuration)),
            ("which environment variables are read", Some(Topic::Configuration)),
            ("how does the scheduler start", None),
            ("what tests cover Session", None),
            ("where is Store tested", None),
            ("start", None),
            ("what calls main", None),
        ] {
            assert_eq!(parse_topic(question), topic, "{question}");
        }
    }
}
