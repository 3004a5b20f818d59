//! `implementations`: the types that implement, extend or conform to a type, and the members that
//! fulfil a requirement.
//!
//! Types of other libraries have no definition here. They are found by the heritage clauses that
//! name them, or by their methods if their language knows its standard library.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{
    Reliability, SymbolRef, default_limit, find_types, join_notes, place_and_name, query_graph,
};
use crate::engine::CodeIndex;
use crate::graph::{Definition, ExternalSubtype, Graph, Implementation, qualified_name};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_lang::languages::{self, AnonymousImplementations, LANGS};
use kenning_model::{ChunkKind, ReferenceKind};

/// Replies with an [`ImplementationsReply`]. A type of a library that nothing here names is an
/// error.
pub static OP: OpEntry = OpEntry {
    name: "implementations",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What implements, extends or conforms to a protocol, interface, trait or class: all types, \
              each labelled direct, inherited, extension, derived or conditional, with where it says \
              so. For a requirement (Type.member), the members that fulfil it. Types of other \
              libraries are known by the clauses that name them (`Comparable`, `http.Handler`), and \
              some interfaces of Go's library by their methods.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ImplementationsArgs>),
    reply: ReplyType::of::<ImplementationsReply>(),
    examples: &["ken implementations Authenticatable", "ken implementations Store.load"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ImplementationsArgs {
    /// A type, or a requirement as Type.member, or path:line of either
    symbol: String,
    /// How many to list; the rest is counted
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 5000))]
    limit: usize,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The reply of `implementations`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImplementationsReply {
    /// A remark about the name, or about implementations that cannot be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The definitions that the name means; empty for a type of another library.
    pub definitions: Vec<SymbolRef>,
    /// All implementations, listed or not.
    pub count: usize,
    /// The implementations, in the order of the graph.
    pub implementations: Vec<ImplementationRow>,
    /// The number of the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Freshness of the listed files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// One type or member.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImplementationRow {
    /// Name, kind and place.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// `direct`, `inherited`, `extension`, `derived`, `conditional` or `member`.
    pub how: Cow<'static, str>,
    /// The place of the heritage clause, if it is not at the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_at: Option<String>,
    /// The constraint under which it holds, such as `where T: Clone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The type that it is inherited from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The definition that it implements, if the name has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// Finds the types of the name and their implementations. An unknown name is tried as a type of
/// another library before it is an error.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: ImplementationsArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let (definitions, rows, note) =
        query_graph(&index, |graph| find_rows(graph, &index, &arguments.symbol))?;
    let count = rows.len();
    let shown: Vec<ImplementationRow> = rows.into_iter().take(arguments.limit).collect();
    let more = count - shown.len();
    let paths: Vec<_> =
        shown.iter().filter_map(|row| kenning_model::RepoPath::new(&row.symbol.path)).collect();
    Ok(Reply::object(ImplementationsReply {
        definitions: definitions.iter().map(SymbolRef::from_definition).collect(),
        count,
        left_out: match more {
            0 => Vec::new(),
            more => vec![format!("{more} more; raise `limit`")],
        },
        trust: Reliability::check(&index, &paths)?,
        implementations: shown,
        note,
    }))
}

/// The definitions of a name, their implementations, and a note.
type FoundImplementations = (Vec<Definition>, Vec<ImplementationRow>, Option<String>);

/// Finds the types of a name and their implementations. A name that nothing here defines in these
/// capitals may be a type of another library.
fn find_rows(
    graph: &Graph,
    index: &CodeIndex,
    name: &str,
) -> Result<FoundImplementations, OpError> {
    let found = find_types(graph, index, name);
    let is_exact = match &found {
        Ok(found) => graph.name_in_other_case(name, &found.definitions).is_none(),
        Err(error) if error.kind == ErrorKind::NotFound => false,
        Err(_) => true,
    };
    let foreign = if is_exact { Vec::new() } else { graph.find_external_subtypes(name)? };
    if !foreign.is_empty() {
        let rows = foreign.into_iter().map(library_type_row).collect();
        let note = format!(
            "nothing here defines {name}: these name it as their base, or have its methods"
        );
        return Ok((Vec::new(), rows, Some(note)));
    }
    let found = found.map_err(|error| {
        let is_unknown = error.kind == ErrorKind::NotFound;
        if is_unknown { unknown_library_type(error, name) } else { error }
    })?;
    let definitions = found.definitions;
    let rows = implementation_rows(graph, &definitions)?;
    let library = if rows.is_empty() { library_note(name) } else { None };
    let note = match (library, found.note) {
        (None, None) => anonymous_note(graph, &definitions)?,
        (library, note) => join_notes([note, library]),
    };
    Ok((definitions, rows, note))
}

