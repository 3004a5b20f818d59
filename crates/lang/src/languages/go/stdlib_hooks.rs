//! The hooks for interfaces of Go's standard library; `library` has the table.

use super::stdlib_interfaces::{find_go_interfaces, go_interface_methods, split_go_method};
use crate::languages::LibraryInterfaces;

/// The hooks for interfaces of the standard library.
pub(super) const INTERFACES: LibraryInterfaces = LibraryInterfaces {
    library: "Go's library",
    qualify: |name| find_go_interfaces(name).next(),
    methods_of: go_interface_methods,
    split_method: split_go_method,
    is_same_type,
};

/// `any` is another name for `interface{}`.
fn is_same_type(one: &str, other: &str) -> bool {
    let any = ["any", "interface{}"];
    one == other || any.contains(&one) && any.contains(&other)
}
