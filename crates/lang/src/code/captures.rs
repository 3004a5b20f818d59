//! Runs the language's query over a tree, and sorts the captures by role. Captures are still ranges
//! of the text; `definitions`, `bindings` and `references` turn them into facts.
//!
//! Patterns overlap on purpose, for instance with and without an `export` around a function. Here
//! the duplicates are merged, so that later phases see each thing once. The names of the captures
//! are the vocabulary of `languages/README.md`.

use std::cell::RefCell;
use std::sync::{LazyLock, OnceLock};

use super::capture_names::{CaptureRole, Detail};
use super::flat_tree::FlatTree;
use super::item_macros::ItemMacro;
use super::parse::{FileSyntax, ParsedSource};
use super::range_sweep::ByteRange;
use super::tree_query_exec::{CapturedNode, QueryMatcher};
use crate::languages::{LANGS, Language};
use kenning_model::{BindingKind, ChunkKind, HeritageKind, Reference, ReferenceKind};

/// The captures of a query, each kind in text order.
#[derive(Default)]
pub struct Captures {
    pub definitions: Vec<CapturedDefinition>,
    pub references: Vec<CapturedReference>,
    pub heritage: Vec<CapturedHeritage>,
    pub bindings: Vec<CapturedBinding>,
    pub parameters: Vec<CapturedParameter>,
    /// Clauses that limit a conformance.
    pub conditions: Vec<ByteRange>,
    /// Comments and attributes, which may lead a definition.
    pub leads: Vec<Lead>,
    /// Ranges whose variables are local, and so no symbols.
    pub locals: Vec<ByteRange>,
    /// Closures. A value returned in one is not a return value of the definition around it.
    pub closures: Vec<ByteRange>,
    /// Block scopes. A name declared in one is not visible after it.
    pub blocks: Vec<ByteRange>,
    /// Blocks of comprehensions. A name is visible in all of one, even before its declaration.
    pub comprehensions: Vec<ByteRange>,
    /// Ranges whose calls are awaited.
    pub awaited_ranges: Vec<ByteRange>,
    /// Visibility labels, such as `private:`. Each holds for the members after it.
    pub sections: Vec<ByteRange>,
}

impl Captures {
    /// The ranges of the comments, without those of attributes.
    pub fn comments(&self) -> Vec<ByteRange> {
        let comments = self.leads.iter().filter(|lead| lead.is_comment);
        comments.map(|lead| lead.range).collect()
    }
}

/// A definition as captured.
pub struct CapturedDefinition {
    pub kind: ChunkKind,
    pub range: ByteRange,
    pub name: ByteRange,
    /// A scope that the name itself tells, such as `Foo` of `void Foo::bar() {}`.
    pub scope: Option<ByteRange>,
    pub type_text: Option<ByteRange>,
    pub body: Option<ByteRange>,
    /// A doc string inside of the definition.
    pub doc: Option<ByteRange>,
    /// Index of the query pattern that matched. If several patterns name one thing, the first
    /// decides its kind.
    pattern: usize,
}

/// A mention of a symbol, as captured.
pub struct CapturedReference {
    pub kind: ReferenceKind,
    pub name: ByteRange,
    pub receiver: Option<ByteRange>,
    /// The other name that an import gives.
    pub alias: Option<ByteRange>,
    pub labels: Vec<String>,
}

/// A name that stands for a value, as captured.
pub struct CapturedBinding {
    pub kind: BindingKind,
    /// `None` for a returned value, and for the unnamed parameter of a closure.
    pub name: Option<ByteRange>,
    pub type_text: Option<ByteRange>,
    pub value: Option<ByteRange>,
    /// The case of an enum that holds it, if the value is of that case.
    pub case: Option<ByteRange>,
    /// The byte at which the binding begins: the start of the name or of the captured range.
    pub start: u32,
    /// True if it is visible after the block that declares it.
    pub is_hoisted: bool,
    pattern: usize,
}

/// A base type, as captured. Without a subject, the type around it is meant.
pub struct CapturedHeritage {
    pub kind: HeritageKind,
    pub base: ByteRange,
    pub subject: Option<ByteRange>,
}

