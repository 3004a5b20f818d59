//! From captured definitions to symbols: which is inside which, what leads each, who may see it.

use super::captures::{Captures, Defined, Parameter};
use super::doc_comments;
use super::identifiers::{
    as_type, on_one_line, outside_brackets, slice, split_path, without_arguments,
};
use super::innermost::{Range, Walk};
use super::signature::signature;
use crate::chunk::LineIndex;
use crate::languages::{Constructors, Declaration, Language};
use kenning_model::{ChunkKind, Symbol};

/// A symbol with what only the rest of `extract` needs to know of it.
pub struct Definition {
    pub symbol: Symbol,
    pub doc: Option<String>,
    /// Where the definition itself starts, after what leads it.
    pub start: u32,
    /// Where its name is written.
    pub name: u32,
    pub body: Option<u32>,
    /// Index of the enclosing definition.
    pub parent: Option<usize>,
}

impl Definition {
    pub fn range(&self) -> Range {
        Range { start: self.symbol.span.start_byte, end: self.symbol.span.end_byte }
    }

    /// True if members are declared in it.
    pub fn is_type(&self) -> bool {
        is_type(self.symbol.kind)
    }

    /// True if it can be a kind of something: a type, or a module that uses another.
    pub fn inherits(&self) -> bool {
        self.is_type() || self.symbol.kind == ChunkKind::Module
    }
}

/// A scope this long is nonsense, and growing it further would cost quadratic space.
const MAX_SCOPE: usize = 400;

/// Marks of tests stand near the name.
const MAX_MARKED: usize = 4096;

/// The symbols of a file, in the order of the text, containers before what they contain.
pub fn assemble(
    language: &Language,
    lines: &LineIndex,
    captured: &Captures,
    is_test: bool,
) -> Vec<Definition> {
    let mut assembly = Assembly { language, lines, is_test, found: Vec::new() };
    let mut open: Vec<Frame> = Vec::new();
    for mut frame in frames(lines.text(), captured) {
        while let Some(outer) = open.pop_if(|outer| !outer.holds(&frame)) {
            assembly.end_before(outer, frame.range.start);
        }
        if frame.is_section {
            if let Some(outer) = open.last_mut() {
                outer.section = Some(frame.range);
            }
            continue;
        }
        if let Some((defined, doc)) = frame.defined.take()
            && !assembly.is_local(defined, open.last())
        {
            let parent = open.iter().rev().find_map(|outer| outer.index);
            let section = open.last().and_then(|outer| outer.section);
            frame.index = assembly.add(defined, doc, frame.range, Home { parent, section });
        }
        open.push(frame);
    }
    add_parameters(lines.text(), &captured.parameters, &mut assembly.found);
    assembly.found
}

/// A range that may hold others: a definition, or something whose variables are local.
struct Frame<'c> {
    range: Range,
    defined: Option<(&'c Defined, Option<String>)>,
    /// Into the definitions found.
    index: Option<usize>,
    /// True if it only says who may see what follows it.
    is_section: bool,
    /// The last visibility label in it so far.
    section: Option<Range>,
}

/// The context of a definition.
struct Home {
    /// Index of the definition around it.
    parent: Option<usize>,
    /// The last visibility label before it in the enclosing range.
    section: Option<Range>,
}

impl Frame<'_> {
    fn holds(&self, inner: &Frame) -> bool {
        let is_same = self.range == inner.range && inner.defined.is_some();
        let start =
            inner.defined.as_ref().map_or(inner.range.start, |(defined, _)| defined.range.start);
        self.range.end > start && !is_same
    }
}

fn frames<'c>(text: &str, captured: &'c Captures) -> Vec<Frame<'c>> {
    let definitions = captured.definitions.iter().map(|defined| {
        let (start, doc) = doc_comments::lead(text, &captured.leads, defined.range.start);
        let own = defined.doc.and_then(|doc| doc_comments::of_string(slice(text, doc)));
        let end = defined.range.end;
        Frame { defined: Some((defined, own.or(doc))), ..bare(Range { start, end }) }
    });
    let locals = captured.locals.iter().map(|&range| bare(range));
    let sections = captured.sections.iter().map(|&range| Frame { is_section: true, ..bare(range) });
    let mut frames: Vec<Frame> = definitions.chain(locals).chain(sections).collect();
    frames.sort_by_key(|frame| (frame.range.start, std::cmp::Reverse(frame.range.end)));
    frames
}

