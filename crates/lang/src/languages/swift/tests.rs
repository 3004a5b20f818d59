//! Constructs that the grammar does not know: each with all names that its file defines.

use crate::languages::testing::check_names;

#[test]
fn attributes_before_accessors() {
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
    check_names("a.swift", text, "O R span after");
}

#[test]
fn attributes_before_local_functions() {
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
    check_names("a.swift", text, "Handler a zero first next second tail");
}

#[test]
fn empty_tuples_and_local_functions() {
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
    check_names("a.swift", text, "Handler first next second third tail");
}
