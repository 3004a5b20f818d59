//! Swift: labels are part of a name, a bare name may be a member, modules see all of each other.

use crate::rules::{BASE, Flow, Labels, Reach, Rules};

pub static SWIFT: Rules = Rules {
    family: "swift",
    languages: &["swift"],
    receivers: &["self"],
    supers: &["super"],
    own_types: &["Self"],
    constructors: &["init"],
    reach: Reach::Package,
    wrappers: &["Optional", "Published", "State", "Binding", "ObservedObject"],
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
    labels: Labels::PartOfName,
    call_member: "callAsFunction",
    map: "Dictionary",
    ..BASE
};
