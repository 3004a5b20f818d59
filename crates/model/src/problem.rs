//! Problems of input files. Bad input is data, not a failure of the program.

use std::collections::BinaryHeap;
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

    /// Returns a problem that says how many are not listed; `None` if that is 0.
    pub fn summarize_omitted(count: usize) -> Option<Problem> {
        let message = || format!("{count} more problems are not listed");
        (count > 0).then(|| Problem::new(&RepoPath::default(), message()))
    }
}

/// Problems of a tree that may have any number of them: the first thousand in their order, and how many more there
/// are. Which are kept does not depend on the order in which they come.
#[derive(Clone, Debug)]
pub struct ProblemList<T: Ord = Problem> {
    kept: BinaryHeap<T>,
    omitted: usize,
}

impl<T: Ord> Default for ProblemList<T> {
    fn default() -> ProblemList<T> {
        ProblemList { kept: BinaryHeap::new(), omitted: 0 }
    }
}

impl<T: Ord> ProblemList<T> {
    /// The most problems that are kept. A reader needs no more, and each takes memory.
    pub const MAX_KEPT: usize = 1000;

    pub fn push(&mut self, problem: T) {
        self.kept.push(problem);
        if self.kept.len() > Self::MAX_KEPT {
            self.kept.pop();
            self.omitted += 1;
        }
    }

    pub fn extend(&mut self, problems: impl IntoIterator<Item = T>) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }

    /// Those that are kept, sorted, and how many are left out.
    pub fn into_sorted(self) -> (Vec<T>, usize) {
        (self.kept.into_sorted_vec(), self.omitted)
    }
}

impl ProblemList<Problem> {
    /// Those that are kept, sorted, with a last word about those that are left out.
    pub fn into_problems(self) -> Vec<Problem> {
        let (mut problems, more) = self.into_sorted();
        problems.extend(Problem::summarize_omitted(more));
        problems.sort();
        problems
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_problems_are_kept_whatever_their_order() {
        let problem = |number: usize| {
            Problem::new(&RepoPath::new(&format!("f{number:05}")).unwrap(), "broken")
        };
        let count = ProblemList::<Problem>::MAX_KEPT + 7;
        let (mut forward, mut backward) = (ProblemList::default(), ProblemList::default());
        forward.extend((0..count).map(problem));
        backward.extend((0..count).rev().map(problem));
        let kept = forward.into_problems();
        assert_eq!(kept, backward.into_problems());
        assert_eq!(kept.len(), ProblemList::<Problem>::MAX_KEPT + 1);
        assert_eq!(kept[0].message, "7 more problems are not listed");
        assert_eq!(kept[1], problem(0));
        let mut few = ProblemList::default();
        few.push(problem(3));
        assert_eq!(few.into_problems(), [problem(3)]);
    }
}
