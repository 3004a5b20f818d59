//! Swift: labels are part of a name, a bare name may be a member, modules see all of each other.

use kenning_resolve::rules::{
    ArgumentLabels, BASE, Flow, ImplicitScope, LibraryRules, Rules, SyntaxRules,
};

/// The syntax that only Swift has.
const SYNTAX: SyntaxRules = SyntaxRules {
    function_effects: &["async", "throws"],
    async_word: "async",
    operand_modifiers: &["try!", "try?", "try", "return"],
    plain_values: &["true", "false", "nil"],
    type_modifiers: &[
        "any",
        "autoclosure",
        "borrowing",
        "consuming",
        "escaping",
        "inout",
        "MainActor",
        "Sendable",
        "sending",
        "some",
        "static",
    ],
    memberless_types: &["nil"],
    ..SyntaxRules::COMMON
};

/// The standard library and Foundation.
const LIBRARY: LibraryRules = LibraryRules {
    future_types: &["Task"],
    optional_types: &["Optional", "Result"],
    non_function_types: &[
        "Array",
        "Bool",
        "CGFloat",
        "Character",
        "Data",
        "Date",
        "Dictionary",
        "Double",
        "Float",
        "Int",
        "Int64",
        "Set",
        "String",
        "TimeInterval",
        "UInt",
        "URL",
    ],
    variants: &[("Result", "success", 0), ("Result", "failure", 1), ("Optional", "some", 0)],
    ..LibraryRules::NONE
};

/// Method names of the library that few other libraries use.
const LIBRARY_METHODS: &[&str] = &["flatMap", "forEach", "isEmpty", "removeAll"];

/// The rules of Swift.
pub static RULES: Rules = Rules {
    family: "swift",
    receivers: &["self"],
    supers: &["super"],
    self_type_names: &["Self"],
    constructors: &["init"],
    implicit_scope: ImplicitScope::Package,
    wrapper_types: &["Optional", "Published", "State", "Binding", "ObservedObject"],
    flows: &[
        ("Array", "first", Flow::First),
        ("Array", "last", Flow::First),
        ("Array", "popLast", Flow::First),
        ("Array", "removeFirst", Flow::First),
        ("Array", "removeLast", Flow::First),
        ("Array", "filter", Flow::Same),
        ("Array", "sorted", Flow::Same),
        ("Array", "reversed", Flow::Same),
        ("Dictionary", "values", Flow::ListOfLast),
        ("Dictionary", "removeValue", Flow::Last),
    ],
    syntax: SYNTAX,
    library: LIBRARY,
    is_library_name: |name| LIBRARY_METHODS.contains(&name),
    argument_labels: ArgumentLabels::PartOfName,
    call_member: "callAsFunction",
    map: "Dictionary",
    ..BASE
};