/// A parameter in the head of a definition, as captured.
pub struct CapturedParameter {
    pub range: ByteRange,
    pub name: Option<ByteRange>,
    pub type_text: Option<ByteRange>,
    pattern: usize,
}

/// A comment or attribute, which may belong to the definition below it.
pub struct Lead {
    pub range: ByteRange,
    pub is_comment: bool,
}

/// The compiled query of each language, in the order of [`LANGS`]. Most runs meet few languages, so
/// each is compiled at its first use.
static MATCHERS: LazyLock<Vec<OnceLock<Option<QueryMatcher>>>> =
    LazyLock::new(|| LANGS.iter().map(|_| OnceLock::new()).collect());

/// A flat tree with room for more nodes than this is freed after its file. Otherwise one huge file
/// would hold its memory in every thread.
const MAX_REUSED_NODES: usize = 1 << 20;

thread_local! {
    // Reused from file to file, so that its list is not allocated again.
    static FLAT: RefCell<FlatTree> = RefCell::new(FlatTree::default());
}

/// Runs the query of `language` over the syntax of a text. A language whose query is invalid
/// captures nothing.
pub fn run_query(language: &'static Language, source: &ParsedSource, text: &str) -> Captures {
    let Some(matcher) = matcher_of(language) else {
        return Captures::default();
    };
    let mut captures = match &source.syntax {
        FileSyntax::Flat(flat) => run_matcher(matcher, flat, text),
        FileSyntax::Tree(tree) => FLAT.with_borrow_mut(|flat| {
            flat.fill_from_tree(tree.root_node(), &matcher.interests);
            let captures = run_matcher(matcher, flat, text);
            if flat.nodes.len() > MAX_REUSED_NODES {
                *flat = FlatTree::default();
            }
            captures
        }),
    };
    captures.add_macro_calls(&source.macros.read);
    captures
}

/// Collects, sorts and merges the matches over one flat tree.
fn run_matcher(matcher: &QueryMatcher, flat: &FlatTree, text: &str) -> Captures {
    let mut captures = Captures::default();
    let source = MatchSource { matcher, flat, text };
    matcher.run_patterns(flat, text, &mut |pattern, found| {
        captures.add_match(&source, pattern, found);
    });
    captures.sort_and_dedup();
    captures
}

/// The compiled patterns of a language, once per process. `None` only if the query is invalid,
/// which a test over `LANGS` rules out.
fn matcher_of(language: &'static Language) -> Option<&'static QueryMatcher> {
    let index = LANGS.iter().position(|known| std::ptr::eq(*known, language))?;
    let matcher = MATCHERS[index].get_or_init(|| QueryMatcher::new(language).ok());
    matcher.as_ref()
}

/// The matcher, the tree and the text that matches refer to.
struct MatchSource<'s> {
    matcher: &'s QueryMatcher,
    flat: &'s FlatTree,
    text: &'s str,
}

/// The details of one match. The last capture of each [`Detail`] counts.
#[derive(Default)]
struct Details {
    /// By [`Detail`], the index of the node.
    nodes: [Option<usize>; 13],
    /// Arguments that were captured one by one.
    single_arguments: usize,
}

impl Captures {
    /// Adds the calls of macros whose arguments were read as items. The tree lacks these calls.
    fn add_macro_calls(&mut self, calls: &[ItemMacro]) {
        if calls.is_empty() {
            return;
        }
        self.references.extend(calls.iter().map(|call| CapturedReference {
            kind: ReferenceKind::Call,
            name: call.name,
            receiver: None,
            alias: None,
            labels: Vec::new(),
        }));
        self.references.sort_by_key(|found| (found.name.start, found.kind));
    }

    /// Adds one match. Each capture that is no detail becomes an entry of its own, and all of them
    /// share the details.
    fn add_match(&mut self, source: &MatchSource, pattern: usize, found: &[CapturedNode]) {
        let mut details = Details::default();
        for &(role, index) in found {
            match role {
                CaptureRole::Detail(Detail::Argument) => details.single_arguments += 1,
                CaptureRole::Detail(detail) => details.nodes[detail as usize] = Some(index),
                _ => {}
            }
        }
        for &(role, index) in found {
            self.add_capture(source, pattern, role, index, &details);
        }
    }

