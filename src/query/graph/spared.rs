//! What is used although no edge leads to it: by the language, by a library that finds it, or by
//! whoever holds the object that it is a part of. All of it is told by the definition and the text
//! above it; which definitions nobody uses is decided in `unused`.

use crate::model::{ChunkKind, RepoPath, Symbol};

/// A definition with what it stands in.
pub(crate) struct Place<'p> {
    pub path: &'p RepoPath,
    pub language: &'p str,
    pub symbol: &'p Symbol,
    pub parent: Option<&'p Symbol>,
    /// All of the file.
    pub symbols: &'p [Symbol],
}

impl Place<'_> {
    /// Whether it is called from outside, or has no name by which anybody could.
    pub fn is_spared(&self) -> bool {
        is_entry_point(self.language, &self.symbol.name)
            || !is_name(&self.symbol.name)
            || is_override(self.symbol)
            || self.is_part_of_object()
            || self.is_said_to_be_unused()
            || self.is_asked_for()
            || is_default_export(self.symbol)
            || self.path.as_str().ends_with(".d.ts")
    }

    /// Members of objects that are written out, or that were made before, are called by whoever gets
    /// the object: options of a tool, handlers of events.
    fn is_part_of_object(&self) -> bool {
        if !["javascript", "typescript", "tsx"].contains(&self.language) {
            return false;
        }
        let name = &self.symbol.name;
        let signature = self.symbol.signature.as_deref().unwrap_or_default();
        let is_pair = signature
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.trim_start().starts_with(':'));
        let is_in_type = self
            .parent
            .is_some_and(|parent| parent.kind.is_type() || parent.kind == ChunkKind::TypeAlias);
        let is_method = self.symbol.kind == ChunkKind::Method && !is_in_type;
        let is_assigned = signature.contains(&format!(".{name} ="));
        let scope = self.symbol.scope.as_deref().unwrap_or_default();
        let owner = scope.rsplit('.').next().unwrap_or_default();
        let is_known = || self.symbols.iter().any(|one| one.name == owner);
        is_pair && !is_in_type || is_method && (!is_assigned || owner != "exports" && !is_known())
    }

    /// What Rust's compiler is told not to warn of: checks that are made by compiling.
    fn is_said_to_be_unused(&self) -> bool {
        self.language == "rust" && self.symbol.name.starts_with('_')
    }

    /// `type Target = …` in an impl of Rust is what the trait asks for.
    fn is_asked_for(&self) -> bool {
        let is_in_impl = self
            .parent
            .is_some_and(|parent| parent.kind == ChunkKind::Extension);
        self.language == "rust" && is_in_impl && self.symbol.kind == ChunkKind::TypeAlias
    }
}

/// Who imports it gives it a name, or it is found by the path of its file: a page, a theme.
fn is_default_export(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    signature.starts_with("export default")
}

/// What a runtime calls by its name.
pub(super) fn is_entry_point(language: &str, name: &str) -> bool {
    matches!(name, "main" | "init" | "setup" | "constructor")
        || name.starts_with("__")
        || language == "csharp" && name == "Main"
}

/// Operators, computed keys and the words that stand for a type without a name are none.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '?' | '!' | '\'');
    let has_letter = name.contains(|c: char| c.is_alphanumeric());
    has_letter && name.chars().all(is_part) && !["new", "object", "default"].contains(&name)
}

fn is_override(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let mut words = signature.split_whitespace();
    words.any(|word| word == "override" || word == "@Override")
}

/// The part of a name that is a word of the text.
pub(super) fn word_of(name: &str) -> &str {
    name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Whether what is written above a definition gives it to someone who will call it: a route, an event,
/// a bench. Marks that only tell the compiler something do not.
pub(crate) fn is_registered(text: &str, language: &str, symbol: &Symbol) -> bool {
    let (first, last) = (symbol.span.start_line, symbol.line);
    let lines = text.lines().skip(first.saturating_sub(1) as usize);
    let lines = lines.take(last.saturating_sub(first) as usize + 1);
    let mut marks = lines.flat_map(|line| marks_in(line.trim_start(), language));
    marks.any(|mark| {
        !HARMLESS
            .iter()
            .any(|known| mark.eq_ignore_ascii_case(known))
    })
}

/// The last parts of the names of decorators, annotations and attributes that a line begins with.
fn marks_in<'l>(line: &'l str, language: &str) -> Vec<&'l str> {
    let name = |text: &'l str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':'));
        let whole = &text[..end.unwrap_or(text.len())];
        whole.rsplit(['.', ':']).next().unwrap_or(whole)
    };
    if let Some(inner) = line.strip_prefix("#[") {
        return vec![name(inner.trim_start())];
    }
    if let Some(inner) = line.strip_prefix('[').filter(|_| language == "csharp") {
        return vec![name(inner.trim_start())];
    }
    let words = line
        .split_whitespace()
        .map_while(|word| word.strip_prefix('@'));
    words
        .map(name)
        .filter(|name| !name.is_empty() && *name != "interface")
        .collect()
}

/// Marks that give a definition to nobody.
const HARMLESS: &[&str] = &[
    // Rust.
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "error",
    "expect",
    "inline",
    "instrument",
    "must_use",
    "non_exhaustive",
    "repr",
    "serde",
    "skip",
    "target_feature",
    "track_caller",
    "warn",
    // Swift.
    "available",
    "backDeployed",
    "discardableResult",
    "dynamicCallable",
    "dynamicMemberLookup",
    "frozen",
    "inlinable",
    "MainActor",
    "nonobjc",
    "preconcurrency",
    "propertyWrapper",
    "resultBuilder",
    "Sendable",
    "testable",
    "unchecked",
    "usableFromInline",
    "ViewBuilder",
    // Java and Kotlin.
    "CheckReturnValue",
    "Contract",
    "FunctionalInterface",
    "Immutable",
    "JvmField",
    "JvmName",
    "JvmOverloads",
    "JvmStatic",
    "Nonnull",
    "NotNull",
    "Nullable",
    "NullMarked",
    "OptIn",
    "Override",
    "PublishedApi",
    "SafeVarargs",
    "Suppress",
    "SuppressWarnings",
    "ThreadSafe",
    "Throws",
    "VisibleForTesting",
    // Python.
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "dataclass",
    "deleter",
    "final",
    "lru_cache",
    "no_type_check",
    "overload",
    "property",
    "runtime_checkable",
    "setter",
    "staticmethod",
    "total_ordering",
    "unique",
    "wraps",
    // C#.
    "Conditional",
    "DebuggerDisplay",
    "DebuggerStepThrough",
    "EditorBrowsable",
    "ExcludeFromCodeCoverage",
    "Flags",
    "MethodImpl",
    "Obsolete",
    "Serializable",
    "StructLayout",
];

/// Whether a declaration of TypeScript stands in a block that adds to what others declare.
pub(crate) fn is_ambient(text: &str, language: &str, symbol: &Symbol) -> bool {
    if !["typescript", "tsx"].contains(&language) {
        return false;
    }
    let start = symbol.span.start_byte as usize;
    let blocks = ["declare global", "declare module"];
    blocks.iter().any(|block| {
        let mut places = text.match_indices(block);
        places.any(|(at, _)| {
            let inner = text.get(at..start).unwrap_or_default();
            let depth = inner.bytes().fold(0i32, |depth, byte| match byte {
                b'{' => depth + 1,
                // What has ended is over.
                b'}' if depth == 1 => i32::MIN / 2,
                b'}' => depth - 1,
                _ => depth,
            });
            depth > 0
        })
    })
}
