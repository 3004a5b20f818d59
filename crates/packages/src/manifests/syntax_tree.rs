//! Manifests that are programs, as syntax trees: a bounded parse, and traversals that need no
//! machine stack.
//!
//! Tree-sitter recovers from errors, so a program with a syntax error still gives most of its
//! facts. This module knows no language: an ecosystem interprets the nodes.

use std::cell::Cell;
use std::iter;
use std::ops::ControlFlow;
use std::time::Duration;

use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

use kenning_model::{Problem, RepoPath};

/// No manifest written by people comes near this. The parser's time is quadratic on some nonsense,
/// and within this size that is a second or so.
const MAX_BYTES: usize = 128 * 1024;

/// The parser gets its text in pieces of this size. Each piece that it asks for counts as one step.
const PIECE_BYTES: usize = 1024;

/// The number of steps that each piece may take. Real manifests take up to 20. Nonsense that makes
/// the scanner read to the end of the file again and again takes thousands.
const STEPS_PER_PIECE: usize = 64;

/// One parsed file.
pub struct SyntaxTree<'t> {
    tree: Tree,
    text: &'t str,
}

impl<'t> SyntaxTree<'t> {
    /// Parses `text`, unless it is too large or too tangled to be a manifest. Errors in the text
    /// are nodes of the tree; see [`SyntaxTree::first_error`].
    pub fn parse(
        language: impl Into<Language>,
        path: &RepoPath,
        text: &'t str,
    ) -> Result<SyntaxTree<'t>, Problem> {
        if text.len() > MAX_BYTES {
            let limit = MAX_BYTES / 1024;
            return Err(Problem::new(path, format!("larger than {limit} KiB")));
        }
        if open_brackets(text) > MAX_OPEN {
            return Err(Problem::new(path, format!("more than {MAX_OPEN} brackets open at once")));
        }
        let mut parser = Parser::new();
        parser
            .set_language(&language.into())
            .map_err(|error| Problem::new(path, error.to_string()))?;
        match bounded_parse(&mut parser, text.as_bytes()) {
            Some(tree) => Ok(SyntaxTree { tree, text }),
            None => Err(Problem::new(path, "too tangled to be read")),
        }
    }

    /// The root node.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The source text of a node.
    pub fn text(&self, node: Node) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// Reports the first place that is not of the language, if any. A token that the parser merely
    /// inserted is no error: nothing is lost there, and the grammars know less than the compilers.
    pub fn first_error(&self, path: &RepoPath) -> Option<Problem> {
        if !self.root().has_error() {
            return None;
        }
        let node = preorder(self.root()).find(Node::is_error)?;
        let problem = Problem::new(path, "a syntax error; what is around it may be missing");
        Some(problem.at_line(start_line(node)))
    }
}

/// The most brackets that may be open at once; no manifest comes near it. The parser's error
/// recovery takes time quadratic in the open brackets.
const MAX_OPEN: usize = 200;

/// The most brackets that are open at once. Brackets in strings and comments count too, which is
/// safe: the limit only has to bound the work.
fn open_brackets(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// The processor time of one parse. Only nonsense takes it: within one step the parser may compare
/// all readings of a text with each other, so the number of steps does not bound its time.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Parses with a bound on the number of steps. Steps are counted and not timed, so that one text
/// has one outcome on every machine; the clock only stops what would take seconds.
fn bounded_parse(parser: &mut Parser, bytes: &[u8]) -> Option<Tree> {
    let limit = STEPS_PER_PIECE * (bytes.len() / PIECE_BYTES + 8);
    let steps = Cell::new(0);
    let started = thread_time();
    let step = || {
        if thread_time().saturating_sub(started) > MAX_TIME {
            steps.set(limit);
        }
        steps.set(steps.get() + 1);
        steps.get() > limit
    };
    let mut piece_at = |offset: usize, _| {
        let start = offset.min(bytes.len());
        let mut end = if step() { start } else { bytes.len().min(start + PIECE_BYTES) };
        // The parser reads past a piece that ends inside of a character.
        while end > start && end < bytes.len() && is_continuation(bytes[end]) {
            end += 1;
        }
        &bytes[start..end]
    };
    let mut progress =
        |_: &_| if step() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut piece_at, None, Some(options));
    tree.filter(|_| steps.get() <= limit)
}

/// Returns the processor time of this thread. A busy machine does not use up a parse's time.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Returns the time since the first call, as there is no portable clock of a thread.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// True for a byte inside of a UTF-8 character, after its first byte.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The 1-based line on which a node starts.
pub fn start_line(node: Node) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// Iterates over `node` and everything below it, parents before children, in the order of the text.
/// To know when a node ends, callers compare positions with its `end_byte`.
pub fn preorder(node: Node) -> impl Iterator<Item = Node> {
    let mut cursor = node.walk();
    let mut depth = 0usize;
    let mut next = Some(node);
    iter::from_fn(move || {
        let current = next.take()?;
        if cursor.goto_first_child() {
            depth += 1;
            next = Some(cursor.node());
            return Some(current);
        }
        while depth > 0 {
            if cursor.goto_next_sibling() {
                next = Some(cursor.node());
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
        Some(current)
    })
}

/// The children of `node` that the grammar names, without comments.
pub fn children(node: Node) -> Vec<Node> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing: each `<<:` in an open bracket has several readings, which multiply.
    #[test]
    fn nonsense_with_many_readings_is_too_tangled() {
        let text = format!("f(a{}", "<<: *a".repeat(100));
        let path = RepoPath::new("Package.swift").unwrap();
        let parsed = SyntaxTree::parse(tree_sitter_swift::LANGUAGE, &path, &text);
        let problem = parsed.err().expect("nobody writes this");
        assert!(problem.message.contains("too tangled"), "{problem:?}");
    }
}
