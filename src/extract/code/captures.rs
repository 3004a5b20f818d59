//! From a tree and the language's query to what was captured, still as ranges of the text. The
//! names of the captures are the vocabulary of `langs/queries/README.md`.

use std::cell::RefCell;
use std::sync::{LazyLock, OnceLock};

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator};

use super::nest::Range;
use crate::extract::langs::{LANGS, Language};
use crate::model::{ChunkKind, HeritageKind, ReferenceKind};

/// What the query found, each kind in the order of the text.
#[derive(Default)]
pub struct Captures {
    pub definitions: Vec<Defined>,
    pub references: Vec<Mentioned>,
    pub heritage: Vec<Inherited>,
    pub parameters: Vec<Parameter>,
    /// Clauses that limit a conformance.
    pub conditions: Vec<Range>,
    /// Comments and attributes, which may lead a definition.
    pub leads: Vec<Lead>,
    /// What stands in these is local: its variables are no symbols.
    pub locals: Vec<Range>,
}

impl Captures {
    /// The comments alone.
    pub fn comments(&self) -> Vec<Range> {
        let comments = self.leads.iter().filter(|lead| lead.is_comment);
        comments.map(|lead| lead.range).collect()
    }
}

pub struct Defined {
    pub kind: ChunkKind,
    pub range: Range,
    pub name: Range,
    /// A scope that the name itself tells, such as `Foo` of `void Foo::bar() {}`.
    pub scope: Option<Range>,
    pub type_text: Option<Range>,
    pub body: Option<Range>,
    pub doc: Option<Range>,
    /// Which pattern of the query; the first that names a thing tells its kind.
    pattern: usize,
}

pub struct Mentioned {
    pub kind: ReferenceKind,
    pub name: Range,
    pub receiver: Option<Range>,
    pub labels: Vec<String>,
}

pub struct Inherited {
    pub how: HeritageKind,
    pub base: Range,
    pub subject: Option<Range>,
}

pub struct Parameter {
    pub range: Range,
    pub name: Option<Range>,
    pub type_text: Option<Range>,
    pattern: usize,
}

pub struct Lead {
    pub range: Range,
    pub is_comment: bool,
}

/// A language's query, compiled once per process, with what each of its captures means.
struct Reader {
    query: Query,
    roles: Vec<Role>,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Definition(ChunkKind),
    Reference(ReferenceKind),
    Heritage(HeritageKind),
    Parameter,
    Condition,
    Comment,
    Attribute,
    Local,
    Detail(Detail),
    /// Only for a predicate of the query.
    Unused,
}

#[derive(Clone, Copy, PartialEq)]
enum Detail {
    Name,
    Scope,
    Type,
    Body,
    Doc,
    Receiver,
    Arguments,
    Argument,
    Subject,
}

/// More states at once than this are dropped by the cursor; it bounds time on strange trees.
const MATCH_LIMIT: u32 = 4096;

static READERS: LazyLock<Vec<OnceLock<Option<Reader>>>> =
    LazyLock::new(|| LANGS.iter().map(|_| OnceLock::new()).collect());

thread_local! {
    static CURSOR: RefCell<QueryCursor> = RefCell::new(QueryCursor::new());
}

/// Runs the query of `language` over the tree below `root`.
pub fn capture(language: &'static Language, root: Node, text: &str) -> Captures {
    let mut captures = Captures::default();
    let Some(reader) = reader(language) else {
        return captures;
    };
    CURSOR.with_borrow_mut(|cursor| {
        cursor.set_match_limit(MATCH_LIMIT);
        let mut matches = cursor.matches(&reader.query, root, text.as_bytes());
        while let Some(found) = matches.next() {
            let nodes = found.captures();
            let roles = nodes
                .iter()
                .map(|c| (reader.roles[c.index as usize], c.node));
            captures.take(language, text, found.pattern_index, roles);
        }
    });
    captures.sort();
    captures
}

