//! From a tree and the language's query to what was captured, still as ranges of the text. The
//! names of the captures are the vocabulary of `languages/README.md`.

use std::cell::RefCell;
use std::sync::{LazyLock, OnceLock};

use super::capture_names::{Detail, Role};
use super::flat_tree::Flat;
use super::innermost::Range;
use super::parse::Syntax;
use super::query_exec::{CapturedNode, Matcher};
use crate::languages::{LANGS, Language};
use kenning_model::{BindingKind, ChunkKind, HeritageKind, Reference, ReferenceKind};

/// The captures of a query, each kind in text order.
#[derive(Default)]
pub struct Captures {
    pub definitions: Vec<Defined>,
    pub references: Vec<Mentioned>,
    pub heritage: Vec<Inherited>,
    pub bindings: Vec<Bound>,
    pub parameters: Vec<Parameter>,
    /// Clauses that limit a conformance.
    pub conditions: Vec<Range>,
    /// Comments and attributes, which may lead a definition.
    pub leads: Vec<Lead>,
    /// Ranges whose variables are local, and so no symbols.
    pub locals: Vec<Range>,
    /// Closures. A value returned in one is not a return value of the definition around it.
    pub closures: Vec<Range>,
    /// Block scopes. A name declared in one is not visible after it.
    pub blocks: Vec<Range>,
    /// Blocks of comprehensions. A name is visible in all of one, even before its declaration.
    pub comprehensions: Vec<Range>,
    /// Ranges whose calls are awaited.
    pub waits: Vec<Range>,
    /// Visibility labels, such as `private:`. Each holds for the members after it.
    pub sections: Vec<Range>,
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
    /// Index of the query pattern that matched. If several patterns name one thing, the first
    /// decides its kind.
    pattern: usize,
}

pub struct Mentioned {
    pub kind: ReferenceKind,
    pub name: Range,
    pub receiver: Option<Range>,
    /// The other name that an import gives.
    pub alias: Option<Range>,
    pub labels: Vec<String>,
}

pub struct Bound {
    pub kind: BindingKind,
    /// `None` for a returned value, and for the unnamed parameter of a closure.
    pub name: Option<Range>,
    pub type_text: Option<Range>,
    pub value: Option<Range>,
    /// The case of an enum that holds it, if the value is of that case.
    pub case: Option<Range>,
    pub start: u32,
    /// True if it is visible after the block that declares it.
    pub is_hoisted: bool,
    pattern: usize,
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

static MATCHERS: LazyLock<Vec<OnceLock<Option<Matcher>>>> =
    LazyLock::new(|| LANGS.iter().map(|_| OnceLock::new()).collect());

/// Room for more nodes than this is not kept from one file to the next.
const MAX_KEPT: usize = 1 << 20;

thread_local! {
    static FLAT: RefCell<Flat> = RefCell::new(Flat::default());
}

/// Runs the query of `language` over the syntax of a text.
pub fn capture(language: &'static Language, syntax: &Syntax, text: &str) -> Captures {
    let Some(matcher) = matcher(language) else {
        return Captures::default();
    };
    match syntax {
        Syntax::Row(flat) => capture_of(matcher, flat, text),
        Syntax::Tree(tree) => FLAT.with_borrow_mut(|flat| {
            flat.fill(tree.root_node(), &matcher.interests);
            let captures = capture_of(matcher, flat, text);
            if flat.nodes.len() > MAX_KEPT {
                *flat = Flat::default();
            }
            captures
        }),
    }
}

fn capture_of(matcher: &Matcher, flat: &Flat, text: &str) -> Captures {
    let mut captures = Captures::default();
    let source = MatchSource { matcher, flat, text };
    matcher.run(flat, text, &mut |pattern, found| {
        captures.take(&source, pattern, found);
    });
    captures.sort();
    captures
}

/// The language's patterns, read once per process; `None` only if they are no patterns, which a
/// test over `LANGS` rules out.
fn matcher(language: &'static Language) -> Option<&'static Matcher> {
    let index = LANGS.iter().position(|known| std::ptr::eq(*known, language))?;
    let matcher = MATCHERS[index].get_or_init(|| Matcher::new(language).ok());
    matcher.as_ref()
}

/// The matcher, the tree and the text that matches refer to.
struct MatchSource<'s> {
    matcher: &'s Matcher,
    flat: &'s Flat,
    text: &'s str,
}

/// The details of one match.
#[derive(Default)]
struct Details {
    /// By [`Detail`], the index of the node.
    nodes: [Option<usize>; 13],
    /// Arguments that were captured one by one.
    single: usize,
}

impl Captures {
    /// Keeps one match: each capture that is no detail is a thing found, with the details.
    fn take(&mut self, source: &MatchSource, pattern: usize, found: &[CapturedNode]) {
        let mut details = Details::default();
        for &(role, index) in found {
            match role {
                Role::Detail(Detail::Argument) => details.single += 1,
                Role::Detail(detail) => details.nodes[detail as usize] = Some(index),
                _ => {}
            }
        }
        for &(role, index) in found {
            self.keep(source, pattern, role, index, &details);
        }
    }

