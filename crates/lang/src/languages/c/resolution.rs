//! Resolution rules of C, which C++ and Objective-C share: the three can use each other's definitions.

use kenning_resolve::rules::{BASE, Rules};

/// The rules of C, C++ and Objective-C.
pub static RULES: Rules = Rules {
    family: "c",
    wrapper_types: &["shared_ptr", "unique_ptr", "weak_ptr", "optional", "reference_wrapper"],
    list: "vector",
    ..BASE
};
