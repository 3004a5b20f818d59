//! The types and functions of a standard library that resolution knows by name.

/// The types that a standard library contributes to inference. Libraries are not indexed, so a
/// chain of calls would otherwise end at its first container or future.
pub struct LibraryRules {
    /// Functions that wrap their argument, each with the type that they return: `Some`, `Option`.
    pub wrapping_functions: &'static [(&'static str, &'static str)],
    /// Types that `await` unwraps to their last type argument.
    pub future_types: &'static [&'static str],
    /// Types that a pattern or a postfix operator unwraps to their first type argument.
    pub optional_types: &'static [&'static str],
    /// The ending of the names of aliases for such types. Empty if there are none.
    pub optional_alias_ending: &'static str,
    /// Types with two arguments that yield the first when they are iterated.
    pub first_element_types: &'static [&'static str],
    /// Types of parameters that never take a closure.
    pub non_function_types: &'static [&'static str],
    /// Variants of enums: type, variant, and the place of the type argument that the variant holds.
    pub variants: &'static [(&'static str, &'static str, usize)],
    /// Functions and methods that yield pairs of a counter and an element.
    pub counting_functions: &'static [&'static str],
    /// Methods of maps that yield pairs of a key and a value.
    pub pair_methods: &'static [&'static str],
    /// Types whose first type argument a context manager binds.
    pub context_types: &'static [&'static str],
    /// Methods that enter a context manager.
    pub context_methods: &'static [&'static str],
}

impl LibraryRules {
    /// A library of which almost nothing is known.
    pub const NONE: LibraryRules = LibraryRules {
        wrapping_functions: &[],
        future_types: &["Future"],
        optional_types: &["Optional"],
        optional_alias_ending: "",
        first_element_types: &[],
        non_function_types: &[],
        variants: &[],
        counting_functions: &[],
        pair_methods: &[],
        context_types: &[],
        context_methods: &[],
    };

    /// True if a type holds one value of its first type argument, or none.
    pub fn is_optional(&self, name: &str) -> bool {
        let ending = self.optional_alias_ending;
        self.optional_types.contains(&name) || !ending.is_empty() && name.ends_with(ending)
    }

    /// Returns the type that a wrapping function returns.
    pub fn wrapping_type(&self, function: &str) -> Option<&'static str> {
        let mut known = self.wrapping_functions.iter();
        known.find(|(name, _)| *name == function).map(|(_, wrapper)| *wrapper)
    }
}
