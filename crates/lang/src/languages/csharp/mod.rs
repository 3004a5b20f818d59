//! C#. Visibility has defaults: members of a class are private, types belong to their assembly.

mod resolution_rules;

use super::{BASE, DeclarationHead, Language, TestFileNames, UsageRules};
use kenning_model::{ChunkKind, Visibility};

/// The language. Arguments may be named, and attributes in brackets may register a definition.
pub static CSHARP: Language = Language {
    name: "csharp",
    extensions: &["cs", "csx"],
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    query: include_str!("query.scm"),
    argument_labels: &[("argument", "name")],
    visibility,
    test_marks: &["[Test", "[Fact", "[Theory"],
    usage: UsageRules {
        program_starts: &["Main"],
        override_words: &["override"],
        computed_names: &["GetMethod(", "GetMethods(", "InvokeMember(", "GetRuntimeMethod"],
        registry_words: &["IsAssignableFrom", "IsSubclassOf", "GetTypes", "GetExportedTypes"],
        attribute_openings: &["["],
        harmless_attributes: HARMLESS_ATTRIBUTES,
        ..UsageRules::NONE
    },
    test_files: TestFileNames::CAMEL,
    generated_endings: &[".g.cs", ".designer.cs", ".Designer.cs", ".generated.cs"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers; without one, the default of the enclosing kind applies.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["public"]) {
        return Visibility::Public;
    }
    if declaration.has_word(&["internal", "protected"]) {
        return Visibility::Internal;
    }
    // Members of a class are its own by default, types belong to their assembly.
    let of_interface = declaration.parent_visibility(&[ChunkKind::Interface, ChunkKind::Enum]);
    let is_member = declaration.parent_visibility(&[ChunkKind::Class, ChunkKind::Struct]).is_some();
    if declaration.has_word(&["private"]) || is_member {
        Visibility::Private
    } else {
        of_interface.unwrap_or(Visibility::Internal)
    }
}

/// Attributes that do not register a definition with a caller.
const HARMLESS_ATTRIBUTES: &[&str] = &[
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
