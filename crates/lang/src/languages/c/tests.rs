//! Constructs that the grammar does not know.

use crate::languages::testing::{check_names, read};

#[test]
fn functions_within_macros() {
    let text = "HEAP_EXPORT(void heap_init(struct heap* heap));
HEAP_EXPORT(void heap_insert(struct heap* heap,
                             struct node* newnode)) {
  heap->n = 1;
}
static int tail(void) { return 1; }
";
    let facts = read("a.c", text);
    let found = |name: &str| facts.symbols.iter().any(|symbol| symbol.name == name);
    assert!(found("heap_insert") && found("tail"), "{:?}", facts.symbols);
}

#[test]
fn attribute_macros_are_no_names() {
    let text = "struct a {\n  int b;\n} __randomize_layout;\nDEFINE_CALL(open, int, c)\n{\n  int d = 1;\n}\n";
    check_names("a.c", text, "a b open");
    let facts = read("a.c", text);
    assert_eq!(facts.symbols[0].scope, None);
}