    /// Files one capture under its role.
    fn add_capture(
        &mut self,
        source: &MatchSource,
        pattern: usize,
        role: CaptureRole,
        index: usize,
        details: &Details,
    ) {
        let range = source.flat.nodes[index].range();
        let detail = |detail| source.detail_range(details, detail);
        match role {
            CaptureRole::Definition(kind) => self.add_definition(kind, range, pattern, &detail),
            CaptureRole::Reference(kind) => {
                self.add_reference(kind, range, source.argument_labels(details), &detail)
            }
            CaptureRole::Marked(kind, mark) => {
                self.add_reference(kind, range, vec![mark.to_string()], &detail)
            }
            CaptureRole::Heritage(kind) => {
                let subject = detail(Detail::Subject);
                self.heritage.push(CapturedHeritage { kind, base: range, subject });
            }
            CaptureRole::Binding(kind) => self.add_binding(kind, range, pattern, &detail),
            CaptureRole::Implicit(kind) => self.bindings.push(CapturedBinding {
                kind,
                name: None,
                type_text: None,
                value: detail(Detail::Value),
                case: None,
                start: range.start,
                is_hoisted: false,
                pattern,
            }),
            CaptureRole::Parameter => self.parameters.push(CapturedParameter {
                range,
                name: detail(Detail::Name),
                type_text: detail(Detail::Type),
                pattern,
            }),
            CaptureRole::Condition => self.conditions.push(range),
            CaptureRole::Comment | CaptureRole::Attribute => {
                self.leads.push(Lead { range, is_comment: role == CaptureRole::Comment })
            }
            CaptureRole::Local => self.locals.push(range),
            CaptureRole::Closure => self.closures.push(range),
            CaptureRole::Block => self.blocks.push(range),
            CaptureRole::Comprehension => self.add_comprehension(range),
            CaptureRole::Awaited => self.awaited_ranges.push(range),
            CaptureRole::Section => self.sections.push(range),
            CaptureRole::Detail(_) | CaptureRole::Unused => {}
        }
    }

    /// Adds a comprehension, which is a block too.
    fn add_comprehension(&mut self, range: ByteRange) {
        self.blocks.push(range);
        self.comprehensions.push(range);
    }

    /// Adds a reference. Without a `@name`, the captured range itself is the name.
    fn add_reference(
        &mut self,
        kind: ReferenceKind,
        range: ByteRange,
        labels: Vec<String>,
        detail: &dyn Fn(Detail) -> Option<ByteRange>,
    ) {
        self.references.push(CapturedReference {
            kind,
            name: detail(Detail::Name).unwrap_or(range),
            receiver: detail(Detail::Receiver),
            alias: detail(Detail::Alias),
            labels,
        });
    }

    /// Adds a binding. A returned value has no name, and without a `@value` it is the captured
    /// range.
    fn add_binding(
        &mut self,
        kind: BindingKind,
        range: ByteRange,
        pattern: usize,
        detail: &dyn Fn(Detail) -> Option<ByteRange>,
    ) {
        let name = detail(Detail::Name);
        let is_returned = kind == BindingKind::ReturnValue;
        self.bindings.push(CapturedBinding {
            kind,
            name: name.or((!is_returned).then_some(range)),
            type_text: detail(Detail::Type),
            value: detail(Detail::Value).or(is_returned.then_some(range)),
            case: detail(Detail::Case),
            // If the name precedes the range of the binding, the binding starts with the range.
            start: name.filter(|name| name.start >= range.start).unwrap_or(range).start,
            is_hoisted: detail(Detail::Hoisted).is_some(),
            pattern,
        });
    }

