//! Problems of input files. Bad input is data, not a failure of the program: a file with a problem
//! still yields its other facts.

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
    /// A problem of a whole file.
    pub fn new(path: &RepoPath, message: impl Into<String>) -> Problem {
        Problem { path: path.clone(), line: None, message: message.into() }
    }

    /// The same problem with its 1-based line.
    pub fn at_line(self, line: u32) -> Problem {
        Problem { line: Some(line), ..self }
    }

    /// Returns a problem that says how many are not listed; `None` for 0. Its path is the root.
    pub fn summarize_omitted(count: usize) -> Option<Problem> {
        let message = || format!("{count} more problems are not listed");
        (count > 0).then(|| Problem::new(&RepoPath::default(), message()))
    }
}

/// Problems of a tree, which may have any number: the first thousand in their order, and the number
/// of the others. The order in which they are added does not matter, so threads may race.
#[derive(Clone, Debug)]
pub struct ProblemList<T: Ord = Problem> {
    /// A max-heap: the last of the kept problems is on top and leaves first.
    kept: BinaryHeap<T>,
    /// The number of problems that were dropped.
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

    /// Adds a problem in logarithmic time. If there are too many, it drops the last in order.
    pub fn push(&mut self, problem: T) {
        self.kept.push(problem);
        if self.kept.len() > Self::MAX_KEPT {
            self.kept.pop();
            self.omitted += 1;
        }
    }

    /// Adds several problems.
    pub fn extend(&mut self, problems: impl IntoIterator<Item = T>) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }

    /// Returns the kept problems, sorted, and the number of those omitted.
    pub fn into_sorted(self) -> (Vec<T>, usize) {
        (self.kept.into_sorted_vec(), self.omitted)
    }
}

impl ProblemList<Problem> {
    /// Returns the kept problems, sorted, with one more that counts those omitted.
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
