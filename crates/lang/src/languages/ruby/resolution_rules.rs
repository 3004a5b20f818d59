//! Resolution rules of Ruby: a module's methods become methods of the classes that include it, and
//! constants are looked up by nesting.

use kenning_resolve::rules::{BASE, Rules};

/// The rules of Ruby.
pub static RULES: Rules = Rules {
    family: "ruby",
    constructors: &["initialize"],
    construct_method: "new",
    has_mixins: true,
    has_nested_constants: true,
    ..BASE
};
