//! What grammars do not know, and take the rest of a file along for: each with all that it defines.

use super::*;
use crate::code;
use kenning_model::CodeFacts;

fn read(path: &str, text: &str) -> CodeFacts {
    code::read(&RepoPath::new(path).unwrap(), text)
}

/// The names that a file defines, in its order, if nothing is wrong with it.
fn check(path: &str, text: &str, expected: &str) {
    let facts = read(path, text);
    let names: Vec<&str> = facts.symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.join(" "), expected, "{text}");
    assert_eq!(facts.problems, [], "{text}");
}

#[test]
fn guards_of_kotlin() {
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
    check("a.kt", text, "before g After m");
    let guarded = read("a.kt", text);
    let calls = guarded.references.iter().map(|it| it.name.as_str());
    assert!(calls.into_iter().any(|name| name == "isEmpty"));
}

#[test]
fn ordinary_conditions_of_kotlin_are_no_guards() {
    // Only the last function makes the grammar stumble.
    let text = "fun f(a: Int) = when (a) {
  1 -> if (a > 0) 2 else if (a > 1) 3 else 4
  else -> run { if (a > 2) 5 else listOf(1).map { b -> b } }
}
fun g(where: Int?) { where?.let { h() } }
fun h() = 3
";
    check("a.kt", text, "f g h");
}

#[test]
fn constructors_of_kotlin_on_lines_of_their_own() {
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
    check("a.kt", text, "P c other V d constructor member tail");
}

#[test]
fn annotated_accessors_of_kotlin() {
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
    check("a.kt", text, "A on identifier other after acquire tail");
}

#[test]
fn attributes_of_swift_before_accessors() {
    let text = "#if compiler(<6.2)
struct O {}
#else
extension R {
  var span: Int {
    @_lifetime(borrow self)
    get { 1 }
  }
  func after() {}
}
#endif
";
    check("a.swift", text, "O R span after");
}

/// The grammar finds neither the class nor its end.
#[test]
fn attributes_of_swift_before_local_functions() {
    let text = "final class Handler {
  private var a = 1
  func zero() {}
  func first(r: R) {
    switch r {
    case .head(let q):
      self.k = q.k
      @Sendable func next() {
        let b = 1
        p.w(b).map {
          l.s(in: .m(4), next)
        }.whenFailure { (_: Error) in
          b.c()
        }
      }
      next()
    case .end:
      self.r()
    default:
      break
    }
  }
  func second() {
    switch r {
    case .a: b()
    default: break
    }
  }
}
func tail() {}
";
    check("a.swift", text, "Handler a zero first next second tail");
}

#[test]
fn empty_tuples_and_local_functions_of_swift() {
    let text = "final class Handler {
  func first(r: R) {
    switch r {
    case _ as S:
      ()
    case .head(let q):
      @Sendable func next() { p.succeed(()) }
      next()
    case .success(): done(value: (), error: nil)
    default:
      ()  // nothing
    }
  }
  func second() -> () { return () }
  func third(_ f: () -> Void, g: () async throws -> ()) {}
}
func tail() {}
";
    check("a.swift", text, "Handler first next second third tail");
}

#[test]
fn functions_of_c_within_macros() {
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
fn what_is_lost_is_told() {
    let lost = "fun first() = 1\nclass A ( { [ <\n  fun b() {\n  fun c() {\n  fun d() {\n";
    let facts = read("a.kt", lost);
    let problems: Vec<String> = facts.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "a.kt:2: the grammar did not understand all of lines 2 to 5; what they define may be missing"
        ]
    );
    for small in ["fun a() = 1 +\nfun b() = 2\n", "fun a() { b( }\nfun c() {}\n"] {
        assert_eq!(read("a.kt", small).problems, [], "{small}");
    }
}
