//! From captured definitions to symbols: which is inside which, what leads each, who may see it.

use super::captures::{CapturedDefinition, CapturedParameter, Captures};
use super::doc_comments;
use super::identifiers::{
    collapse_whitespace, normalize_type, slice, split_path, strip_angle_brackets,
    strip_type_arguments,
};
use super::innermost::{ByteRange, RangeSweep};
use super::signature::extract_signature;
use crate::chunk::LineIndex;
use crate::languages::{ConstructorNaming, DeclarationHead, Language};
use kenning_model::{ChunkKind, Symbol};

/// A symbol with what only the rest of `extract` needs to know of it.
pub struct ExtractedDefinition {
    pub symbol: Symbol,
    pub doc: Option<String>,
    /// Where the definition itself starts, after what leads it.
    pub start: u32,
    /// Where its name is written.
    pub name_start: u32,
    pub body_start: Option<u32>,
    /// Index of the enclosing definition.
    pub parent: Option<usize>,
}

impl ExtractedDefinition {
    pub fn range(&self) -> ByteRange {
        ByteRange { start: self.symbol.span.start_byte, end: self.symbol.span.end_byte }
    }

    /// True if members are declared in it.
    pub fn is_type(&self) -> bool {
        is_type(self.symbol.kind)
    }

    /// True if it can be a kind of something: a type, or a module that uses another.
    pub fn can_have_heritage(&self) -> bool {
        self.is_type() || self.symbol.kind == ChunkKind::Module
    }
}

/// A scope this long is nonsense, and growing it further would cost quadratic space.
const MAX_SCOPE_BYTES: usize = 400;

/// Marks of tests stand near the name.
const MAX_MARK_DISTANCE: usize = 4096;

/// The symbols of a file, in the order of the text, containers before what they contain.
pub fn assemble_definitions(
    language: &Language,
    lines: &LineIndex,
    captured: &Captures,
    is_test: bool,
) -> Vec<ExtractedDefinition> {
    let mut assembly = Assembly { language, lines, is_test, definitions: Vec::new() };
    let mut open: Vec<Frame> = Vec::new();
    for mut frame in collect_frames(lines.text(), captured) {
        while let Some(outer) = open.pop_if(|outer| !outer.contains(&frame)) {
            assembly.end_span_before(outer, frame.range.start);
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
            frame.index = assembly.add_definition(
                defined,
                doc,
                frame.range,
                EnclosingContext { parent, section },
            );
        }
        open.push(frame);
    }
    add_parameters(lines.text(), &captured.parameters, &mut assembly.definitions);
    assembly.definitions
}

/// A range that may hold others: a definition, or something whose variables are local.
struct Frame<'c> {
    range: ByteRange,
    defined: Option<(&'c CapturedDefinition, Option<String>)>,
    /// Into the definitions found.
    index: Option<usize>,
    /// True if it only says who may see what follows it.
    is_section: bool,
    /// The last visibility label in it so far.
    section: Option<ByteRange>,
}

/// The context of a definition.
struct EnclosingContext {
    /// Index of the definition around it.
    parent: Option<usize>,
    /// The last visibility label before it in the enclosing range.
    section: Option<ByteRange>,
}

impl Frame<'_> {
    fn contains(&self, inner: &Frame) -> bool {
        let is_same = self.range == inner.range && inner.defined.is_some();
        let start =
            inner.defined.as_ref().map_or(inner.range.start, |(defined, _)| defined.range.start);
        self.range.end > start && !is_same
    }
}

fn collect_frames<'c>(text: &str, captured: &'c Captures) -> Vec<Frame<'c>> {
    let definitions = captured.definitions.iter().map(|defined| {
        let (start, doc) = doc_comments::find_lead(text, &captured.leads, defined.range.start);
        let own = defined.doc.and_then(|doc| doc_comments::clean_doc_string(slice(text, doc)));
        let end = defined.range.end;
        Frame { defined: Some((defined, own.or(doc))), ..empty_frame(ByteRange { start, end }) }
    });
    let locals = captured.locals.iter().map(|&range| empty_frame(range));
    let sections =
        captured.sections.iter().map(|&range| Frame { is_section: true, ..empty_frame(range) });
    let mut frames: Vec<Frame> = definitions.chain(locals).chain(sections).collect();
    frames.sort_by_key(|frame| (frame.range.start, std::cmp::Reverse(frame.range.end)));
    frames
}

fn empty_frame<'c>(range: ByteRange) -> Frame<'c> {
    Frame { range, defined: None, index: None, is_section: false, section: None }
}

struct Assembly<'a> {
    language: &'a Language,
    lines: &'a LineIndex<'a>,
    is_test: bool,
    definitions: Vec<ExtractedDefinition>,
}

