//! Turns captured definitions into symbols: their nesting, scope, kind, visibility, signature and
//! documentation. One sweep with a stack of open ranges takes linear time after the sort.
//!
//! The result is in the order of the text, containers before their content; indexes into it are
//! stable and other facts refer to them.

use super::captures::{CapturedDefinition, CapturedParameter, Captures};
use super::doc_comments;
use super::item_macros::ItemMacro;
use super::normalize_names::{
    collapse_whitespace, normalize_type, slice, split_path, strip_angle_brackets,
    strip_type_arguments,
};
use super::range_sweep::{ByteRange, RangeSweep};
use super::signature::extract_signature;
use crate::chunk::LineIndex;
use crate::languages::{ConstructorNaming, DeclarationHead, Language};
use kenning_model::{ChunkKind, Symbol};

/// A symbol with the details that only the rest of this crate needs.
pub struct ExtractedDefinition {
    pub symbol: Symbol,
    /// The documentation, without comment marks.
    pub doc: Option<String>,
    /// The byte at which the definition itself starts, after its comments and attributes.
    pub start: u32,
    /// The byte at which its name is written.
    pub name_start: u32,
    /// The byte at which its body starts; `None` if it has no body.
    pub body_start: Option<u32>,
    /// Index of the enclosing definition.
    pub parent: Option<usize>,
}

impl ExtractedDefinition {
    /// The bytes of the definition, with the comments and attributes that lead it.
    pub fn range(&self) -> ByteRange {
        ByteRange { start: self.symbol.span.start_byte, end: self.symbol.span.end_byte }
    }

    /// True if members are declared in it.
    pub fn is_type(&self) -> bool {
        is_type(self.symbol.kind)
    }

    /// True if it can have bases: a type, or a module that includes another.
    pub fn can_have_heritage(&self) -> bool {
        self.is_type() || self.symbol.kind == ChunkKind::Module
    }
}

/// The longest scope that grows further, in bytes. Beyond it, deep nesting would cost quadratic
/// space.
const MAX_SCOPE_BYTES: usize = 400;

/// The number of bytes before a name in which a test mark counts. It bounds the search in a long
/// head.
const MAX_MARK_DISTANCE: usize = 4096;

/// Returns the symbols of a file, in the order of the text, containers before what they contain.
pub fn assemble_definitions(
    language: &Language,
    lines: &LineIndex,
    captured: &Captures,
    is_test: bool,
) -> Vec<ExtractedDefinition> {
    let mut assembly = Assembly { language, lines, is_test, definitions: Vec::new() };
    let mut open: Vec<EnclosingRange> = Vec::new();
    for mut entry in collect_ranges(lines.text(), captured) {
        // Ranges that end before this one are closed; the rest of the stack encloses it.
        while let Some(outer) = open.pop_if(|outer| !outer.contains(&entry)) {
            assembly.end_span_before(outer, entry.range.start);
        }
        if entry.is_section {
            if let Some(outer) = open.last_mut() {
                outer.section = Some(entry.range);
            }
            continue;
        }
        if let Some((defined, doc)) = entry.defined.take()
            && !assembly.is_local(defined, open.last())
        {
            let parent = open.iter().rev().find_map(|outer| outer.index);
            let section = open.last().and_then(|outer| outer.section);
            entry.index = assembly.add_definition(
                defined,
                doc,
                entry.range,
                EnclosingContext { parent, section },
            );
        }
        open.push(entry);
    }
    add_parameters(lines.text(), &captured.parameters, &mut assembly.definitions);
    assembly.definitions
}

/// A range that may enclose others: a definition, a range with local variables, or a visibility
/// label.
struct EnclosingRange<'c> {
    range: ByteRange,
    /// The definition and its documentation; taken once the definition is added.
    defined: Option<(&'c CapturedDefinition, Option<String>)>,
    /// Index into the assembled definitions, once it is added.
    index: Option<usize>,
    /// True if it is only a visibility label, which encloses nothing.
    is_section: bool,
    /// The last visibility label in it so far.
    section: Option<ByteRange>,
}

