//! What was wrong with an input file. Bad input is data, not a failure of the program.

use std::fmt;

use super::RepoPath;

/// One thing that could not be read or understood, with where and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Problem {
    pub path: RepoPath,
    /// 1-based, when the parser knows it.
    pub line: Option<u32>,
    pub message: String,
}

impl Problem {
    pub fn new(path: &RepoPath, message: impl Into<String>) -> Problem {
        Problem { path: path.clone(), line: None, message: message.into() }
    }

    pub fn at_line(self, line: u32) -> Problem {
        Problem { line: Some(line), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.path, self.message),
            None => write!(formatter, "{}: {}", self.path, self.message),
        }
    }
}
