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
fn swift_closures_get_what_the_function_gives_them() {
    check(
        "=== a.swift
struct Item { func send() {} }
struct Fault: Error { func show() {} }
final class Future<Value> {
  func whenComplete(_ callback: @escaping @Sendable (Result<Value, Error>) -> Void) {}
  func whenSuccess(_ callback: @escaping (Value) -> Void) {}
  func whenFailure(_ callback: @escaping (Fault) -> Void) {}
  func map<New>(_ callback: @escaping (Value) -> (New)) -> Future<New> { fatalError() }
  func wait() {}
  static func all() -> Future<Item> { fatalError() }
}
typealias Handler = (Item) -> Void
struct Server {
  func onOpen(_ body: (Channel) -> Void) -> Server { self }
  func handle(name: Int, then handler: Handler) {}
  func twice(_ first: (Item) -> Void, _ second: (Fault) -> Void) {}
}
struct Channel { func write() -> Future<Item> { fatalError() } }
func start(done: ((Channel) -> Void)?) {}
func go(future: Future<Item>, server: Server) {
  future.whenComplete { result in
    result.send()
    if case .success(let item) = result { item.send() }
  }
  future.whenSuccess { item in item.send() }
  future.whenSuccess { $0.send() }
  future.whenFailure { $0.show() }
  future.map { $0.send() }.wait()
  server.onOpen { channel in channel.write().wait() }.handle(name: 1) { $0.send() }
  server.handle(name: 1, then: { item in item.send() })
  server.twice { one in one.send() } _: { _ in }
  start { channel in channel.write() }
  Future<Item>.all().whenSuccess { $0.send() }
}
struct Other { func send() {} }
",
        &[
            "a.swift:21 send → nothing",
            "a.swift:22 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:24 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:25 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:26 show → a.swift:2 Fault.show (high, type of the receiver)",
            "a.swift:27 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:27 wait → a.swift:8 Future.wait (high, type of the receiver)",
            "a.swift:28 write → a.swift:17 Channel.write (high, type of the receiver)",
            "a.swift:28 wait → a.swift:8 Future.wait (high, type of the receiver)",
            "a.swift:28 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:29 send → a.swift:1 Item.send (high, type of the receiver)",
            "a.swift:30 send → nothing",
            "a.swift:31 write → a.swift:17 Channel.write (high, type of the receiver)",
            "a.swift:32 all → a.swift:9 Future.all (high, type of the receiver)",
            "a.swift:32 send → a.swift:1 Item.send (high, type of the receiver)",
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

#[test]
fn swift_prefers_just_the_labels_that_are_given() {
    check(
        "=== a.swift
class Door {
  func open(key: String) {}
  func open(_ code: String) {}
  func a() { open(\"1\") }
  func size(of: Int) -> Int { 1 }
}
func b(door: Door, n: Int) -> Int { return n + door.size(of: 1) }
",
        &[
            "a.swift:4 open → a.swift:3 Door.open (high, lexical scope)",
            "a.swift:7 size → a.swift:5 Door.size (high, type of the receiver)",
        ],
    );
}