/// The context that a definition is added in.
struct EnclosingContext {
    /// Index of the definition around it.
    parent: Option<usize>,
    /// The last visibility label before it in the enclosing range.
    section: Option<ByteRange>,
}

impl EnclosingRange<'_> {
    /// True if `inner` lies in this range. Of two definitions with the same range, neither is in
    /// the other.
    fn contains(&self, inner: &EnclosingRange) -> bool {
        let is_same = self.range == inner.range && inner.defined.is_some();
        let start =
            inner.defined.as_ref().map_or(inner.range.start, |(defined, _)| defined.range.start);
        self.range.end > start && !is_same
    }
}

/// All enclosing ranges of a file, sorted by start, then widest first. The range of a definition begins with its
/// lead.
fn collect_ranges<'c>(text: &str, captured: &'c Captures) -> Vec<EnclosingRange<'c>> {
    let definitions = captured.definitions.iter().map(|defined| {
        let (start, doc) = doc_comments::find_lead(text, &captured.leads, defined.range.start);
        let own = defined.doc.and_then(|doc| doc_comments::clean_doc_string(slice(text, doc)));
        let end = defined.range.end;
        EnclosingRange {
            defined: Some((defined, own.or(doc))),
            ..range_without_definition(ByteRange { start, end })
        }
    });
    let locals = captured.locals.iter().map(|&range| range_without_definition(range));
    let sections = captured
        .sections
        .iter()
        .map(|&range| EnclosingRange { is_section: true, ..range_without_definition(range) });
    let mut ranges: Vec<EnclosingRange> = definitions.chain(locals).chain(sections).collect();
    ranges.sort_by_key(|entry| (entry.range.start, std::cmp::Reverse(entry.range.end)));
    ranges
}

/// An entry that defines nothing.
fn range_without_definition<'c>(range: ByteRange) -> EnclosingRange<'c> {
    EnclosingRange { range, defined: None, index: None, is_section: false, section: None }
}

/// The state of one assembly.
struct Assembly<'a> {
    language: &'a Language,
    lines: &'a LineIndex<'a>,
    is_test: bool,
    definitions: Vec<ExtractedDefinition>,
}

impl Assembly<'_> {
    /// True for a variable of a function or of anything that runs. Such a variable is no symbol.
    fn is_local(&self, defined: &CapturedDefinition, outer: Option<&EnclosingRange>) -> bool {
        is_variable(defined.kind)
            && outer.is_some_and(|outer| {
                let holder = outer.index.map(|index| self.definitions[index].symbol.kind);
                !holder.is_some_and(can_hold_variables)
            })
    }

    /// Adds a definition and returns its index. `None` if it has no name.
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
        // A function that is written with a scope, or inside of a type, is a method.
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

    /// Turns a method into an initializer or a deinitializer, if its name says so.
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
    fn end_span_before(&mut self, outer: EnclosingRange, start: u32) {
        if let Some(index) = outer.index
            && outer.range.start < start
            && start < outer.range.end
        {
            let span = &mut self.definitions[index].symbol.span;
            *span = self.lines.span(span.start_byte, start);
        }
    }

    /// Returns the scope that is written with a name, and the name: `Foo` and `bar` of `Foo::bar`.
    /// A captured scope at the start of the name is no part of it.
    /// `None` if there is no name.
    fn split_name(&self, defined: &CapturedDefinition) -> Option<(Option<String>, String)> {
        let text = self.lines.text();
        let is_inside = |scope: &ByteRange| scope.start == defined.name.start;
        let name_text = match defined.scope.filter(is_inside) {
            Some(scope) => slice(text, ByteRange { start: scope.end, ..defined.name })
                .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_'),
            None => slice(text, defined.name),
        };
        let written = name_text.trim().trim_matches(['"', '\'', '`']);
        let whole = written.strip_prefix(self.language.name_mark).unwrap_or(written);
        let whole = match defined.kind {
            ChunkKind::Extension => strip_type_arguments(whole),
            _ => whole,
        };
        let (before, name) = match defined.kind {
            ChunkKind::Section | ChunkKind::Entry => (None, whole),
            // `[Symbol.iterator]` is one name.
            _ if whole.starts_with('[') => (None, whole),
            // `&[a::B]` is one name: a separator inside of brackets splits nothing.
            ChunkKind::Extension if whole.contains('[') => (None, whole),
            _ => split_path(whole, self.language.separators),
        };
        let captured = defined.scope.map(|range| strip_type_arguments(slice(text, range)));
        let scope = captured.or(before).map(|scope| {
            let path = scope.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
            self.strip_member_segments(strip_angle_brackets(path).replace("::", "."))
        });
        (!name.is_empty()).then(|| (scope, collapse_whitespace(name)))
    }

    /// Removes segments without a meaning of their own: `View.prototype` becomes `View`.
    fn strip_member_segments(&self, scope: String) -> String {
        let mut ways = self.language.member_segments.iter();
        let owner = ways.find_map(|way| scope.strip_suffix(way)?.strip_suffix('.'));
        owner.map(str::to_string).unwrap_or(scope)
    }

    /// True if one of the language's test marks stands before the name.
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

