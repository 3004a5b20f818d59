//! A parse with bounds on size, nesting, steps, memory and time. All but time are counted, so that
//! one text has one outcome on every machine. The clock only ends a parse that takes seconds.
//!
//! A text out of bounds yields `None`, and its caller reads it as plain text. The parser is kept
//! per thread, because creating one costs more than parsing a small file.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::flat_tree::FlatTree;
use super::item_macros::{MacroItems, parse_macro_items};
use super::parse_budget::{MemoryBudget, ParseClock};
use super::parse_loss::{measure_loss, visit_lost_tokens};
use crate::languages::{Language, Nesting};

/// Larger files are data or nonsense; they are read as plain text.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The parser gets its text in pieces of this size, and each piece that it asks for is one step.
/// The pieces are small, so that text which a scanner rereads within one token is counted each
/// time.
const PIECE_BYTES: usize = 1024;

/// The most steps for each piece of a text. Source written by people took up to 30: 1,994 files of
/// 27 projects. Hostile text takes thousands: the parser tries every alternative, or a scanner
/// reads to the end each time.
const STEPS_PER_PIECE: usize = 150;

/// No code written by people nests brackets like this, and the parser's time grows with the square.
const MAX_DEPTH: usize = 500;

/// Columns of indentation that are still safe for grammars with a stack of indents.
const MAX_INDENT_COLUMNS: usize = 240;

/// Texts up to this size, in bytes, are parsed without a test of samples.
const TRUSTED_BYTES: usize = 24 * 1024;

/// The size of each sample of a longer text, in bytes.
const SAMPLE_BYTES: usize = 2 * 1024;

/// The number of samples, spread evenly over the text.
const SAMPLE_COUNT: usize = 7;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The syntax of a text, and the macros whose arguments may be items.
pub struct ParsedSource {
    pub syntax: FileSyntax,
    pub macros: MacroItems,
}

/// The syntax of a text.
pub enum FileSyntax {
    /// The tree that the grammar made.
    Tree(Tree),
    /// A flat tree from the language's own reader, for a text that needs no grammar.
    Flat(FlatTree),
}

/// Reads the syntax of `text`. Returns `None` if the text is too large or too deeply nested, or if
/// `is_wanted` returns false. The parser asks that every few milliseconds, as some nonsense takes
/// seconds.
pub fn read_syntax(
    language: &Language,
    text: &str,
    is_wanted: &dyn Fn() -> bool,
) -> Option<ParsedSource> {
    let reader = language.read_without_grammar.filter(|_| is_flat_enough(language, text));
    if let Some(flat) = reader.and_then(|read| read(text)) {
        let syntax = FileSyntax::Flat(flat);
        return Some(ParsedSource { syntax, macros: MacroItems::default() });
    }
    let (tree, macros) = parse_tree_and_macros(language, text, is_wanted)?;
    Some(ParsedSource { syntax: FileSyntax::Tree(tree), macros })
}

/// True if size, brackets and indentation are within bounds.
fn is_flat_enough(language: &Language, text: &str) -> bool {
    let is_indented = language.nesting == Nesting::Indentation;
    let is_deep =
        bracket_depth(text) > MAX_DEPTH || is_indented && deepest_indent(text) > MAX_INDENT_COLUMNS;
    text.len() <= MAX_BYTES && !is_deep
}

/// Parses `text` with the grammar, after the language has blanked what the grammar cannot take. As
/// long as the tree has errors, it is parsed again with the language's next simplification.
pub fn parse_tree(language: &Language, text: &str, is_wanted: &dyn Fn() -> bool) -> Option<Tree> {
    parse_tree_and_macros(language, text, is_wanted).map(|(tree, _)| tree)
}

/// Parses like [`parse_tree`], and also returns the macros whose arguments may be items.
fn parse_tree_and_macros(
    language: &Language,
    text: &str,
    is_wanted: &dyn Fn() -> bool,
) -> Option<(Tree, MacroItems)> {
    if !is_flat_enough(language, text) {
        return None;
    }
    // The file may be parsed in several variants; the clock runs for all of them.
    let clock = ParseClock::start();
    let may_continue = || is_wanted() && !clock.is_over();
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&(language.grammar)()).ok()?;
        let parse = &mut |text: &str| {
            let prepared = language
                .prepare_source
                .and_then(|prepare| prepare(text))
                .filter(|prepared| has_same_length(text, prepared));
            bounded_parse(parser, prepared.as_deref().unwrap_or(text), &may_continue)
        };
        if text.len() > TRUSTED_BYTES && is_nonsense(parse, text) {
            return None;
        }
        let tree = parse_best_variant(language, text, parse)?;
        Some(parse_macro_items(language, text, tree, parse))
    })
}

/// True if `other` is as long as `text`. With another length, every position would be wrong.
fn has_same_length(text: &str, other: &str) -> bool {
    other.len() == text.len()
}

/// Returns the tree with the smallest loss: that of the text, or of one of its simplifications.
fn parse_best_variant(
    language: &Language,
    text: &str,
    parse: &mut dyn FnMut(&str) -> Option<Tree>,
) -> Option<Tree> {
    let mut best = parse(text);
    let mut simplest = Cow::Borrowed(text);
    for (number, simplify) in language.simplifications.iter().enumerate() {
        let is_whole = |tree: &Tree| !tree.root_node().has_error();
        if best.as_ref().is_some_and(is_whole) {
            break;
        }
        let simpler = simplify(&simplest).filter(|simpler| has_same_length(text, simpler));
        let Some(simpler) = simpler else { continue };
        let tree = parse(&simpler);
        // The first simplification changes little and may fix a parse that is wrong without an
        // error, so a tie is enough. Later ones remove definitions and must lower the loss.
        let tie = usize::from(number == 0);
        let is_better = |tree: &Tree| {
            best.as_ref().is_none_or(|best| measure_loss(tree) < measure_loss(best) + tie)
        };
        if tree.as_ref().is_some_and(is_better) {
            best = tree;
        }
        simplest = Cow::Owned(simpler);
    }
    best
}

