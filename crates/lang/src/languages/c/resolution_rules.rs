//! Resolution rules of C, which C++ and Objective-C share: the three can use each other's
//! definitions.

use kenning_model::{ChunkKind, RepoPath, Symbol, Visibility};
use kenning_resolve::rules::{BASE, CallText, Rules, SpecialCall, SyntaxRules};

/// The syntax that only these three have.
const SYNTAX: SyntaxRules = SyntaxRules {
    interpret_call: interpret_cast,
    operand_modifiers: &["return", "const"],
    type_modifiers: &[
        "class", "const", "enum", "final", "inline", "nullable", "static", "struct", "unsigned",
        "volatile",
    ],
    ..SyntaxRules::COMMON
};

/// Reads `static_cast<Page>(x)` and `std::make_unique<Page>()`, which name the type of their
/// result.
fn interpret_cast(call: &CallText) -> Option<SpecialCall> {
    let names_result =
        call.name.ends_with("_cast") || ["make_unique", "make_shared"].contains(&call.name);
    let kind = call.type_argument.filter(|_| names_result);
    kind.map(|kind| SpecialCall::Cast(kind.to_string()))
}

/// The rules of C and Objective-C.
pub static RULES: Rules = FAMILY;

/// The rules that C, C++ and Objective-C share.
pub const FAMILY: Rules = Rules {
    family: "c",
    is_file_local,
    is_included_file,
    syntax: SYNTAX,
    wrapper_types: &["shared_ptr", "unique_ptr", "weak_ptr", "optional", "reference_wrapper"],
    list: "vector",
    ..BASE
};

/// Extensions of files that others include. All others are compiled on their own.
const HEADER_EXTENSIONS: &[&str] =
    &["", "cuh", "def", "h", "h++", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tpp"];

/// True for a file that others include.
fn is_included_file(path: &RepoPath) -> bool {
    let extension = path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension);
    HEADER_EXTENSIONS.contains(&extension)
}

/// True for a type or a macro in a file that no other file includes, and for a `static` function
/// there.
fn is_file_local(path: &RepoPath, symbol: &Symbol) -> bool {
    let is_local_kind = symbol.kind.names_type() || symbol.kind == ChunkKind::Macro;
    !is_included_file(path) && (is_local_kind || symbol.visibility == Visibility::Private)
}
