//! Definitions of the names in a query: the chunks that show each one, and how likely it is the
//! intended one.
//!
//! A name may have many definitions: overloads, forward declarations, members of other types. This
//! module scores each one, and leaves the final order to the signals. It reads the symbol index,
//! not the text.

use std::collections::HashMap;

use crate::search::CodeSearch;
use kenning_model::{ChunkKind, DefinitionRank, Symbol};
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_store::code::Definition;
use kenning_text::tokenizer;

/// A definition of a name in the query.
pub struct DefinitionMatch {
    pub symbol: Symbol,
    /// The likelihood that the query means this definition, from 0 to 1.
    pub likelihood: f32,
}

/// The most definitions that are read for one name.
pub const MAX_DEFINITIONS: usize = 30;

/// Finds the definitions of the query's names. The map holds the likeliest definition of each
/// chunk.
///
/// A query of several names contributes each of them. A chunk with definitions of two names keeps
/// the likelier one.
pub fn find_definitions(
    view: &dyn View,
    search: &CodeSearch,
) -> Result<HashMap<u32, DefinitionMatch>, StoreError> {
    let mut found = MatchesByChunk::default();
    let query = search.query;
    for name in &query.names {
        let joined = query.members.iter().find(|(_, member)| member == name);
        let owner = joined.map_or(&query.owner, |(owner, _)| owner);
        let definitions = find_visible_definitions(view, search, name)?;
        // `$name` and `name!` mean a plain `name` only if nothing has the name with its sign.
        let has_sign = tokenizer::last_name(name) != name;
        let is_exact = has_sign && !definitions.is_empty();
        found.add(definitions, name, owner);
        if is_exact {
            break;
        }
    }
    // A member that is a plain word without its owner counts only inside that owner.
    let plain = query.members.iter();
    for (owner, name) in plain.filter(|(_, name)| !query.names.contains(name)) {
        let mut definitions = find_visible_definitions(view, search, name)?;
        definitions.retain(|one| has_owner(&one.symbol.fact, owner));
        found.add(definitions, name, owner);
    }
    Ok(found.0)
}

/// Returns the definitions of a name that pass the filter.
///
/// The filter restricts files in the store. The kind of a symbol is checked here, because one chunk
/// may contain several kinds.
fn find_visible_definitions(
    view: &dyn View,
    search: &CodeSearch,
    name: &str,
) -> Result<Vec<Definition>, StoreError> {
    let mut definitions = view.definitions(name, search.filter, MAX_DEFINITIONS)?;
    definitions.retain(|one| search.filter.accepts_symbol_kind(one.symbol.fact.kind));
    Ok(definitions)
}

/// The likeliest definition by chunk id.
#[derive(Default)]
struct MatchesByChunk(HashMap<u32, DefinitionMatch>);

impl MatchesByChunk {
    /// Adds the definitions of one name. `owner` is the qualifier in lower case, or empty.
    ///
    /// Likelihoods are relative within one name: its best definition sets the scale. Definitions
    /// without a chunk cannot be shown and are dropped.
    fn add(&mut self, mut definitions: Vec<Definition>, name: &str, owner: &str) {
        definitions.retain(|definition| !definition.chunks.is_empty());
        // The text before a name may be a variable, which has no definition. In that case it does
        // not restrict the owner.
        let is_known = definitions.iter().any(|one| has_owner(&one.symbol.fact, owner));
        let owner = if is_known { owner } else { "" };
        let symbols = || definitions.iter().map(|one| &one.symbol.fact);
        let best = BestRank::find(symbols(), name, owner);
        let announced: Vec<bool> =
            symbols().map(|symbol| is_forward_declaration(symbol, symbols())).collect();
        for (definition, is_announced) in definitions.into_iter().zip(announced) {
            let symbol = definition.symbol.fact;
            let mut likeness =
                estimate_likelihood(&symbol, name, owner) * best.relative_factor(&symbol, name);
            if is_announced {
                likeness *= RANK_STEP;
            }
            for chunk in definition.chunks {
                let known = self.0.get(&chunk);
                if known.is_none_or(|known| known.likelihood < likeness) {
                    let symbol = symbol.clone();
                    self.0.insert(chunk, DefinitionMatch { symbol, likelihood: likeness });
                }
            }
        }
    }
}

