//! Interfaces of Go's standard library. `kenning_model` has the table until the resolver reads it
//! from here.

use crate::languages::LibraryInterfaces;
use kenning_model::{go_interface, go_interfaces, go_parameters};

pub(super) const INTERFACES: LibraryInterfaces = LibraryInterfaces {
    library: "Go's library",
    qualify: |name| go_interfaces(name).next(),
    methods_of: go_interface,
    split_method: go_parameters,
    is_same_type,
};

/// `any` is another name for `interface{}`.
fn is_same_type(one: &str, other: &str) -> bool {
    let any = ["any", "interface{}"];
    one == other || any.contains(&one) && any.contains(&other)
}
