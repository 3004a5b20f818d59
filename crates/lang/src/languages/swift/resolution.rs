//! Swift: labels are part of a name, a bare name may be a member, modules see all of each other.

use kenning_resolve::rules::{ArgumentLabels, BASE, Flow, ImplicitScope, Rules};

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
    argument_labels: ArgumentLabels::PartOfName,
    call_member: "callAsFunction",
    map: "Dictionary",
    ..BASE
};
