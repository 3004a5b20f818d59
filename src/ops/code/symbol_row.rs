//! The common parts of the operations that list definitions: the row, the parsing of `kind`, and
//! the note about a cut list.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::graph::SymbolHit;
use crate::ops::OpError;
use kenning_model::{ChunkKind, Symbol, Visibility};

/// A definition in a list.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolRow {
    /// The name with its scope.
    pub symbol: String,
    /// The kind, such as `struct`.
    pub kind: Cow<'static, str>,
    /// The path below the root.
    pub path: String,
    /// The line of the name.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The package of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Only where it is not public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Cow<'static, str>>,
    /// True for test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Last, so that a table needs no room behind the longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl SymbolRow {
    /// Converts a found symbol to a row.
    pub fn from_found(found: &SymbolHit) -> SymbolRow {
        let symbol = &found.symbol;
        SymbolRow {
            symbol: found.qualified_name(),
            kind: symbol.kind.as_str().into(),
            path: found.path.to_string(),
            line: symbol.line,
            end_line: symbol.span.end_line,
            package: found.package.clone(),
            signature: symbol.signature.clone(),
            visibility: non_public_visibility(symbol),
            test: symbol.is_test,
        }
    }
}

/// Returns the visibility of a symbol that is not public.
pub fn non_public_visibility(symbol: &Symbol) -> Option<Cow<'static, str>> {
    match symbol.visibility {
        Visibility::Public => None,
        Visibility::Internal => Some("internal".into()),
        Visibility::Private => Some("private".into()),
    }
}

/// Parses a kind; the error lists the known ones.
pub fn parse_kind(text: Option<&str>) -> Result<Option<ChunkKind>, OpError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let found = ChunkKind::parse(text).ok_or_else(|| {
        let known: Vec<&str> = ChunkKind::ALL.iter().map(|kind| kind.as_str()).collect();
        OpError::bad_argument(format!("`kind` must be one of {}", known.join(", ")))
    })?;
    Ok(Some(found))
}

/// Notes how many rows are not listed.
pub fn omission_note(count: usize, shown: usize) -> Option<String> {
    (count > shown).then(|| format!("{} more; raise `limit` or narrow", count - shown))
}
