//! Parses a language's query: the part of tree-sitter's notation that our queries use.
//! `languages/README.md` lists that part; everything else is an error.
//!
//! tree-sitter's own engine is not used. It takes up to a second to compile a query, and running
//! one takes half the time of the parse. [`tree_query_exec`](super::tree_query_exec) runs these patterns.

use tree_sitter::Language as Grammar;

use super::capture_names::CaptureRole;

/// A pattern for one node and its children.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The condition on the node itself.
    pub node: PatternNode,
    /// The captures of this node.
    pub roles: Vec<CaptureRole>,
    /// Predicates on the text of the node; all must be true.
    pub predicates: Vec<TextPredicate>,
    /// Fields that the node must not have.
    pub absent_fields: Vec<u16>,
    /// The children, in the order of the text; others may stand between them.
    pub steps: Vec<PatternStep>,
    /// True if no named node may follow the last step.
    pub is_end_anchored: bool,
    /// The names of its captures, by which predicates find it.
    names: Vec<String>,
}

/// The condition that a pattern sets on a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatternNode {
    /// A node of this kind: named, or a token in quotes.
    Kind(u16),
    /// `(_)`: any named node.
    AnyNamed,
    /// `_`: any node.
    AnyNode,
}

/// A child, or several, that a pattern asks for.
#[derive(Clone, Debug)]
pub struct PatternStep {
    /// The field of the parent that the child must be.
    pub field: Option<u16>,
    /// The patterns of which one must match: those of `[…]`, or a single one.
    pub alternatives: Vec<Pattern>,
    pub quantifier: Quantifier,
    /// True if no named node may stand between the step before and this one.
    pub is_anchored: bool,
    /// True if anything in it is captured. If not, its first match is as good as any.
    pub has_captures: bool,
}

/// The number of nodes that a step matches: once without a sign, else `?`, `*` or `+`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantifier {
    Once,
    Optional,
    ZeroOrMore,
    OneOrMore,
}

/// A predicate on the text of a node.
#[derive(Clone, Debug)]
pub enum TextPredicate {
    /// `#eq?` and `#any-of?`.
    OneOf(Vec<String>),
    /// `#not-any-of?`.
    NoneOf(Vec<String>),
    /// `#starts-with?`.
    StartsWith(String),
    /// `#starts-upper?`: with an ASCII capital.
    StartsUpper,
}

impl TextPredicate {
    /// True if the text of a node satisfies the predicate.
    pub fn is_satisfied_by(&self, text: &str) -> bool {
        match self {
            TextPredicate::OneOf(words) => words.iter().any(|word| word == text),
            TextPredicate::NoneOf(words) => words.iter().all(|word| word != text),
            TextPredicate::StartsWith(start) => text.starts_with(start.as_str()),
            TextPredicate::StartsUpper => text.starts_with(|c: char| c.is_ascii_uppercase()),
        }
    }
}

/// Parses the patterns of a query, each with its number. An alternative at the root becomes several
/// patterns with one number.
pub fn parse_query(grammar: &Grammar, query: &str) -> Result<Vec<(usize, Pattern)>, String> {
    let mut reader = QueryParser { grammar, rest: query, predicates: Vec::new() };
    let mut patterns = Vec::new();
    for number in 0.. {
        reader.skip_blanks();
        if reader.rest.is_empty() {
            break;
        }
        let step = reader.parse_step(None)?;
        for mut pattern in step.alternatives {
            for (name, test) in &reader.predicates {
                attach_predicate(&mut pattern, name, test);
            }
            patterns.push((number, pattern));
        }
        reader.predicates.clear();
    }
    Ok(patterns)
}

/// Attaches a predicate to the patterns that capture `name`, so that a match fails as early as
/// possible.
fn attach_predicate(pattern: &mut Pattern, name: &str, test: &TextPredicate) {
    if pattern.names.iter().any(|own| own == name) {
        pattern.predicates.push(test.clone());
    }
    for step in &mut pattern.steps {
        for inner in &mut step.alternatives {
            attach_predicate(inner, name, test);
        }
    }
}

/// A recursive-descent parser; its depth is that of the query, which is ours.
struct QueryParser<'q> {
    grammar: &'q Grammar,
    rest: &'q str,
    /// The predicates of the pattern being read, by the capture that they are about.
    predicates: Vec<(String, TextPredicate)>,
}

impl<'q> QueryParser<'q> {
    /// Parses a pattern with its quantifier and its captures.
    fn parse_step(&mut self, field: Option<u16>) -> Result<PatternStep, String> {
        let mut either = self.parse_alternatives()?;
        let times = match self.rest.chars().next() {
            Some('?') => Quantifier::Optional,
            Some('*') => Quantifier::ZeroOrMore,
            Some('+') => Quantifier::OneOrMore,
            _ => Quantifier::Once,
        };
        if times != Quantifier::Once {
            self.rest = &self.rest[1..];
        }
        while self.consume("@") {
            let name = self.parse_word()?;
            let role =
                CaptureRole::parse(name).ok_or_else(|| format!("no such capture: @{name}"))?;
            for pattern in &mut either {
                pattern.names.push(name.to_string());
                pattern.roles.extend((role != CaptureRole::Unused).then_some(role));
            }
        }
        Ok(PatternStep {
            has_captures: either.iter().any(has_captures),
            field,
            alternatives: either,
            quantifier: times,
            is_anchored: false,
        })
    }