/// Notes that anonymous classes or lambdas implement an interface too, if some are not listed.
fn anonymous_note(graph: &Graph, definitions: &[Definition]) -> Result<Option<String>, OpError> {
    let [one] = definitions else {
        return Ok(None);
    };
    let language = languages::by_path(&one.path);
    let anonymous = language.map(|language| language.heritage.anonymous_implementations);
    if one.symbol.kind != ChunkKind::Interface {
        return Ok(None);
    }
    let made = match anonymous {
        None | Some(AnonymousImplementations::Rare) => return Ok(None),
        // The rows above list them, under their placeholder names.
        Some(AnonymousImplementations::Symbols) => 0,
        Some(AnonymousImplementations::Calls) => {
            let links = graph.references(one)?.into_iter();
            links.filter(|link| link.site.kind == ReferenceKind::Call).count()
        }
    };
    let members = graph.all_members(one)?.into_iter();
    // A lambda can implement only an interface with a single method.
    let methods = members.filter(|member| member.symbol.kind == ChunkKind::Method);
    let has_lambdas = methods.count() == 1;
    let places = count_noun(made, "place");
    Ok(match (made, has_lambdas) {
        (0, false) => None,
        (0, true) => Some("lambdas that stand for it are not listed".to_string()),
        (_, false) => Some(format!("anonymous classes are not listed: {places} make one")),
        (_, true) => Some(format!(
            "anonymous classes ({places}) and lambdas that stand for it are not listed"
        )),
    })
}

/// Suggests the interface of a standard library that has this name, for a type without
/// implementations here.
fn library_note(name: &str) -> Option<String> {
    let mut libraries = LANGS.iter().filter_map(|language| language.library_interfaces);
    let (library, other) =
        libraries.find_map(|one| Some((one.library, (one.qualify)(name.trim())?)))?;
    Some(format!(
        "nothing here is a kind of this one; the interface of {library} is asked for as {other}"
    ))
}

/// Extends the error for a qualified name that no heritage clause contains: it may be a type of a
/// library.
fn unknown_library_type(error: OpError, name: &str) -> OpError {
    let is_qualified = name.contains(['.', ':', '\\']) && !name.contains('/');
    if !is_qualified || error.message.contains("has no member") {
        return error;
    }
    OpError {
        message: format!(
            "{}, and no clause names it as a base; types that fulfil an interface of another \
             library without naming it are not known",
            error.message
        ),
        ..error
    }
    .hint("search_symbols finds types by the name of a method that it asks for")
}

/// Lists the implementations of each definition: of types by their clauses, of requirements by
/// members.
pub fn implementation_rows(
    graph: &Graph,
    definitions: &[Definition],
) -> Result<Vec<ImplementationRow>, OpError> {
    let mut rows = Vec::new();
    for definition in definitions {
        let of = (definitions.len() > 1).then(|| place_and_name(definition));
        for found in graph.implementations(definition)? {
            rows.push(ImplementationRow { of: of.clone(), ..implementation_row(&found) });
        }
        for member in graph.implementations_of_member(definition)? {
            rows.push(ImplementationRow {
                symbol: SymbolRef::from_definition(&member),
                how: "member".into(),
                declared_at: None,
                condition: None,
                through: None,
                of: of.clone(),
            });
        }
    }
    Ok(rows)
}

/// Converts an implementation. The place of the clause is shown only if it is not in the head of
/// the definition.
fn implementation_row(found: &Implementation) -> ImplementationRow {
    let definition = &found.definition;
    let span = &definition.symbol.span;
    // A clause on the line of the name, or on the next one, is part of the head.
    let is_own = found.path == definition.path
        && (span.start_line..=span.end_line).contains(&found.line)
        && found.line <= definition.symbol.line + 1;
    ImplementationRow {
        symbol: SymbolRef::from_definition(definition),
        how: found.kind.as_str().into(),
        declared_at: (!is_own).then(|| format!("{}:{}", found.path, found.line)),
        condition: found.condition.clone(),
        through: found.via.as_ref().map(|base| qualified_name(&base.symbol)),
        of: None,
    }
}

/// Converts a clause that names a type of another library. The subject may have no definition here,
/// as in `impl Trait for Vec<T>`.
pub fn library_type_row(found: ExternalSubtype) -> ImplementationRow {
    let at = format!("{}:{}", found.path, found.line);
    let symbol = match &found.definition {
        Some(definition) => SymbolRef::from_definition(definition),
        None => SymbolRef {
            symbol: found.subject,
            kind: "type".into(),
            path: found.path.to_string(),
            line: found.line,
            test: false,
        },
    };
    let is_own = format!("{}:{}", symbol.path, symbol.line) == at;
    ImplementationRow {
        symbol,
        how: found.kind.as_str().into(),
        declared_at: (!is_own).then_some(at),
        condition: found.condition,
        through: None,
        of: None,
    }
}
