//! A language's query, read from its text: the part of tree-sitter's notation that our queries
//! use. tree-sitter's own engine is not used, because compiling a query costs it up to a second
//! and running one half of what the parse does; how these patterns are run is in `matching`.

use tree_sitter::Language as Grammar;

use super::capture_names::Role;

/// A pattern for one node and its children.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub what: PatternNode,
    pub roles: Vec<Role>,
    pub tests: Vec<Test>,
    /// Fields that the node must not have.
    pub without: Vec<u16>,
    pub steps: Vec<PatternStep>,
    /// True if nothing that has a name may follow the last step.
    pub is_closed: bool,
    /// The names of its captures, by which predicates find it.
    names: Vec<String>,
}

/// The condition that a pattern sets on a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatternNode {
    Kind(u16),
    AnyNamed,
    Any,
}

/// A child, or several, that a pattern asks for.
#[derive(Clone, Debug)]
pub struct PatternStep {
    pub field: Option<u16>,
    /// Any of these.
    pub either: Vec<Pattern>,
    pub times: Times,
    /// True if nothing that has a name may stand between the step before and this one.
    pub is_next: bool,
    /// True if anything is captured in it: if not, its first match is as good as any.
    pub captures: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    Once,
    Maybe,
    Any,
    Some,
}

/// A predicate on the text of a node.
#[derive(Clone, Debug)]
pub enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    StartsWith(String),
    StartsUpper,
}

impl Test {
    pub fn holds(&self, text: &str) -> bool {
        match self {
            Test::In(words) => words.iter().any(|word| word == text),
            Test::NotIn(words) => words.iter().all(|word| word != text),
            Test::StartsWith(start) => text.starts_with(start.as_str()),
            Test::StartsUpper => text.starts_with(|c: char| c.is_ascii_uppercase()),
        }
    }
}

/// The patterns of a query, each with its number; an alternative at the root has one for each.
pub fn patterns(grammar: &Grammar, query: &str) -> Result<Vec<(usize, Pattern)>, String> {
    let mut reader = QueryParser { grammar, rest: query, tests: Vec::new() };
    let mut patterns = Vec::new();
    for number in 0.. {
        reader.skip_blanks();
        if reader.rest.is_empty() {
            break;
        }
        let step = reader.step(None)?;
        for mut pattern in step.either {
            for (name, test) in &reader.tests {
                attach(&mut pattern, name, test);
            }
            patterns.push((number, pattern));
        }
        reader.tests.clear();
    }
    Ok(patterns)
}

/// Gives a test to the patterns that capture `name`, so that it fails as early as it can.
fn attach(pattern: &mut Pattern, name: &str, test: &Test) {
    if pattern.names.iter().any(|own| own == name) {
        pattern.tests.push(test.clone());
    }
    for step in &mut pattern.steps {
        for inner in &mut step.either {
            attach(inner, name, test);
        }
    }
}

struct QueryParser<'q> {
    grammar: &'q Grammar,
    rest: &'q str,
    /// The predicates of the pattern being read, by the capture that they are about.
    tests: Vec<(String, Test)>,
}

impl<'q> QueryParser<'q> {
    fn step(&mut self, field: Option<u16>) -> Result<PatternStep, String> {
        let mut either = self.either()?;
        let times = match self.rest.chars().next() {
            Some('?') => Times::Maybe,
            Some('*') => Times::Any,
            Some('+') => Times::Some,
            _ => Times::Once,
        };
        if times != Times::Once {
            self.rest = &self.rest[1..];
        }
        while self.takes("@") {
            let name = self.word()?;
            let role = Role::of(name).ok_or_else(|| format!("no such capture: @{name}"))?;
            for pattern in &mut either {
                pattern.names.push(name.to_string());
                pattern.roles.extend((role != Role::Unused).then_some(role));
            }
        }
        Ok(PatternStep {
            captures: either.iter().any(captures),
            field,
            either,
            times,
            is_next: false,
        })
    }