impl Assembly<'_> {
    /// Variables of a function, or of anything that runs, are no symbols of the file.
    fn is_local(&self, defined: &CapturedDefinition, outer: Option<&Frame>) -> bool {
        is_variable(defined.kind)
            && outer.is_some_and(|outer| {
                let holder = outer.index.map(|index| self.definitions[index].symbol.kind);
                !holder.is_some_and(can_hold_variables)
            })
    }

    fn add_definition(
        &mut self,
        defined: &CapturedDefinition,
        doc: Option<String>,
        range: ByteRange,
        EnclosingContext { parent, section }: EnclosingContext,
    ) -> Option<usize> {
        let text = self.lines.text();
        let (inner_scope, name) = self.split_name(defined)?;
        let parent_symbol = parent.map(|index| &self.definitions[index].symbol);
        let kind = match parent_symbol {
            _ if inner_scope.is_some() => member_kind(defined.kind),
            Some(outer) if is_type(outer.kind) => member_kind(defined.kind),
            _ => defined.kind,
        };
        let of_type = inner_scope.as_deref().or(parent_symbol.map(|outer| outer.name.as_str()));
        let kind = self.constructor_kind(kind, &name, of_type);
        let start = defined.range.start;
        // The target of an assignment decides the visibility of the assigned definition:
        // `exports.open = …`. The head therefore includes that target.
        let end = match inner_scope {
            Some(_) => defined.name.end.saturating_sub(name.len() as u32),
            None => defined.name.start,
        };
        let visibility = (self.language.visibility)(&DeclarationHead {
            head: slice(text, ByteRange { start, end }),
            name: &name,
            parent: parent_symbol.map(|outer| (outer.kind, outer.visibility)),
            section: section.map(|range| slice(text, range)),
        });
        let is_test = self.is_test
            || parent_symbol.is_some_and(|outer| outer.is_test)
            || self.has_test_mark(range.start, defined.name.start);
        let body = defined.body.map(|body| body.start);
        let symbol = Symbol {
            scope: join_scopes(parent_symbol, inner_scope),
            kind,
            visibility,
            signature: extract_signature(
                slice(text, defined.range),
                body.map(|body| (body.saturating_sub(start)) as usize),
            ),
            span: self.lines.span(range.start, range.end),
            line: self.lines.line_of(defined.name.start),
            parameters: Vec::new(),
            type_text: defined.type_text.map(|range| normalize_type(slice(text, range))),
            is_test,
            name,
        };
        self.definitions.push(ExtractedDefinition {
            symbol,
            doc,
            start,
            name_start: defined.name.start,
            body_start: body,
            parent,
        });
        Some(self.definitions.len() - 1)
    }

    /// A method may construct or destroy, by its name.
    fn constructor_kind(&self, kind: ChunkKind, name: &str, of_type: Option<&str>) -> ChunkKind {
        let is_after_type = self.language.constructors == ConstructorNaming::LikeType;
        match kind {
            ChunkKind::Method if is_after_type && of_type == Some(name) => ChunkKind::Initializer,
            ChunkKind::Method if name.starts_with('~') => ChunkKind::Deinitializer,
            kind => kind,
        }
    }

    /// Ends a definition at `start` if it extends beyond. Some grammars attach a comment to the
    /// definition before it, though it leads the next one.
    fn end_span_before(&mut self, outer: Frame, start: u32) {
        if let Some(index) = outer.index
            && outer.range.start < start
            && start < outer.range.end
        {
            let span = &mut self.definitions[index].symbol.span;
            *span = self.lines.span(span.start_byte, start);
        }
    }

    /// The name, and the scope that is written with it.
    fn split_name(&self, defined: &CapturedDefinition) -> Option<(Option<String>, String)> {
        let text = self.lines.text();
        let whole = slice(text, defined.name).trim().trim_matches(['"', '\'', '`']);
        let whole = match defined.kind {
            ChunkKind::Extension => strip_type_arguments(whole),
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
        let written = defined.scope.map(|range| strip_type_arguments(slice(text, range)));
        let scope = written.or(before).map(|scope| {
            let path = scope.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            self.strip_member_segments(strip_angle_brackets(path).replace("::", "."))
        });
        (!name.is_empty()).then(|| (scope, collapse_whitespace(name)))
    }

    /// `View` of `View.prototype`.
    fn strip_member_segments(&self, scope: String) -> String {
        let mut ways = self.language.member_segments.iter();
        let owner = ways.find_map(|way| scope.strip_suffix(way)?.strip_suffix('.'));
        owner.map(str::to_string).unwrap_or(scope)
    }

    fn has_test_mark(&self, start: u32, name: u32) -> bool {
        let from = (start as usize).max((name as usize).saturating_sub(MAX_MARK_DISTANCE));
        let marks = self.language.test_marks;
        if marks.is_empty() {
            return false;
        }
        let head = self.lines.text().as_bytes().get(from..name as usize);
        head.map(String::from_utf8_lossy)
            .is_some_and(|head| marks.iter().any(|mark| head.contains(mark)))
    }
}

fn join_scopes(parent: Option<&Symbol>, inner: Option<String>) -> Option<String> {
    let outer = parent.map(|parent| match &parent.scope {
        Some(scope) if scope.len() < MAX_SCOPE_BYTES => format!("{scope}.{}", parent.name),
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
fn add_parameters(text: &str, parameters: &[CapturedParameter], found: &mut [ExtractedDefinition]) {
    let ranges: Vec<ByteRange> = found.iter().map(ExtractedDefinition::range).collect();
    let mut walk = RangeSweep::new(&ranges);
    for parameter in parameters {
        // A parameter may declare a property at the same time.
        let around = walk.ranges_around(parameter.range.start).iter().rev();
        let holder = around.copied().find(|&index| can_have_parameters(found[index].symbol.kind));
        let Some(index) = holder else {
            continue;
        };
        let definition = &mut found[index];
        let is_head = definition.body_start.is_none_or(|body| parameter.range.start < body);
        if is_head
            && parameter.range.start >= definition.name_start
            && can_have_parameters(definition.symbol.kind)
        {
            let name = parameter.name.unwrap_or(parameter.range);
            let type_text = parameter.type_text.map(|range| normalize_type(slice(text, range)));
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

fn can_have_parameters(kind: ChunkKind) -> bool {
    !is_variable(kind) && kind != ChunkKind::TypeAlias
}

fn can_hold_variables(kind: ChunkKind) -> bool {
    is_type(kind) || matches!(kind, ChunkKind::Namespace | ChunkKind::Module)
}

fn member_kind(kind: ChunkKind) -> ChunkKind {
    match kind {
        ChunkKind::Function => ChunkKind::Method,
        ChunkKind::Variable => ChunkKind::Property,
        kind => kind,
    }
}
