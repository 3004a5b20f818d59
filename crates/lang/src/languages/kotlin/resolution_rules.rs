//! Resolution rules of Kotlin: those of Java, and functions that extend a type from outside.

use super::super::java;
use kenning_resolve::rules::Rules;

/// The rules of Kotlin.
pub static RULES: Rules = Rules { has_extension_functions: true, ..java::resolution_rules::JVM };
