//! Names that closures and patterns give to values: `$0`, `it`, what cases of enums hold.

use super::*;

#[test]
fn swift_closures_and_cases_have_types() {
    check(
        "=== a.swift
struct Item { func send() {} }
struct Fault: Error { func show() {} }
enum State { case idle, busy(Item), both(Item, fault: Fault), named(item: Item) }
final class Box {
  var state: State = .idle
  var items: [Item] = []
  func go(result: Result<Item, Fault>) {
    items.forEach { $0.send() }
    run { $0.send() }
    switch state {
    case .busy(let one): one.send()
    case let .both(two, fault: fault): two.send(); fault.show()
    case .named(item: let three): three.send()
    case .idle: break
    }
    if case let .busy(four) = self.state { four.send() }
    guard case .busy(let five) = state else { return }
    five.send()
    switch result {
    case .success(let six): six.send()
    case .failure(let fault): fault.show()
    }
  }
  func run(_ body: (Any) -> Void) {}
}
protocol Other { func sending() }
",
        &[
            "a.swift:8 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:11 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:12 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:13 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:16 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:18 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:20 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:21 show → a.swift:2 Fault.show (high, type of the receiver)",
        ],
    );
}

#[test]
fn kotlin_closures_have_it() {
    check(
        "=== a.kt
class Item {
  fun dispatchAll() {}
}
class Other {
  fun dispatchAll() {}
}
class Shop(val items: List<Item>, val other: Other) {
  fun go() {
    items.forEach { it.dispatchAll() }
    other.let { it.dispatchAll() }
  }
}
",
        &[
            "a.kt:9 dispatchAll → a.kt:2 Item.dispatchAll (high, type of the receiver)",
            "a.kt:10 dispatchAll → a.kt:5 Other.dispatchAll (high, type of the receiver)",
        ],
    );
}
