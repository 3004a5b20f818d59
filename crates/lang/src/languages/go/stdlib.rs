//! Interfaces of Go's standard library. `kenning_model` has the table until the resolver reads it
//! from here.

use crate::languages::LibraryInterfaces;
use kenning_model::{go_interface_methods, split_go_method};

/// The hooks for interfaces of the standard library.
pub(super) const INTERFACES: LibraryInterfaces = LibraryInterfaces {
    methods_of: go_interface_methods,
    split_method: split_go_method,
    is_same_type,
};

/// `any` is another name for `interface{}`.
fn is_same_type(one: &str, other: &str) -> bool {
    let any = ["any", "interface{}"];
    one == other || any.contains(&one) && any.contains(&other)
}