/// The compiled query; `None` only if it does not compile, which a test over `LANGS` rules out.
fn reader(language: &'static Language) -> Option<&'static Reader> {
    let index = LANGS
        .iter()
        .position(|known| std::ptr::eq(*known, language))?;
    let reader = READERS[index].get_or_init(|| compile(language).ok());
    reader.as_ref()
}

fn compile(language: &Language) -> Result<Reader, String> {
    let grammar = (language.grammar)();
    let query = Query::new(&grammar, language.query).map_err(|error| error.to_string())?;
    let roles: Result<Vec<Role>, String> = query
        .capture_names()
        .iter()
        .map(|name| role(name).ok_or_else(|| format!("no such capture: @{name}")))
        .collect();
    Ok(Reader {
        roles: roles?,
        query,
    })
}

fn role(capture: &str) -> Option<Role> {
    if let Some(kind) = capture.strip_prefix("definition.") {
        return definition_kind(kind).map(Role::Definition);
    }
    Some(match capture {
        "reference.call" => Role::Reference(ReferenceKind::Call),
        "reference.type" => Role::Reference(ReferenceKind::Type),
        "reference.import" => Role::Reference(ReferenceKind::Import),
        "heritage.declared" => Role::Heritage(HeritageKind::Declared),
        "heritage.extension" => Role::Heritage(HeritageKind::Extension),
        "heritage.derived" => Role::Heritage(HeritageKind::Derived),
        "parameter" => Role::Parameter,
        "condition" => Role::Condition,
        "comment" => Role::Comment,
        "attribute" => Role::Attribute,
        "local" => Role::Local,
        "name" => Role::Detail(Detail::Name),
        "scope" => Role::Detail(Detail::Scope),
        "type" => Role::Detail(Detail::Type),
        "body" => Role::Detail(Detail::Body),
        "doc" => Role::Detail(Detail::Doc),
        "receiver" => Role::Detail(Detail::Receiver),
        "arguments" => Role::Detail(Detail::Arguments),
        "argument" => Role::Detail(Detail::Argument),
        "subject" => Role::Detail(Detail::Subject),
        unused if unused.starts_with('_') => Role::Unused,
        _ => return None,
    })
}

fn definition_kind(word: &str) -> Option<ChunkKind> {
    Some(match word {
        "function" => ChunkKind::Function,
        "method" => ChunkKind::Method,
        "initializer" => ChunkKind::Initializer,
        "deinitializer" => ChunkKind::Deinitializer,
        "subscript" => ChunkKind::Subscript,
        "class" => ChunkKind::Class,
        "struct" => ChunkKind::Struct,
        "enum" => ChunkKind::Enum,
        "protocol" => ChunkKind::Protocol,
        "interface" => ChunkKind::Interface,
        "trait" => ChunkKind::Trait,
        "extension" => ChunkKind::Extension,
        "actor" => ChunkKind::Actor,
        "macro" => ChunkKind::Macro,
        "alias" => ChunkKind::TypeAlias,
        "variable" => ChunkKind::Variable,
        "constant" => ChunkKind::Constant,
        "property" => ChunkKind::Property,
        "namespace" => ChunkKind::Namespace,
        "module" => ChunkKind::Module,
        "section" => ChunkKind::Section,
        "entry" => ChunkKind::Entry,
        _ => return None,
    })
}

/// The details of one match.
#[derive(Default)]
struct Details<'t> {
    nodes: [Option<Node<'t>>; 9],
    /// Arguments that were captured one by one.
    single: usize,
}

impl<'t> Details<'t> {
    fn range(&self, detail: Detail) -> Option<Range> {
        self.nodes[detail as usize].map(range)
    }
}

impl Captures {
    /// Keeps one match: each capture that is no detail is a thing found, with the details.
    fn take<'t>(
        &mut self,
        language: &Language,
        text: &str,
        pattern: usize,
        nodes: impl Iterator<Item = (Role, Node<'t>)> + Clone,
    ) {
        let mut details = Details::default();
        for (role, node) in nodes.clone() {
            match role {
                Role::Detail(Detail::Argument) => details.single += 1,
                Role::Detail(detail) => details.nodes[detail as usize] = Some(node),
                _ => {}
            }
        }
        for (role, node) in nodes {
            let range = range(node);
            match role {
                Role::Definition(kind) => self.define(kind, range, pattern, &details),
                Role::Reference(kind) => self.references.push(Mentioned {
                    kind,
                    name: details.range(Detail::Name).unwrap_or(range),
                    receiver: details.range(Detail::Receiver),
                    labels: labels(language, text, &details),
                }),
                Role::Heritage(how) => self.heritage.push(Inherited {
                    how,
                    base: range,
                    subject: details.range(Detail::Subject),
                }),
                Role::Parameter => self.parameters.push(Parameter {
                    range,
                    name: details.range(Detail::Name),
                    type_text: details.range(Detail::Type),
                    pattern,
                }),
                Role::Condition => self.conditions.push(range),
                Role::Comment | Role::Attribute => self.leads.push(Lead {
                    range,
                    is_comment: role == Role::Comment,
                }),
                Role::Local => self.locals.push(range),
                Role::Detail(_) | Role::Unused => {}
            }
        }
    }

    fn define(&mut self, kind: ChunkKind, range: Range, pattern: usize, details: &Details) {
        let Some(name) = details.range(Detail::Name) else {
            return;
        };
        self.definitions.push(Defined {
            kind,
            range,
            name,
            scope: details.range(Detail::Scope),
            type_text: details.range(Detail::Type),
            body: details.range(Detail::Body),
            doc: details.range(Detail::Doc),
            pattern,
        });
    }

    fn sort(&mut self) {
        self.merge_definitions();
        self.references
            .sort_by_key(|found| (found.name.start, found.kind, found.receiver.is_none()));
        self.references
            .dedup_by_key(|found| (found.name.start, found.kind));
        self.heritage.sort_by_key(|found| found.base.start);
        self.heritage.dedup_by_key(|found| found.base.start);
        // The first pattern that knows a parameter tells its names: `a, b int` has two.
        let name = |found: &Parameter| found.name.map_or(0, |name| name.start);
        self.parameters
            .sort_by_key(|found| (found.range.start, found.pattern, name(found)));
        self.parameters.dedup_by(|other, kept| {
            other.range.start == kept.range.start
                && (other.pattern != kept.pattern || other.name == kept.name)
        });
        self.conditions.sort_by_key(|found| found.start);
        self.leads.sort_by_key(|lead| lead.range.start);
        self.leads.dedup_by_key(|lead| lead.range.start);
    }

    /// Several patterns may define one thing, for instance with and without its `export`. The first
    /// pattern tells the kind, the widest match the range, and each adds what the others lack.
    fn merge_definitions(&mut self) {
        self.definitions
            .sort_by_key(|found| (found.name.start, found.pattern));
        self.definitions.dedup_by(|other, kept| {
            let is_same = other.name.start == kept.name.start;
            if is_same {
                kept.range.start = kept.range.start.min(other.range.start);
                kept.range.end = kept.range.end.max(other.range.end);
                kept.scope = kept.scope.or(other.scope);
                kept.type_text = kept
                    .type_text
                    .or(other.type_text.filter(|_| other.kind == kept.kind));
                kept.body = kept.body.or(other.body);
                kept.doc = kept.doc.or(other.doc);
            }
            is_same
        });
    }
}

fn range(node: Node) -> Range {
    let bytes = node.byte_range();
    Range {
        start: u32::try_from(bytes.start).unwrap_or(u32::MAX),
        end: u32::try_from(bytes.end).unwrap_or(u32::MAX),
    }
}

/// A label for each argument of a call; `_` for one without.
fn labels(language: &Language, text: &str, details: &Details) -> Vec<String> {
    let mut labels = Vec::new();
    if let Some(list) = details.nodes[Detail::Arguments as usize] {
        let mut cursor = list.walk();
        let arguments = list.named_children(&mut cursor);
        labels.extend(arguments.filter(|node| !node.is_extra()).map(|argument| {
            let label = language
                .labels
                .iter()
                .filter(|(kind, _)| *kind == argument.kind())
                .find_map(|(_, field)| argument.child_by_field_name(field));
            let label = label.map(|node| text[node.byte_range()].trim_end_matches(':').trim());
            label.unwrap_or("_").to_string()
        }));
    }
    labels.extend((0..details.single).map(|_| "_".to_string()));
    labels
}

/// Compiles a language's query, for the test over `LANGS`.
#[cfg(test)]
pub fn check_query(language: &'static Language) -> Result<(), String> {
    compile(language).map(|_| ())
}