    /// Parses `[…]`, `(…)`, `_` or a token in quotes.
    fn parse_alternatives(&mut self) -> Result<Vec<Pattern>, String> {
        if self.consume("[") {
            let mut either = Vec::new();
            while !self.consume("]") {
                either.extend(self.parse_step(None)?.alternatives);
            }
            return Ok(either);
        }
        if self.consume("(") {
            return Ok(vec![self.parse_node()?]);
        }
        if self.consume("_") {
            return Ok(vec![leaf_pattern(PatternNode::AnyNode)]);
        }
        let token = self.parse_string()?;
        Ok(vec![leaf_pattern(PatternNode::Kind(self.resolve_kind(&token, NodeNaming::Anonymous)?))])
    }

    /// Parses a node after its opening bracket, up to and including the closing one.
    fn parse_node(&mut self) -> Result<Pattern, String> {
        let mut pattern = leaf_pattern(match self.parse_word()? {
            "_" => PatternNode::AnyNamed,
            kind => PatternNode::Kind(self.resolve_kind(kind, NodeNaming::Named)?),
        });
        let mut is_anchored = false;
        while !self.consume(")") {
            if self.consume("(#") {
                self.parse_predicate()?;
            } else if self.consume("!") {
                let word = self.parse_word()?;
                pattern.absent_fields.push(self.resolve_field(word)?);
            } else if self.consume(".") {
                is_anchored = true;
            } else {
                let field = self.parse_field_prefix()?;
                let step = self.parse_step(field)?;
                pattern.steps.push(PatternStep { is_anchored, ..step });
                is_anchored = false;
            }
        }
        // An anchor that no step follows holds for the end.
        pattern.is_end_anchored = is_anchored;
        Ok(pattern)
    }

    /// Parses `field:` before a child, if it is there.
    fn parse_field_prefix(&mut self) -> Result<Option<u16>, String> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !is_word_char(c)).unwrap_or(0);
        if end > 0 && self.rest[end..].starts_with(':') {
            let word = &self.rest[..end];
            self.rest = &self.rest[end + 1..];
            self.resolve_field(word).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Parses a predicate after its `(#`.
    fn parse_predicate(&mut self) -> Result<(), String> {
        let name = self.parse_word()?;
        if !(self.consume("?") && self.consume("@")) {
            return Err(format!("no such predicate: {name}"));
        }
        let capture = self.parse_word()?.to_string();
        let mut words = Vec::new();
        while !self.consume(")") {
            words.push(self.parse_string()?);
        }
        let test = match (name, words.as_slice()) {
            ("eq" | "any-of", [_, ..]) => TextPredicate::OneOf(words),
            ("not-any-of", [_, ..]) => TextPredicate::NoneOf(words),
            ("starts-with", [start]) => TextPredicate::StartsWith(start.clone()),
            ("starts-upper", []) => TextPredicate::StartsUpper,
            _ => return Err(format!("no such predicate: {name}")),
        };
        self.predicates.push((capture, test));
        Ok(())
    }

    /// The grammar's number for a kind of node. Supertypes are refused: no node has one as its
    /// kind.
    fn resolve_kind(&self, kind: &str, named: NodeNaming) -> Result<u16, String> {
        match self.grammar.id_for_node_kind(kind, named == NodeNaming::Named) {
            0 => Err(format!("no such kind of node: {kind}")),
            id if self.grammar.node_kind_is_supertype(id) => {
                Err(format!("only a supertype: {kind}"))
            }
            id => Ok(id),
        }
    }

    /// The grammar's number for a field.
    fn resolve_field(&self, field: &str) -> Result<u16, String> {
        let id = self.grammar.field_id_for_name(field);
        id.map(std::num::NonZero::get).ok_or_else(|| format!("no such field: {field}"))
    }

    /// Parses a name: of a node, a field, a capture or a predicate.
    fn parse_word(&mut self) -> Result<&'q str, String> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !is_word_char(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if word.is_empty() {
            Err(format!("a name should stand before: {}", excerpt(rest)))
        } else {
            Ok(word)
        }
    }

    /// Parses a string in double quotes; a backslash escapes the character after it.
    fn parse_string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut is_escaped = false;
        if self.consume("\"") {
            for (at, c) in self.rest.char_indices() {
                match c {
                    '\\' if !is_escaped => is_escaped = true,
                    '"' if !is_escaped => {
                        self.rest = &self.rest[at + 1..];
                        return Ok(text);
                    }
                    _ => {
                        text.push(c);
                        is_escaped = false;
                    }
                }
            }
        }
        Err(format!("a pattern should stand before: {}", excerpt(self.rest)))
    }

    /// Skips blanks, and `mark` if it comes next. Returns true if it did.
    fn consume(&mut self, mark: &str) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Skips white space and comments, which begin with `;`.
    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix(';') else {
                break;
            };
            self.rest = comment.find('\n').map_or("", |end| &comment[end..]);
        }
    }
}

/// tree-sitter has named nodes and anonymous tokens, whose kinds may have the same name.
#[derive(Clone, Copy, PartialEq)]
enum NodeNaming {
    Named,
    Anonymous,
}

/// A pattern without children or conditions.
fn leaf_pattern(what: PatternNode) -> Pattern {
    Pattern {
        node: what,
        roles: Vec::new(),
        predicates: Vec::new(),
        absent_fields: Vec::new(),
        steps: Vec::new(),
        is_end_anchored: false,
        names: Vec::new(),
    }
}

/// True if anything in the pattern is captured.
fn has_captures(pattern: &Pattern) -> bool {
    !pattern.roles.is_empty() || pattern.steps.iter().any(|step| step.has_captures)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The beginning of a text, for an error message.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}