/// The best rank among the definitions of a name. Other definitions are scored relative to it.
struct BestRank(Option<DefinitionRank>);

/// The factor for each rank by which a definition is below the best one of its name.
///
/// A definition two ranks below the best keeps 56 %.
const RANK_STEP: f32 = 0.75;

/// The factor for a definition with other capitals, if another one has the exact spelling.
const OTHER_SPELLING: f32 = 0.5;

impl BestRank {
    /// Finds the best rank among the symbols with the exact spelling and the requested owner.
    fn find<'s>(symbols: impl Iterator<Item = &'s Symbol>, name: &str, owner: &str) -> BestRank {
        let meant = symbols.filter(|symbol| symbol.name == name && has_owner(symbol, owner));
        BestRank(meant.map(definition_rank).min())
    }

    /// Returns the factor for a definition, relative to the best one.
    ///
    /// `None` means that nothing has the exact spelling. Then all definitions count alike.
    fn relative_factor(&self, symbol: &Symbol, name: &str) -> f32 {
        match self.0 {
            Some(_) if symbol.name != name => OTHER_SPELLING,
            Some(best) => RANK_STEP.powi((definition_rank(symbol) as i32 - best as i32).max(0)),
            None => 1.0,
        }
    }
}

/// True if a function is only declared here and has its body elsewhere, as in a header of C.
///
/// `all` holds the definitions of one name. Only functions and methods are split this way.
fn is_forward_declaration<'s>(symbol: &Symbol, mut all: impl Iterator<Item = &'s Symbol>) -> bool {
    let is_same = |other: &Symbol| {
        (&other.name, &other.scope, other.kind) == (&symbol.name, &symbol.scope, symbol.kind)
    };
    let is_callable = matches!(symbol.kind, ChunkKind::Function | ChunkKind::Method);
    is_callable && !has_body(symbol) && all.any(|other| is_same(other) && has_body(other))
}

/// Guesses from the line count: a body needs more lines after the name than there are parameters.
///
/// Extraction does not store whether there is a body. A long parameter list may be spread over as
/// many lines, so those lines do not count.
fn has_body(symbol: &Symbol) -> bool {
    let lines = symbol.span.end_line.saturating_sub(symbol.line);
    lines as usize > symbol.parameters.len()
}

/// True if the symbol's scope matches the owner that the query names. An empty owner matches
/// everything.
fn has_owner(symbol: &Symbol, owner: &str) -> bool {
    let scope = symbol.scope.as_deref().unwrap_or_default();
    is_scope_of_owner(&scope.to_lowercase(), owner)
}

/// Returns the rank of a definition: top level before nested before member.
fn definition_rank(symbol: &Symbol) -> DefinitionRank {
    DefinitionRank::new(symbol.kind, &symbol.name, symbol.scope.as_deref())
}

/// Returns how likely a query for `name` means this symbol, from 0 to 1. It is the product of
/// spelling, kind and owner.
///
/// The constants keep the order type, function, member.
fn estimate_likelihood(symbol: &Symbol, name: &str, owner: &str) -> f32 {
    let spelled = if symbol.name == name { 1.0 } else { 0.7 };
    let scope = symbol.scope.as_deref().unwrap_or_default().to_lowercase();
    let is_constructor = tokenizer::last_name(&scope) == symbol.name.to_lowercase();
    let kind = match symbol.kind {
        // Members, extensions and constructors are rarely the definition that a query means.
        ChunkKind::Property | ChunkKind::Variable | ChunkKind::Constant => 0.35,
        ChunkKind::Extension => 0.35,
        // The contents of a module that is only declared are in another file.
        ChunkKind::Module if !has_body(symbol) => 0.05,
        // A module is a type in some languages and only a file's name in others.
        ChunkKind::Module => 0.9,
        _ if is_constructor => 0.35,
        kind if kind.names_type() => 1.0,
        _ => 0.95,
    };
    let owned = if is_scope_of_owner(&scope, owner) { 1.0 } else { 0.6 };
    spelled * kind * owned
}

