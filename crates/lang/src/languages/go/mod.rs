//! Go. A method's scope is the type of its receiver; a capital letter exports. Types fulfil
//! interfaces without naming them, those of the standard library too.

mod method_signatures;
mod resolution_rules;
mod stdlib_hooks;
mod stdlib_interfaces;

use super::{
    BASE, ConstructorNaming, DeclarationHead, ExpressionSyntax, HeritageRules, KeptArgument,
    Language, Redeclarations, TestFileNames, UsageRules,
};
use kenning_model::Visibility;

/// The language. Constructors are ordinary functions, by convention `NewFoo`.
pub static GO: Language = Language {
    name: "go",
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility: visibility_by_case,
    constructors: ConstructorNaming::Other,
    // The first argument of `make` is the type of the result.
    expressions: ExpressionSyntax {
        kept_arguments: &[("make", KeptArgument::First)],
        ..ExpressionSyntax::PLAIN
    },
    // An embedded struct registers nothing with its library.
    heritage: HeritageRules { libraries_find_subtypes: false, ..BASE.heritage },
    library_interfaces: Some(stdlib_hooks::INTERFACES),
    usage: UsageRules { entry_points: &["init"], ..UsageRules::MAIN },
    generated_endings: &[".pb.go", "_generated.go", "zz_generated.deepcopy.go"],
    directory_stems: &["main"],
    redeclarations: Redeclarations::Platforms,
    // The name of a file alone decides.
    test_files: TestFileNames { has_spec_directories: false, ..TestFileNames::COMMON },
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// A capital letter exports; any other name is internal to its package.
fn visibility_by_case(declaration: &DeclarationHead) -> Visibility {
    if declaration.name.starts_with(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Internal
    }
}
