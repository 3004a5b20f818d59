//! Constructs that the grammar does not know.

use crate::languages::testing::read;

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