/// Joins the scope of the parent, its name, and a scope written with the name itself.
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

/// Marks the definitions that are directly in the arguments of a macro: their signature begins with
/// its name. The signature of an extension stays, because its first word tells what it is.
pub fn mark_macro_items(text: &str, macros: &[ItemMacro], found: &mut [ExtractedDefinition]) {
    if macros.is_empty() {
        return;
    }
    let ranges: Vec<ByteRange> = macros.iter().map(|call| call.arguments).collect();
    let mut sweep = RangeSweep::new(&ranges);
    for index in 0..found.len() {
        let start = found[index].start;
        let Some(&around) = sweep.ranges_around(start).last() else {
            continue;
        };
        let holder = found[index].parent.map(|parent| found[parent].start);
        let is_inner = holder.is_some_and(|holder| ranges[around].start <= holder);
        let symbol = &mut found[index].symbol;
        if is_inner || symbol.kind == ChunkKind::Extension {
            continue;
        }
        if let Some(signature) = &mut symbol.signature {
            signature.insert_str(0, &format!("in {}!: ", slice(text, macros[around].name)));
        }
    }
}

/// Adds each parameter to the definition whose head contains it. Parameters of closures belong to
/// none.
fn add_parameters(text: &str, parameters: &[CapturedParameter], found: &mut [ExtractedDefinition]) {
    let ranges: Vec<ByteRange> = found.iter().map(ExtractedDefinition::range).collect();
    let mut sweep = RangeSweep::new(&ranges);
    for parameter in parameters {
        // A parameter may declare a property at the same time.
        let around = sweep.ranges_around(parameter.range.start).iter().rev();
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

/// True if members are declared in a definition of this kind.
fn is_type(kind: ChunkKind) -> bool {
    kind.is_type() || kind == ChunkKind::Extension
}

/// True if the kind is a variable, constant or property.
pub(super) fn is_variable(kind: ChunkKind) -> bool {
    use ChunkKind::{Constant, Property, Variable};
    matches!(kind, Variable | Constant | Property)
}

/// True if the kind can be called.
pub(super) fn is_function(kind: ChunkKind) -> bool {
    use ChunkKind::{Function, Initializer, Macro, Method, Subscript};
    matches!(kind, Function | Method | Initializer | Macro | Subscript)
}

/// True if a definition of this kind can have parameters. Types can: primary constructors are
/// written in their heads.
fn can_have_parameters(kind: ChunkKind) -> bool {
    !is_variable(kind) && kind != ChunkKind::TypeAlias
}

/// True if variables inside of a definition of this kind are symbols.
fn can_hold_variables(kind: ChunkKind) -> bool {
    is_type(kind) || matches!(kind, ChunkKind::Namespace | ChunkKind::Module)
}

/// The kind that a definition has as a member of a type.
fn member_kind(kind: ChunkKind) -> ChunkKind {
    match kind {
        ChunkKind::Function => ChunkKind::Method,
        ChunkKind::Variable => ChunkKind::Property,
        kind => kind,
    }
}
