//! Items in the arguments of macros.

use crate::languages::testing::{check_names, read};

#[test]
fn items_in_macros_are_items() {
    for (text, names) in [
        ("cfg_rt! {\n  pub fn spawn() {}\n}\nfn after() {}\n", "spawn after"),
        ("cfg_rt! { cfg_net! { mod net; } }", "net"),
        ("impl A { cfg_rt! { fn open(&self) {} } }", "A open"),
        ("mod a { pin_project! { struct B { #[pin] c: D } } }", "a B c"),
        ("thread_local!(static A: B = B::new());", "A"),
        ("thread_local! { static A: B = c(); static D: E = f() }", "A D"),
        (
            "lazy_static! {\n  /// A.\n  static ref A: B = c();\n  pub static ref D: E = f();\n}",
            "A D",
        ),
        (
            "bitflags! {\n  pub struct A: u8 {\n    /// B;\n    const B = 1;\n    const C = 2;\n  }\n}",
            "A B C",
        ),
        // Brackets that are not closed.
        ("a! { fn b() {} é", ""),
        // Arguments that are no items, and macros in expressions.
        ("rules! { a => b }\nfn f() { vec![1]; quote! { fn g() {} }; }", "f"),
        ("doc! { concat!(1) }", ""),
    ] {
        check_names("a.rs", text, names);
    }
}

#[test]
fn items_in_macros_are_marked_and_refer_to_others() {
    let facts = read("a.rs", "cfg_rt! {\n  pub fn spawn() { a.open() }\n  struct B { c: D }\n}\n");
    let signatures: Vec<&str> =
        facts.symbols.iter().filter_map(|it| it.signature.as_deref()).collect();
    assert_eq!(signatures, ["in cfg_rt!: pub fn spawn()", "in cfg_rt!: struct B", "c: D"]);
    let references: Vec<(&str, u32)> =
        facts.references.iter().map(|it| (it.name.as_str(), it.line)).collect();
    assert_eq!(references, [("cfg_rt", 1), ("open", 2), ("D", 3)]);
}

#[test]
fn what_a_macro_hides_is_a_problem() {
    let text =
        "mock! {\n  pub File {}\n  impl File {\n    fn open(&self);\n  }\n}\nfn after() {}\n";
    let facts = read("a.rs", text);
    let problems: Vec<String> = facts.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("lines 3 to 4"), "{problems:?}");
}
