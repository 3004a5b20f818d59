//! Collects the errors of a format that is read line by line. A file of prose or noise gives one
//! problem, not one for each line.

use kenning_model::{Problem, RepoPath};

/// The first error of a file, and the number of further ones.
#[derive(Default)]
pub struct LineErrors {
    first: Option<(u32, String)>,
    more: usize,
}

impl LineErrors {
    /// Adds an error; `line` is 1-based.
    pub fn add(&mut self, line: u32, message: String) {
        if self.first.is_none() {
            self.first = Some((line, message));
        } else {
            self.more += 1;
        }
    }

    /// The number of lines with an error.
    pub fn count(&self) -> usize {
        usize::from(self.first.is_some()) + self.more
    }

    /// One problem for all errors, at the first line; `None` if there were no errors.
    pub fn into_problem(self, path: &RepoPath) -> Option<Problem> {
        let (line, mut message) = self.first?;
        if self.more > 0 {
            message += &format!(" (and {} more)", self.more);
        }
        Some(Problem::new(path, message).at_line(line))
    }
}
