//! The definitions of the names in a question: which chunk shows each, and how likely it is the one
//! that is meant.

use std::collections::HashMap;

use super::Search;
use crate::embed::words;
use crate::model::{ChunkKind, Symbol};
use crate::store::StoreError;
use crate::store::backends::View;

/// Something of a name that was asked for.
pub struct Defined {
    pub symbol: Symbol,
    /// How likely it is meant, from 0 to 1.
    pub likeness: f32,
}

/// Definitions of one name beyond this many are not told apart by being definitions.
const MAX_DEFINITIONS: usize = 30;

/// By chunk, the likeliest definition in it.
pub fn gather(view: &dyn View, search: &Search) -> Result<HashMap<u32, Defined>, StoreError> {
    let mut found: HashMap<u32, Defined> = HashMap::new();
    let question = search.question;
    for name in &question.names {
        for definition in view.definitions(name, search.filter, MAX_DEFINITIONS)? {
            let symbol = definition.symbol.fact;
            let likeness = likeness(&symbol, name, &question.owner);
            for chunk in definition.chunks {
                let known = found.get(&chunk);
                if known.is_none_or(|known| known.likeness < likeness) {
                    let symbol = symbol.clone();
                    found.insert(chunk, Defined { symbol, likeness });
                }
            }
        }
    }
    Ok(found)
}

fn likeness(symbol: &Symbol, name: &str, owner: &str) -> f32 {
    let spelled = if symbol.name == name { 1.0 } else { 0.7 };
    let scope = symbol.scope.as_deref().unwrap_or_default().to_lowercase();
    let is_constructor = words::last_name(&scope) == symbol.name.to_lowercase();
    let kind = match symbol.kind {
        // A part of something, what is said about a type elsewhere, or how one is made.
        ChunkKind::Property | ChunkKind::Variable | ChunkKind::Constant => 0.5,
        ChunkKind::Extension => 0.5,
        // In some languages what a type is in others, in some only a file's name.
        ChunkKind::Module => 0.9,
        _ if is_constructor => 0.5,
        kind if is_type(kind) => 1.0,
        _ => 0.95,
    };
    let owned = match is_within(&scope, owner) {
        true => 1.0,
        false => 0.6,
    };
    spelled * kind * owned
}

/// Whether the scope, in lower case, ends with all segments of the owner, or the owner, which may name
/// a package or a module before it, with all of the scope's.
fn is_within(scope: &str, owner: &str) -> bool {
    let ends_with = |longer: &str, shorter: &str| {
        let rest = longer.strip_suffix(shorter);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    owner.is_empty() || ends_with(scope, owner) || !scope.is_empty() && ends_with(owner, scope)
}

fn is_type(kind: ChunkKind) -> bool {
    matches!(
        kind,
        ChunkKind::Class
            | ChunkKind::Struct
            | ChunkKind::Enum
            | ChunkKind::Protocol
            | ChunkKind::Interface
            | ChunkKind::Trait
            | ChunkKind::Actor
            | ChunkKind::TypeAlias
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Span, Visibility};

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

    /// Asked for `question`, the first is likelier meant than the second.
    fn check(question: &str, first: (&str, ChunkKind), second: (&str, ChunkKind)) {
        let say = |(qualified, kind): (&str, ChunkKind)| {
            let symbol = symbol(qualified, kind);
            likeness(&symbol, words::last_name(question), &words::owner(question))
        };
        assert!(say(first) > say(second), "{question}: {first:?} {second:?}");
    }

    #[test]
    fn what_is_meant_by_a_name() {
        use ChunkKind::{Class, Extension, Initializer, Method, Struct};
        check("Buffer", ("Buffer", Struct), ("Buffer", Extension));
        check("Buffer", ("Buffer", Struct), ("buffer", Struct));
        check("Buffer", ("Buffer", Class), ("Buffer.Buffer", Initializer));
        check("Buffer", ("Buffer", Class), ("Pool.buffer", Method));
        check("Context.JSON", ("Context.JSON", Method), ("JSON", Struct));
        check(
            "context.JSON",
            ("gin.Context.JSON", Method),
            ("MyContext.JSON", Method),
        );
        // A package before the type is no part of a scope.
        check(
            "gin::Context::JSON()",
            ("Context.JSON", Method),
            ("Writer.JSON", Method),
        );
    }
}
