//! Definitions that `unused` never reports: entry points, overrides, members of object literals,
//! anything with a registering attribute. They are used by the language, by a library, or by the
//! holder of an object. The definition and the text above it decide.

use kenning_model::{ChunkKind, RepoPath, Symbol};

/// A definition with its context.
pub(super) struct DefinitionContext<'p> {
    pub path: &'p RepoPath,
    pub language: &'p str,
    pub symbol: &'p Symbol,
    pub parent: Option<&'p Symbol>,
    /// All symbols of the file.
    pub symbols: &'p [Symbol],
}

impl DefinitionContext<'_> {
    /// True if the definition is used from outside, or has no name that code could refer to.
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

    /// True if it is a member of an object literal, or assigned to an existing object. The receiver
    /// of the object calls it: options of a tool, handlers of events.
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

    /// True if a leading underscore silences Rust's warning. Such items are often compile-time
    /// checks.
    fn is_said_to_be_unused(&self) -> bool {
        self.language == "rust" && self.symbol.name.starts_with('_')
    }

    /// True for an associated type in a Rust impl (`type Target = …`), which the trait requires.
    fn is_asked_for(&self) -> bool {
        let is_in_impl = self.parent.is_some_and(|parent| parent.kind == ChunkKind::Extension);
        self.language == "rust" && is_in_impl && self.symbol.kind == ChunkKind::TypeAlias
    }
}

/// True if it is a default export. An importer chooses its name, or a framework finds it by path: a
/// page, a theme.
fn is_default_export(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    signature.starts_with("export default")
}

/// True if a runtime calls it by its name.
pub(super) fn is_entry_point(language: &str, name: &str) -> bool {
    matches!(name, "main" | "init" | "setup" | "constructor")
        || name.starts_with("__")
        || language == "csharp" && name == "Main"
}

/// True if code can refer to it by this name. Operators, computed keys and placeholder words of
/// unnamed types are excluded.
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

/// Returns the part of a name that is a word in the text.
pub(super) fn word_of(name: &str) -> &str {
    name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// True if an attribute above the definition registers it with a caller: a route, an event, a
/// benchmark. Attributes for the compiler only do not count.
pub(super) fn is_registered(text: &str, language: &str, symbol: &Symbol) -> bool {
    let (first, last) = (symbol.span.start_line, symbol.line);
    let lines = text.lines().skip(first.saturating_sub(1) as usize);
    let lines = lines.take(last.saturating_sub(first) as usize + 1);
    let mut marks = lines.flat_map(|line| marks_in(line.trim_start(), language));
    marks.any(|mark| !HARMLESS.iter().any(|known| mark.eq_ignore_ascii_case(known)))
}

/// Returns the last parts of the names of decorators, annotations and attributes that a line begins
/// with.
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
    let words = line.split_whitespace().map_while(|word| word.strip_prefix('@'));
    words.map(name).filter(|name| !name.is_empty() && *name != "interface").collect()
}

/// Attributes that do not register a definition with a caller.
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

