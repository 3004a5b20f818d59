//! Swift: labels, generic types and closures.

use super::*;

#[test]
fn a_nested_generic_type_is_constructed() {
    check(
        "=== a.swift
enum Disk {
  final class Backend<T> {
    init(name: String) throws {}
    func store(value: T) {}
  }
}
func run(size: Int) throws {
  let a = try Disk.Backend<Int>(name: \"a\")
  a.store(value: 1)
  use(Disk.Backend<[String: Int?]>(name: \"b\"))
  if Disk.Limit<size { check() }
}
func use(_ one: Any) {}
func check() {}
",
        &[
            "a.swift:8 Backend → a.swift:3 Disk.Backend.init (high, type of the receiver)",
            "a.swift:9 store → a.swift:4 Disk.Backend.store (high, type of the receiver)",
            "a.swift:10 Backend → a.swift:3 Disk.Backend.init (high, type of the receiver)",
            "a.swift:10 use → a.swift:13 use (high, same file)",
            "a.swift:11 check → a.swift:14 check (high, same file)",
        ],
    );
}

#[test]
fn a_function_with_other_labels_hides_none() {
    check(
        "=== a.swift
protocol Provider { func data(handler: @escaping (Int) -> Void) }
extension Provider {
  func data() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      data(handler: { continuation.resume(with: $0) })
    }
  }
}
",
        &["a.swift:5 data → a.swift:1 Provider.data (high, member of the type around it)"],
    );
}