/// True if the grammar understands little of every sample. Error recovery takes time that grows
/// with the square of the number of errors, in few steps. So a long text is sampled before it is
/// parsed. One sample is not enough: it may lie within a long comment.
fn is_nonsense(parse: &mut dyn FnMut(&str) -> Option<Tree>, text: &str) -> bool {
    let border = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at));
    (0..SAMPLE_COUNT).all(|number| {
        let start = (text.len() - SAMPLE_BYTES) / (SAMPLE_COUNT - 1) * number;
        let (start, end) = (border(start), border(start + SAMPLE_BYTES));
        let sample = &text[start.unwrap_or(0)..end.unwrap_or(0)];
        // Start at the beginning of a line, so that the first construct may be whole.
        let line = sample.find('\n').filter(|_| start > Some(0));
        is_mostly_lost(parse, strip_cut_comments(&sample[line.map_or(0, |line| line + 1)..]))
    })
}

/// Removes the parts of a sample in a comment that begins before it or ends after it. To a grammar,
/// the words of these are nonsense.
fn strip_cut_comments(sample: &str) -> &str {
    let (open, close) = ("/*", "*/");
    let sample = match (sample.find(open), sample.find(close)) {
        (begin, Some(end)) if begin.is_none_or(|begin| begin > end) => &sample[end + close.len()..],
        _ => sample,
    };
    match (sample.rfind(open), sample.rfind(close)) {
        (Some(begin), end) if end.is_none_or(|end| end < begin) => &sample[..begin],
        _ => sample,
    }
}

/// True if more than half of a sample is lost tokens. The sample ends in the middle of something,
/// which is then an error as a whole. So only the bare tokens in it count.
fn is_mostly_lost(parse: &mut dyn FnMut(&str) -> Option<Tree>, sample: &str) -> bool {
    let Some(tree) = parse(sample) else {
        return true;
    };
    let mut lost = 0;
    visit_lost_tokens(&tree, &mut |word| lost += word.end_byte() - word.start_byte());
    lost * 2 > sample.len()
}

/// Parses within a number of steps and bytes of memory, as long as `may_continue` returns true. A
/// step is one piece that the parser reads, or one call of its progress callback.
fn bounded_parse(parser: &mut Parser, text: &str, may_continue: &dyn Fn() -> bool) -> Option<Tree> {
    parser.reset();
    let limit = STEPS_PER_PIECE * (text.len() / PIECE_BYTES + 32);
    let memory = MemoryBudget::start(text);
    let steps = Cell::new(0);
    let is_over = Cell::new(false);
    let step = || {
        steps.set(steps.get() + 1);
        let is_late = steps.get() > limit || memory.is_over() || !may_continue();
        is_over.set(is_over.get() || is_late);
        is_over.get()
    };
    let mut piece_at = |offset: usize, _| {
        let start = offset.min(text.len());
        // A piece must not end within a character, nor be empty before the end of the text, unless
        // the parse is over. Then every scanner meets the end of the text and stops.
        let mut end = if step() { start } else { text.len().min(start + PIECE_BYTES) };
        while !text.is_char_boundary(end) {
            end += 1;
        }
        &text.as_bytes()[start..end]
    };
    let mut progress =
        |_: &_| if step() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut piece_at, None, Some(options));
    // The tree of a parse that is over ends where the text seemed to end.
    tree.filter(|_| !is_over.get())
}

/// Returns how deep brackets nest, roughly: strings and comments count too, as they are short or
/// balanced.
fn bracket_depth(text: &str) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Returns the most columns that blanks and marks of lists and quotes take at the start of a line.
fn deepest_indent(text: &str) -> usize {
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b' ' | b'\t' | b'-' | b'?' | b':' | b'>' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9'
        )
    };
    let lines = text.as_bytes().split(|byte| *byte == b'\n');
    let columns = lines.map(|line| line.iter().take_while(|byte| is_mark(byte)).count());
    columns.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;
    use kenning_model::RepoPath;

    /// A sample that begins a class and does not end it is one error, in which comments stand bare.
    #[test]
    fn a_sample_of_more_comments_than_code_is_not_lost() {
        let member = "    /**
     * SQL function that returns the next value of the specified sequence.
     *
     * @param seq Sequence that produces the value, isn't it?
     * @param b Query builder to append the SQL function to.
     */
    open fun a(b: Int): Unit = c {
        d(b, \".E\")
    }

";
        let text = format!("abstract class Large {{\n{}", member.repeat(10));
        let language = languages::detect_language(&RepoPath::new("a.kt").unwrap(), "").unwrap();
        let mut parser = Parser::new();
        parser.set_language(&(language.grammar)()).unwrap();
        let parse = &mut |text: &str| bounded_parse(&mut parser, text, &|| true);
        assert!(!is_mostly_lost(parse, &text[..SAMPLE_BYTES]));
    }

    #[test]
    fn comments_that_are_cut_are_left_out() {
        for (sample, code) in [
            ("a */ b /* c */ d /* e", " b /* c */ d "),
            ("a /* b */ c", "a /* b */ c"),
            ("a /* b", "a "),
            ("a */ b", " b"),
            ("a", "a"),
        ] {
            assert_eq!(strip_cut_comments(sample), code, "{sample}");
        }
    }
}
