//! Resolution rules of Ruby: a module's methods become methods of the classes that include it.

use kenning_resolve::rules::{BASE, Rules};

/// The rules of Ruby.
pub static RULES: Rules = Rules { family: "ruby", has_mixins: true, ..BASE };