fn bare<'c>(range: Range) -> Frame<'c> {
    Frame { range, defined: None, index: None, is_section: false, section: None }
}

struct Assembly<'a> {
    language: &'a Language,
    lines: &'a LineIndex<'a>,
    is_test: bool,
    found: Vec<Definition>,
}

impl Assembly<'_> {
    /// Variables of a function, or of anything that runs, are no symbols of the file.
    fn is_local(&self, defined: &Defined, outer: Option<&Frame>) -> bool {
        is_variable(defined.kind)
            && outer.is_some_and(|outer| {
                let holder = outer.index.map(|index| self.found[index].symbol.kind);
                !holder.is_some_and(holds_variables)
            })
    }

    fn add(
        &mut self,
        defined: &Defined,
        doc: Option<String>,
        range: Range,
        Home { parent, section }: Home,
    ) -> Option<usize> {
        let text = self.lines.text();
        let (inner_scope, name) = self.name(defined)?;
        let parent_symbol = parent.map(|index| &self.found[index].symbol);
        let kind = match parent_symbol {
            _ if inner_scope.is_some() => as_member(defined.kind),
            Some(outer) if is_type(outer.kind) => as_member(defined.kind),
            _ => defined.kind,
        };
        let of_type = inner_scope.as_deref().or(parent_symbol.map(|outer| outer.name.as_str()));
        let kind = self.as_constructor(kind, &name, of_type);
        let start = defined.range.start;
        // The target of an assignment decides the visibility of the assigned definition:
        // `exports.open = …`. The head therefore includes that target.
        let end = match inner_scope {
            Some(_) => defined.name.end.saturating_sub(name.len() as u32),
            None => defined.name.start,
        };
        let visibility = (self.language.visibility)(&Declaration {
            head: slice(text, Range { start, end }),
            name: &name,
            parent: parent_symbol.map(|outer| (outer.kind, outer.visibility)),
            section: section.map(|range| slice(text, range)),
        });
        let is_test = self.is_test
            || parent_symbol.is_some_and(|outer| outer.is_test)
            || self.is_marked(range.start, defined.name.start);
        let body = defined.body.map(|body| body.start);
        let symbol = Symbol {
            scope: scope(parent_symbol, inner_scope),
            kind,
            visibility,
            signature: signature(
                slice(text, defined.range),
                body.map(|body| (body.saturating_sub(start)) as usize),
            ),
            span: self.lines.span(range.start, range.end),
            line: self.lines.line(defined.name.start),
            parameters: Vec::new(),
            type_text: defined.type_text.map(|range| as_type(slice(text, range))),
            is_test,
            name,
        };
        self.found.push(Definition { symbol, doc, start, name: defined.name.start, body, parent });
        Some(self.found.len() - 1)
    }

    /// A method may construct or destroy, by its name.
    fn as_constructor(&self, kind: ChunkKind, name: &str, of_type: Option<&str>) -> ChunkKind {
        let is_after_type = self.language.constructors == Constructors::NamedLikeTypes;
        match kind {
            ChunkKind::Method if is_after_type && of_type == Some(name) => ChunkKind::Initializer,
            ChunkKind::Method if name.starts_with('~') => ChunkKind::Deinitializer,
            kind => kind,
        }
    }

    /// Ends a definition at `start` if it extends beyond. Some grammars attach a comment to the
    /// definition before it, though it leads the next one.
    fn end_before(&mut self, outer: Frame, start: u32) {
        if let Some(index) = outer.index
            && outer.range.start < start
            && start < outer.range.end
        {
            let span = &mut self.found[index].symbol.span;
            *span = self.lines.span(span.start_byte, start);
        }
    }

    /// The name, and the scope that is written with it.
    fn name(&self, defined: &Defined) -> Option<(Option<String>, String)> {
        let text = self.lines.text();
        let whole = slice(text, defined.name).trim().trim_matches(['"', '\'', '`']);
        let whole = match defined.kind {
            ChunkKind::Extension => without_arguments(whole),
            _ => whole,
        };
        let (before, name) = match defined.kind {
            ChunkKind::Section | ChunkKind::Entry => (None, whole),
            // `[Symbol.iterator]` is one name.
            _ if whole.starts_with('[') => (None, whole),
            // `&[a::B]` has no name but what is written.
            ChunkKind::Extension if whole.contains('[') => (None, whole),
            _ => split_path(whole, self.language.separators),
        };
        let written = defined.scope.map(|range| without_arguments(slice(text, range)));
        let scope = written.or(before).map(|scope| {
            let scope = scope.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            let scope = outside_brackets(scope).replace("::", ".");
            self.without_ways(scope)
        });
        (!name.is_empty()).then(|| (scope, on_one_line(name)))
    }

    /// `View` of `View.prototype`.
    fn without_ways(&self, scope: String) -> String {
        let mut ways = self.language.members_of.iter();
        let owner = ways.find_map(|way| scope.strip_suffix(way)?.strip_suffix('.'));
        owner.map(str::to_string).unwrap_or(scope)
    }

    fn is_marked(&self, start: u32, name: u32) -> bool {
        let from = (start as usize).max((name as usize).saturating_sub(MAX_MARKED));
        let head = self.lines.text().as_bytes().get(from..name as usize);
        let marks = self.language.test_marks;
        let head = head.filter(|_| !marks.is_empty());
        head.is_some_and(|head| {
            let head = String::from_utf8_lossy(head);
            marks.iter().any(|mark| head.contains(mark))
        })
    }
}

