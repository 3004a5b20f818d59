//! Resolution rules of C++, beyond those that it shares with C.

use crate::languages::c::resolution_rules::FAMILY;
use kenning_resolve::rules::Rules;

/// The rules of C++.
pub static RULES: Rules = Rules { has_open_namespaces: true, ..FAMILY };
