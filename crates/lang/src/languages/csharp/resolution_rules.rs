//! C#: namespaces cross files, so a type is found by its name among all that can be used.

use kenning_resolve::rules::{BASE, Flow, LibraryRules, Rules, SyntaxRules};

/// The syntax that only C# has.
const SYNTAX: SyntaxRules = SyntaxRules {
    operand_modifiers: &["return"],
    type_modifiers: &["const", "in", "new", "out", "params", "readonly", "ref", "scoped", "static"],
    ..SyntaxRules::COMMON
};

/// The base class library.
const LIBRARY: LibraryRules =
    LibraryRules { future_types: &["Task", "ValueTask"], ..LibraryRules::NONE };

/// The rules of C#.
pub static RULES: Rules = Rules {
    family: "csharp",
    receivers: &["this"],
    supers: &["base"],
    self_type_names: &[],
    constructors: &[],
    syntax: SYNTAX,
    library: LIBRARY,
    variadic_markers: &["...", "params "],
    receiver_parameter_mark: "this ",
    wrapper_types: &["Nullable", "Lazy"],
    flows: &[
        ("List", "Find", Flow::First),
        ("List", "First", Flow::First),
        ("Dictionary", "Values", Flow::ListOfLast),
        ("Queue", "Dequeue", Flow::First),
        ("Stack", "Pop", Flow::First),
    ],
    ..BASE
};
