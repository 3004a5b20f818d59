//! Lines that could not be understood, for the formats that are read line by line. A file of prose
//! or noise then is one problem, not one for each of its lines.

use kenning_model::{Problem, RepoPath};

#[derive(Default)]
pub struct LineErrors {
    first: Option<(u32, String)>,
    more: usize,
}

impl LineErrors {
    /// `line` is 1-based.
    pub fn add(&mut self, line: u32, message: String) {
        if self.first.is_none() {
            self.first = Some((line, message));
        } else {
            self.more += 1;
        }
    }

    pub fn count(&self) -> usize {
        usize::from(self.first.is_some()) + self.more
    }

    pub fn into_problem(self, path: &RepoPath) -> Option<Problem> {
        let (line, mut message) = self.first?;
        if self.more > 0 {
            message += &format!(" (and {} more)", self.more);
        }
        Some(Problem::new(path, message).at_line(line))
    }
}
