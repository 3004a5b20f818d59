//! C#: namespaces cross files, so a type is found by its name among all that can be used.

use kenning_resolve::rules::{BASE, Flow, Rules};

/// The rules of C#.
pub static RULES: Rules = Rules {
    family: "csharp",
    receivers: &["this"],
    supers: &["base"],
    self_type_names: &[],
    constructors: &[],
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