/// True if a TypeScript declaration is in a `declare global` or `declare module` block. Such a
/// block extends declarations of others.
pub(super) fn is_ambient(text: &str, language: &str, symbol: &Symbol) -> bool {
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
                // The block has ended, so later braces do not count.
                b'}' if depth == 1 => i32::MIN / 2,
                b'}' => depth - 1,
                _ => depth,
            });
            depth > 0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::{Span, Visibility};

    fn symbol(kind: ChunkKind, signature: &str, name: &str) -> Symbol {
        Symbol {
            name: name.to_string(),
            scope: None,
            kind,
            visibility: Visibility::Internal,
            signature: Some(signature.to_string()),
            span: Span::default(),
            line: 1,
            parameters: Vec::new(),
            type_text: None,
            is_test: false,
        }
    }

    #[test]
    fn what_others_call_is_spared() {
        use ChunkKind::{Class, Constant, Extension, Function, Method, Struct, TypeAlias};
        for (path, kind, signature, name, parent, is_spared) in [
            ("a.cs", Method, "static void Main()", "Main", Some(Class), true),
            ("a.rs", Function, "fn Main()", "Main", None, false),
            ("a.rs", Function, "fn main()", "main", None, true),
            ("a.rs", Function, "fn _assert()", "_assert", None, true),
            ("a.py", Function, "def _hidden()", "_hidden", None, false),
            ("a.rs", TypeAlias, "type Target = A", "Target", Some(Extension), true),
            ("a.rs", TypeAlias, "type Target = A", "Target", None, false),
            ("a.swift", Function, "func == (a: A, b: A) -> Bool", "==", None, true),
            ("a.java", Method, "@Override public void run()", "run", Some(Class), true),
            ("a.java", Class, "new Visitor()", "new", None, true),
            ("a.d.ts", Function, "declare function f(): void", "f", None, true),
            ("a.ts", Method, "[Symbol.iterator]()", "[Symbol.iterator]", Some(Class), true),
            ("a.ts", Method, "get #table()", "#table", Some(Class), false),
            ("a.ts", Function, "outExtensions: (ctx)", "outExtensions", None, true),
            ("a.ts", Method, "async redirects()", "redirects", Some(Constant), true),
            ("a.ts", Method, "copyWith(a: A): A", "copyWith", Some(TypeAlias), false),
            ("a.ts", Method, "run: Run = ()", "run", Some(Class), false),
            ("a.ts", Method, "script.onerror = ()", "onerror", None, true),
            ("a.ts", Function, "export default function Page()", "Page", None, true),
            ("a.ts", Function, "function page()", "page", None, false),
            ("a.go", Struct, "type A struct", "A", None, false),
        ] {
            let symbol = symbol(kind, signature, name);
            let parent = parent.map(|kind| self::symbol(kind, "", "outer"));
            let path = RepoPath::new(path).unwrap();
            let language = match path.as_str().rsplit('.').next() {
                Some("cs") => "csharp",
                Some("rs") => "rust",
                Some("ts") => "typescript",
                _ => "other",
            };
            let place = DefinitionContext {
                path: &path,
                language,
                symbol: &symbol,
                parent: parent.as_ref(),
                symbols: &[],
            };
            assert_eq!(place.is_spared(), is_spared, "{path} {signature}");
        }
    }

    #[test]
    fn marks_give_definitions_to_others() {
        for (language, text, is_given) in [
            ("rust", "#[bench]\nfn a() {}", true),
            ("rust", "/// Doc.\n#[inline]\n#[cfg(test)]\nfn a() {}", false),
            ("python", "@app.route('/')\ndef a(): pass", true),
            ("python", "@functools.lru_cache(maxsize=None)\ndef a(): pass", false),
            ("csharp", "[HttpGet(\"a\")]\nvoid A() {}", true),
            ("csharp", "[Obsolete]\nvoid A() {}", false),
            ("java", "/**\n * @return a\n */\n@Deprecated @Bean void a() {}", true),
            ("swift", "@available(iOS 14, *)\nstruct A {}", false),
            ("swift", "@objc func a() {}", true),
        ] {
            let mut symbol = symbol(ChunkKind::Function, "", "a");
            let last = text.lines().count() as u32;
            symbol.line = last;
            symbol.span.start_line = 1;
            symbol.span.end_line = last;
            assert_eq!(is_registered(text, language, &symbol), is_given, "{text}");
        }
    }

    #[test]
    fn what_adds_to_others_declarations_is_ambient() {
        let text =
            "declare global {\n  interface A { a: 1 }\n  interface B {}\n}\ninterface C {}\n";
        for (name, is_added) in
            [("interface A", true), ("interface B", true), ("interface C", false)]
        {
            let mut symbol = symbol(ChunkKind::Interface, "", "A");
            symbol.span.start_byte = text.find(name).unwrap() as u32;
            assert_eq!(is_ambient(text, "typescript", &symbol), is_added, "{name}");
        }
    }
}
