//! Resolution rules of C, which C++ and Objective-C share: the three can use each other's
//! definitions.

use kenning_resolve::rules::{BASE, CallText, Rules, SpecialCall, SyntaxRules};

/// The syntax that only these three have.
const SYNTAX: SyntaxRules = SyntaxRules {
    interpret_call: interpret_cast,
    operand_modifiers: &["return", "const"],
    type_modifiers: &[
        "class", "const", "enum", "final", "inline", "nullable", "static", "struct", "unsigned",
        "volatile",
    ],
    ..SyntaxRules::COMMON
};

/// Reads `static_cast<Page>(x)` and `std::make_unique<Page>()`, which name the type of their
/// result.
fn interpret_cast(call: &CallText) -> Option<SpecialCall> {
    let names_result =
        call.name.ends_with("_cast") || ["make_unique", "make_shared"].contains(&call.name);
    let kind = call.type_argument.filter(|_| names_result);
    kind.map(|kind| SpecialCall::Cast(kind.to_string()))
}

/// The rules of C, C++ and Objective-C.
pub static RULES: Rules = Rules {
    family: "c",
    syntax: SYNTAX,
    wrapper_types: &["shared_ptr", "unique_ptr", "weak_ptr", "optional", "reference_wrapper"],
    list: "vector",
    ..BASE
};
