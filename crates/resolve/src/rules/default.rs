//! The default rules, for languages without a family; and C, C++ and Objective-C.

use crate::rules::{BASE, Rules};

/// The rules of C, C++ and Objective-C.
pub static C: Rules = Rules {
    family: "c",
    languages: &["c", "cpp", "objc"],
    wrapper_types: &["shared_ptr", "unique_ptr", "weak_ptr", "optional", "reference_wrapper"],
    list: "vector",
    ..BASE
};

/// The rules of every language without a family. These languages cannot use each other.
pub static OTHER: Rules = Rules { family: "other", languages: &[], ..BASE };
