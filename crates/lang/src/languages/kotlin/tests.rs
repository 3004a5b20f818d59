//! Constructs that the grammar does not know: each with all names that its file defines.

use crate::languages::testing::{check_names, read};

#[test]
fn guards() {
    let text = "fun before() = 1
fun g(x: Any) = when (x) {
  is String if x.length > 3 -> 1
  is List<*> if (x.size > 2 &&
    x.isEmpty()) -> 3
  else if x == 3 -> 4
  else -> 2
}
class After { fun m() = 3 }
";
    check_names("a.kt", text, "before g After m");
    let guarded = read("a.kt", text);
    let calls = guarded.references.iter().map(|it| it.name.as_str());
    assert!(calls.into_iter().any(|name| name == "isEmpty"));
}

#[test]
fn ordinary_conditions_are_no_guards() {
    // Only the last function makes the grammar stumble.
    let text = "fun f(a: Int) = when (a) {
  1 -> if (a > 0) 2 else if (a > 1) 3 else 4
  else -> run { if (a > 2) 5 else listOf(1).map { b -> b } }
}
fun g(where: Int?) { where?.let { h() } }
fun h() = 3
";
    check_names("a.kt", text, "f g h");
}

#[test]
fn constructors_on_lines_of_their_own() {
    let text = "public actual abstract class P<T : Any>
actual constructor(actual final override val c: Int) : O<T> {
  fun other() {}
}
value class V<T>

  @PublishedApi internal constructor(val d: Int) {
  private constructor() : this(1)
  fun member() {}
}
fun tail() {}
";
    check_names("a.kt", text, "P c other V d constructor member tail");
}

#[test]
fn annotated_accessors() {
    let text = "class A(val on: String?) {
  val identifier
    @OptIn(B::class)
    get() = c().d(on)
  val other: Int
    get() = 1
  fun after(): Int { return 3 }
}
fun acquire(suspend: (Int) -> Boolean) { if (suspend(1)) return }
fun tail() = acquire(suspend = { a -> b(a) })
";
    check_names("a.kt", text, "A on identifier other after acquire tail");
}

#[test]
fn an_annotation_at_the_end_of_a_text_ends() {
    for text in [
        "class A @B".to_string(),
        "class A\n@Suppress(\"B".to_string(),
        "val a = 1\n  @B".to_string(),
        // Long texts are tried in parts, which end anywhere.
        "class A\n@Bbbbbbbbbbbbbbbbbbbbbbbb\n".repeat(1000),
    ] {
        read("a.kt", &text);
    }
}