    fn keep(
        &mut self,
        source: &MatchSource,
        pattern: usize,
        role: Role,
        index: usize,
        details: &Details,
    ) {
        let range = source.flat.nodes[index].range();
        let detail = |detail| source.detail(details, detail);
        match role {
            Role::Definition(kind) => self.define(kind, range, pattern, &detail),
            Role::Reference(kind) => self.mention(kind, range, source.labels(details), &detail),
            Role::Qualifier => {
                let labels = vec![Reference::QUALIFIER.to_string()];
                self.mention(ReferenceKind::Type, range, labels, &detail);
            }
            Role::Applied => {
                let labels = vec![Reference::APPLIED.to_string()];
                self.mention(ReferenceKind::Call, range, labels, &detail);
            }
            Role::Heritage(how) => {
                self.heritage.push(Inherited { how, base: range, subject: detail(Detail::Subject) })
            }
            Role::Binding(kind) => self.bind(kind, range, pattern, &detail),
            Role::Implicit(kind) => self.bindings.push(Bound {
                kind,
                name: None,
                type_text: None,
                value: detail(Detail::Value),
                case: None,
                start: range.start,
                is_hoisted: false,
                pattern,
            }),
            Role::Parameter => self.parameters.push(Parameter {
                range,
                name: detail(Detail::Name),
                type_text: detail(Detail::Type),
                pattern,
            }),
            Role::Condition => self.conditions.push(range),
            Role::Comment | Role::Attribute => {
                self.leads.push(Lead { range, is_comment: role == Role::Comment })
            }
            Role::Local => self.locals.push(range),
            Role::Closure => self.closures.push(range),
            Role::Block => self.blocks.push(range),
            Role::Comprehension => {
                self.blocks.push(range);
                self.comprehensions.push(range);
            }
            Role::Awaited => self.waits.push(range),
            Role::Section => self.sections.push(range),
            Role::Detail(_) | Role::Unused => {}
        }
    }

    fn mention(
        &mut self,
        kind: ReferenceKind,
        range: Range,
        labels: Vec<String>,
        detail: &dyn Fn(Detail) -> Option<Range>,
    ) {
        self.references.push(Mentioned {
            kind,
            name: detail(Detail::Name).unwrap_or(range),
            receiver: detail(Detail::Receiver),
            alias: detail(Detail::Alias),
            labels,
        });
    }

    fn bind(
        &mut self,
        kind: BindingKind,
        range: Range,
        pattern: usize,
        detail: &dyn Fn(Detail) -> Option<Range>,
    ) {
        let name = detail(Detail::Name);
        let is_returned = kind == BindingKind::Returned;
        self.bindings.push(Bound {
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

    fn define(
        &mut self,
        kind: ChunkKind,
        range: Range,
        pattern: usize,
        detail: &dyn Fn(Detail) -> Option<Range>,
    ) {
        let Some(name) = detail(Detail::Name) else {
            return;
        };
        self.definitions.push(Defined {
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

    fn sort(&mut self) {
        self.merge_definitions();
        self.references
            .sort_by_key(|found| (found.name.start, found.kind, found.receiver.is_none()));
        self.references.dedup_by_key(|found| (found.name.start, found.kind));
        // The first pattern that matches a name decides its binding.
        self.bindings.sort_by_key(|found| (found.start, found.pattern));
        self.bindings.dedup_by_key(|found| found.start);
        // Several types may share one base, so the key contains the subject as well.
        let heir = |found: &Inherited| (found.base.start, found.subject.map(|one| one.start));
        self.heritage.sort_by_key(heir);
        self.heritage.dedup_by_key(|found| heir(found));
        // The first pattern that knows a parameter tells its names: `a, b int` has two.
        let name = |found: &Parameter| found.name.map_or(0, |name| name.start);
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
    fn detail(&self, details: &Details, detail: Detail) -> Option<Range> {
        details.nodes[detail as usize].map(|index| self.flat.nodes[index].range())
    }

    /// A label for each argument of a call; `_` for one without, and a mark for a closure after the
    /// brackets.
    fn labels(&self, details: &Details) -> Vec<String> {
        let mut labels = Vec::new();
        if let Some(list) = details.nodes[Detail::Arguments as usize] {
            let arguments = self.flat.children(list);
            let arguments = arguments.filter(|(_, node)| node.is_named && !node.is_extra);
            labels.extend(arguments.map(|(index, _)| self.label(index).to_string()));
        }
        labels.extend((0..details.single).map(|_| Reference::TRAILING.to_string()));
        labels
    }

    fn label(&self, argument: usize) -> &str {
        let kind = self.flat.nodes[argument].kind;
        let mut known = self.matcher.labels.iter();
        let field = known.find(|(known, _)| *known == kind);
        let label = field.and_then(|(_, field)| {
            let mut parts = self.flat.children(argument);
            parts.find(|(_, part)| part.field == *field)
        });
        let label =
            label.and_then(|(_, part)| self.text.get(part.start as usize..part.end as usize));
        label.map_or("_", |label| label.trim_end_matches(':').trim())
    }
}

/// Reads a language's query, for the test over `LANGS`.
#[cfg(test)]
pub fn check_query(language: &Language) -> Result<(), String> {
    Matcher::new(language).map(|_| ())
}