    /// Adds a definition. A match without a `@name` is dropped, as nothing could find it.
    fn add_definition(
        &mut self,
        kind: ChunkKind,
        range: ByteRange,
        pattern: usize,
        detail: &dyn Fn(Detail) -> Option<ByteRange>,
    ) {
        let Some(name) = detail(Detail::Name) else {
            return;
        };
        self.definitions.push(CapturedDefinition {
            kind,
            range,
            name,
            scope: detail(Detail::Scope),
            type_text: detail(Detail::Type),
            body: detail(Detail::Body),
            doc: detail(Detail::Doc),
            pattern,
        });
    }

    /// Brings each kind of capture into the order of the text, and merges duplicates.
    fn sort_and_dedup(&mut self) {
        self.merge_definitions();
        self.references
            // A match with a receiver says more than one without, so it sorts first and stays. A
            // bare word says least.
            .sort_by_key(|found| {
                let is_bare = found.labels.first().is_some_and(|label| label == Reference::BARE);
                (found.name.start, found.kind, is_bare, found.receiver.is_none())
            });
        self.references.dedup_by_key(|found| (found.name.start, found.kind));
        // The first pattern that matches a name decides its binding.
        self.bindings.sort_by_key(|found| (found.start, found.pattern));
        self.bindings.dedup_by_key(|found| found.start);
        // Several types may share one base, so the key contains the subject as well.
        let heir =
            |found: &CapturedHeritage| (found.base.start, found.subject.map(|one| one.start));
        self.heritage.sort_by_key(heir);
        self.heritage.dedup_by_key(|found| heir(found));
        // The first pattern that knows a parameter tells its names: `a, b int` has two.
        let name = |found: &CapturedParameter| found.name.map_or(0, |name| name.start);
        self.parameters.sort_by_key(|found| (found.range.start, found.pattern, name(found)));
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
        self.definitions.sort_by_key(|found| (found.name.start, found.pattern));
        self.definitions.dedup_by(|other, kept| {
            let is_same = other.name.start == kept.name.start;
            if is_same {
                kept.range.start = kept.range.start.min(other.range.start);
                kept.range.end = kept.range.end.max(other.range.end);
                kept.scope = kept.scope.or(other.scope);
                kept.type_text =
                    kept.type_text.or(other.type_text.filter(|_| other.kind == kept.kind));
                kept.body = kept.body.or(other.body);
                kept.doc = kept.doc.or(other.doc);
            }
            is_same
        });
    }
}

impl MatchSource<'_> {
    /// The range of a detail of a match, if it was captured.
    fn detail_range(&self, details: &Details, detail: Detail) -> Option<ByteRange> {
        details.nodes[detail as usize].map(|index| self.flat.nodes[index].range())
    }

    /// The label of each argument of a call; `_` for one without. A closure after the brackets has
    /// [`Reference::TRAILING`].
    fn argument_labels(&self, details: &Details) -> Vec<String> {
        let mut labels = Vec::new();
        if let Some(list) = details.nodes[Detail::Arguments as usize] {
            let children = self.flat.children(list);
            let arguments = children.filter(|(_, node)| node.is_named && !node.is_extra);
            labels.extend(arguments.map(|(index, _)| self.argument_label(index).to_string()));
        }
        labels.extend((0..details.single_arguments).map(|_| Reference::TRAILING.to_string()));
        labels
    }

    /// The label of an argument, or `_` if it has none. The language says which field holds it.
    fn argument_label(&self, argument: usize) -> &str {
        let kind = self.flat.nodes[argument].kind;
        let mut known = self.matcher.labels.iter();
        let field = known.find(|(known, _)| *known == kind);
        let label_node = field.and_then(|(_, field)| {
            let mut parts = self.flat.children(argument);
            parts.find(|(_, part)| part.field == *field)
        });
        let label =
            label_node.and_then(|(_, part)| self.text.get(part.start as usize..part.end as usize));
        label.map_or("_", |label| label.trim_end_matches(':').trim())
    }
}

/// Reads a language's query, for the test over `LANGS`.
#[cfg(test)]
pub fn check_query(language: &Language) -> Result<(), String> {
    QueryMatcher::new(language).map(|_| ())
}