fn scope(parent: Option<&Symbol>, inner: Option<String>) -> Option<String> {
    let outer = parent.map(|parent| match &parent.scope {
        Some(scope) if scope.len() < MAX_SCOPE => format!("{scope}.{}", parent.name),
        Some(scope) => scope.clone(),
        None => parent.name.clone(),
    });
    match (outer, inner) {
        (Some(outer), Some(inner)) => Some(format!("{outer}.{inner}")),
        (outer, inner) => outer.or(inner),
    }
}

/// Adds each parameter to the definition whose head contains it. Parameters of closures belong to
/// none.
fn add_parameters(text: &str, parameters: &[Parameter], found: &mut [Definition]) {
    let ranges: Vec<Range> = found.iter().map(Definition::range).collect();
    let mut walk = Walk::new(&ranges);
    for parameter in parameters {
        // A parameter may declare a property at the same time.
        let around = walk.around(parameter.range.start).iter().rev();
        let holder = around.copied().find(|&index| takes_parameters(found[index].symbol.kind));
        let Some(index) = holder else {
            continue;
        };
        let definition = &mut found[index];
        let is_head = definition.body.is_none_or(|body| parameter.range.start < body);
        if is_head
            && parameter.range.start >= definition.name
            && takes_parameters(definition.symbol.kind)
        {
            let name = parameter.name.unwrap_or(parameter.range);
            let type_text = parameter.type_text.map(|range| as_type(slice(text, range)));
            let name = slice(text, name).trim_start_matches(['*', '&', ' ']).trim().to_string();
            definition.symbol.parameters.push((name, type_text));
        }
    }
}

fn is_type(kind: ChunkKind) -> bool {
    kind.is_type() || kind == ChunkKind::Extension
}

pub(super) fn is_variable(kind: ChunkKind) -> bool {
    use ChunkKind::{Constant, Property, Variable};
    matches!(kind, Variable | Constant | Property)
}

pub(super) fn is_function(kind: ChunkKind) -> bool {
    use ChunkKind::{Function, Initializer, Macro, Method, Subscript};
    matches!(kind, Function | Method | Initializer | Macro | Subscript)
}

fn takes_parameters(kind: ChunkKind) -> bool {
    !is_variable(kind) && kind != ChunkKind::TypeAlias
}

fn holds_variables(kind: ChunkKind) -> bool {
    is_type(kind) || matches!(kind, ChunkKind::Namespace | ChunkKind::Module)
}

fn as_member(kind: ChunkKind) -> ChunkKind {
    match kind {
        ChunkKind::Function => ChunkKind::Method,
        ChunkKind::Variable => ChunkKind::Property,
        kind => kind,
    }
}