/// True if the scope ends with all segments of the owner, or the owner with all of the scope's.
/// Both are in lower case.
///
/// An owner may name a package or a module before the type, which scopes do not contain.
fn is_scope_of_owner(scope: &str, owner: &str) -> bool {
    let ends_with = |longer: &str, shorter: &str| {
        let rest = longer.strip_suffix(shorter);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    owner.is_empty() || ends_with(scope, owner) || !scope.is_empty() && ends_with(owner, scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::{Span, Visibility};

    fn symbol(qualified: &str, kind: ChunkKind) -> Symbol {
        let (scope, name) = match qualified.rsplit_once('.') {
            Some((scope, name)) => (Some(scope.to_string()), name),
            None => (None, qualified),
        };
        Symbol {
            name: name.to_string(),
            kind,
            visibility: Visibility::Public,
            signature: None,
            scope,
            span: Span::default(),
            line: 1,
            parameters: Vec::new(),
            type_text: None,
            is_test: false,
        }
    }

    /// Asked for `question`, the first is likelier meant than the second, if both are there.
    fn check(query: &str, first: (&str, ChunkKind), second: (&str, ChunkKind)) {
        let both = [first, second].map(|(qualified, kind)| symbol(qualified, kind));
        let (name, owner) = (tokenizer::last_name(query), tokenizer::owner(query));
        let best = BestRank::find(both.iter(), name, &owner);
        let say =
            |symbol| estimate_likelihood(symbol, name, &owner) * best.relative_factor(symbol, name);
        assert!(say(&both[0]) > 1.1 * say(&both[1]), "{query}: {first:?} {second:?}");
    }

    #[test]
    fn what_is_only_announced_has_its_body_elsewhere() {
        let lines = |qualified: &str, end_line: u32| {
            let mut symbol = symbol(qualified, ChunkKind::Function);
            (symbol.span.start_line, symbol.span.end_line) = (1, end_line);
            symbol
        };
        let (short, long) = (lines("boil", 1), lines("boil", 9));
        let elsewhere = lines("Kettle.boil", 9);
        let check = |symbol: &Symbol, other: &Symbol, expected: bool| {
            let all = [symbol, other];
            assert_eq!(is_forward_declaration(symbol, all.into_iter()), expected);
        };
        check(&short, &long, true);
        check(&long, &short, false);
        check(&short, &short, false);
        check(&short, &elsewhere, false);
    }

    #[test]
    fn what_is_meant_by_a_name() {
        use ChunkKind::{Class, Extension, Function, Initializer, Method, Property, Struct};
        use ChunkKind::{Trait, TypeAlias};
        check("Buffer", ("Buffer", Struct), ("Buffer", Extension));
        check("Buffer", ("Buffer", Struct), ("buffer", Struct));
        check("Buffer", ("Buffer", Class), ("Buffer.Buffer", Initializer));
        check("Buffer", ("Buffer", Class), ("Pool.buffer", Method));
        check("Buffer", ("Buffer", Trait), ("Pool.Buffer", TypeAlias));
        check("Buffer", ("Buffer", Struct), ("Pool.Buffer", Struct));
        check("buffer", ("buffer", Function), ("Pool.buffer", Method));
        check("buffer", ("Pool.buffer", Method), ("Pool.buffer", Property));
        check("buffer", ("Pool.buffer", Method), ("Buffer", Struct));
        check("Context.JSON", ("Context.JSON", Method), ("JSON", Struct));
        check("context.JSON", ("gin.Context.JSON", Method), ("MyContext.JSON", Method));
        // A package before the type is no part of a scope.
        check("gin::Context::JSON()", ("Context.JSON", Method), ("Writer.JSON", Method));
    }
}
