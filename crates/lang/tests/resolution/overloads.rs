//! Overload resolution: the choice among several functions of one name.

use super::*;

#[test]
fn swift_overloads_need_all_without_defaults_and_closures_functions() {
    check(
        "=== a.swift
typealias Done = (Int) -> Void
class C {
  func f(key: Int, opt: Int? = nil, queue: Int = 1, done: (() -> Void)?) {}
  func f(key: Int, opt: Int? = nil) async -> Int { 1 }
  func g(key: Int, done: Done? = nil) {}
  func g(key: Int, count: Int) {}
  func h(key: Int) {}
  func h(key: Int) async {}
  func get(_ h: (Int) -> Void) {}
  func get(_ h: Int) {}
}
func sync(c: C) { c.f(key: 1) { print(1) } }
func asy(c: C) async { await c.f(key: 1) }
func asy2(c: C) async { let x = try await c.f(key: 1, opt: 2) }
func sync2(c: C) { c.f(key: 1, opt: 3) { print(1) } }
func sync3(c: C) { c.f(key: 1, done: { print(1) }) }
func sync4(c: C) { c.f(key: 1, opt: 1, queue: 2) { print(1) } }
func other(c: C) { c.g(key: 1) { print(1) }
  c.g(key: 1)
  c.g(key: 1, count: 2)
  c.h(key: 1)
  c.get { print(1) } }
func last(c: C) async { await c.h(key: 1)
  await c.get { c.h(key: 2) } }
",
        &[
            "a.swift:12 f → a.swift:3 C.f (high, type of the receiver)",
            "a.swift:13 f → a.swift:4 C.f (high, type of the receiver)",
            "a.swift:14 f → a.swift:4 C.f (high, type of the receiver)",
            "a.swift:15 f → a.swift:3 C.f (high, type of the receiver)",
            "a.swift:16 f → a.swift:3 C.f (high, type of the receiver)",
            "a.swift:17 f → a.swift:3 C.f (high, type of the receiver)",
            "a.swift:18 g → a.swift:5 C.g (high, type of the receiver)",
            "a.swift:19 g → a.swift:5 C.g (high, type of the receiver)",
            "a.swift:20 g → a.swift:6 C.g (high, type of the receiver)",
            "a.swift:21 h → a.swift:7 C.h (high, type of the receiver)",
            "a.swift:22 get → a.swift:9 C.get (high, type of the receiver)",
            "a.swift:23 h → a.swift:8 C.h (high, type of the receiver)",
            "a.swift:24 h → a.swift:7 C.h (high, type of the receiver)",
        ],
    );
}

#[test]
fn what_has_a_default_may_be_left_out_and_nothing_else() {
    check(
        "=== a.kt
class K {
  fun f(a: Int, b: Int = 1) {}
  fun f(a: Int, b: Int, c: Int, d: Int) {}
  fun g(a: Int, b: Int) {}
  fun g(a: Int, done: () -> Unit) {}
}
fun use(k: K) {
  k.f(1)
  k.g(1) { print(1) }
}
=== a.cs
class C {
  public void F(int a, string b = \"x\") {}
  public void F(int a, int b, int c) {}
  public void G(string a, params object[] rest) {}
  public void G(string a, int b, int c, int d, int e) {}
  void Use() { F(1); G(\"a\", 1, 2, 3); }
}
=== a.cpp
class X { public:
  void f(int a, int b = 1);
  void f(int a, int b, int c);
};
void X::f(int a, int b) {}
void X::f(int a, int b, int c) {}
void use(X* x) { x->f(1); }
=== A.java
class A {
  void f(String a, Object... rest) {}
  void f(int a, int b, int c, int d) {}
  void use() { f(\"a\", 1, 2); }
}
",
        &[
            "a.kt:8 f → a.kt:2 K.f (high, type of the receiver)",
            "a.kt:9 g → a.kt:5 K.g (high, type of the receiver)",
            "a.cs:6 F → a.cs:2 C.F (high, lexical scope)",
            "a.cs:6 G → a.cs:4 C.G (high, lexical scope)",
            "a.cpp:7 f → a.cpp:2 X.f + a.cpp:5 X.f (high, type of the receiver)",
            "A.java:4 f → A.java:2 A.f (high, lexical scope)",
        ],
    );
}