    fn either(&mut self) -> Result<Vec<Pattern>, String> {
        if self.takes("[") {
            let mut either = Vec::new();
            while !self.takes("]") {
                either.extend(self.step(None)?.either);
            }
            return Ok(either);
        }
        if self.takes("(") {
            return Ok(vec![self.node()?]);
        }
        if self.takes("_") {
            return Ok(vec![leaf(PatternNode::Any)]);
        }
        let token = self.string()?;
        Ok(vec![leaf(PatternNode::Kind(self.kind(&token, Named::No)?))])
    }

    /// A node in brackets, of which the first is read.
    fn node(&mut self) -> Result<Pattern, String> {
        let mut pattern = leaf(match self.word()? {
            "_" => PatternNode::AnyNamed,
            kind => PatternNode::Kind(self.kind(kind, Named::Yes)?),
        });
        let mut is_next = false;
        while !self.takes(")") {
            if self.takes("(#") {
                self.predicate()?;
            } else if self.takes("!") {
                let word = self.word()?;
                pattern.without.push(self.field(word)?);
            } else if self.takes(".") {
                is_next = true;
            } else {
                let field = self.field_before()?;
                let step = self.step(field)?;
                pattern.steps.push(PatternStep { is_next, ..step });
                is_next = false;
            }
        }
        pattern.is_closed = is_next;
        Ok(pattern)
    }

    /// The field that is written before a child, if one is.
    fn field_before(&mut self) -> Result<Option<u16>, String> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(0);
        if end > 0 && self.rest[end..].starts_with(':') {
            let word = &self.rest[..end];
            self.rest = &self.rest[end + 1..];
            self.field(word).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A predicate, of which `(#` is read.
    fn predicate(&mut self) -> Result<(), String> {
        let name = self.word()?;
        if !(self.takes("?") && self.takes("@")) {
            return Err(format!("no such predicate: {name}"));
        }
        let capture = self.word()?.to_string();
        let mut words = Vec::new();
        while !self.takes(")") {
            words.push(self.string()?);
        }
        let test = match (name, words.as_slice()) {
            ("eq" | "any-of", [_, ..]) => Test::In(words),
            ("not-any-of", [_, ..]) => Test::NotIn(words),
            ("starts-with", [start]) => Test::StartsWith(start.clone()),
            ("starts-upper", []) => Test::StartsUpper,
            _ => return Err(format!("no such predicate: {name}")),
        };
        self.tests.push((capture, test));
        Ok(())
    }

    fn kind(&self, kind: &str, named: Named) -> Result<u16, String> {
        match self.grammar.id_for_node_kind(kind, named == Named::Yes) {
            0 => Err(format!("no such kind of node: {kind}")),
            id if self.grammar.node_kind_is_supertype(id) => {
                Err(format!("only a supertype: {kind}"))
            }
            id => Ok(id),
        }
    }

    fn field(&self, field: &str) -> Result<u16, String> {
        let id = self.grammar.field_id_for_name(field);
        id.map(std::num::NonZero::get).ok_or_else(|| format!("no such field: {field}"))
    }

    fn word(&mut self) -> Result<&'q str, String> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !is_word(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if word.is_empty() {
            Err(format!("a name should stand before: {}", start_of(rest)))
        } else {
            Ok(word)
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut is_escaped = false;
        if self.takes("\"") {
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
        Err(format!("a pattern should stand before: {}", start_of(self.rest)))
    }

    fn takes(&mut self, mark: &str) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

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

#[derive(Clone, Copy, PartialEq)]
enum Named {
    Yes,
    No,
}

fn leaf(what: PatternNode) -> Pattern {
    Pattern {
        what,
        roles: Vec::new(),
        tests: Vec::new(),
        without: Vec::new(),
        steps: Vec::new(),
        is_closed: false,
        names: Vec::new(),
    }
}

fn captures(pattern: &Pattern) -> bool {
    !pattern.roles.is_empty() || pattern.steps.iter().any(|step| step.captures)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn start_of(text: &str) -> String {
    text.chars().take(40).collect()
}
