//! Types that stand before their members are mentioned there.

use super::*;

#[test]
fn a_type_before_its_member_is_mentioned() {
    let table = symbol_table(
        "=== a.php
<?php
class HU { public static function f() { return 1; } }
function g() { return HU::f(); }
=== a.rs
struct RU; impl RU { fn f() -> i32 { 1 } }
enum Color { Red }
fn g() -> i32 { RU::f() }
fn h() { run(Color::Red); other::Thing::new(); }
=== a.ts
class TU { static f() { return 1 } }
interface Node { a: number }
const Node = { create() {} }
function g() { return TU.f() }
function h() { return Node.create() }
=== b.ts
import { TU as Renamed } from './a'
function g(TU: any) { TU.f(); Renamed.f() }
=== a.py
class PU:
    @staticmethod
    def f(): return 1
def g(): return PU.f()
=== a.swift
struct SU { static func f() -> Int { 1 }; static let k = 3 }
func g() -> Int { SU.f() }
func h() -> Int { SU.k }
=== a.kt
object KU {
  fun f() = 1
}
fun g() = KU.f()
=== a.cs
static class CU { public static int F() { return 1; } }
class CV { int G() { return CU.F(); } }
=== A.java
class U { static int f() { return 1; } }
class V { int g() { return U.f(); } }
=== a.cpp
class reg { public: static int f(); };
int g() { return reg::f() + std::max(1, 2); }
",
        &[],
        Load::Lazy,
    );
    let mut found = Vec::new();
    for file in 0..table.files.len() as FileIndex {
        let resolver = Resolver::new(&table, file);
        for reference in &table.references(file) {
            let meaning = resolver.resolve_reference(file, reference);
            let Some(meaning) = meaning.filter(|_| reference.kind == ReferenceKind::Type) else {
                continue;
            };
            let Some(ResolvedTarget::Symbol(id)) = meaning.targets.first() else {
                continue;
            };
            let (path, name) = (&table.file(file).path, &table.symbol(*id).name);
            found.push(format!("{path}:{} {name}", reference.line));
        }
    }
    let expected = [
        "a.php:3 HU",
        "a.rs:3 RU",
        "a.rs:4 Color",
        "a.ts:4 TU",
        "b.ts:2 TU",
        "a.py:4 PU",
        "a.swift:2 SU",
        "a.swift:3 SU",
        "a.kt:4 KU",
        "a.cs:2 CU",
        "A.java:2 U",
        "a.cpp:2 reg",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_constant_of_an_enum_that_has_a_body_is_a_value_of_the_enum() {
    check(
        "=== Policy.java
enum Policy {
  PLAIN { void write() {} },
  TEXT { void write() {} void own() { write(); } };
  abstract void write();
  static class Inner { static void go() {} }
}
class User {
  void all() {
    Policy.PLAIN.write();
    Policy.Inner.go();
  }
}
=== policy.kt
enum class Shade {
  LIGHT { override fun paint() {} };
  abstract fun paint()
}
fun use() {
  Shade.LIGHT.paint()
}
",
        &[
            "Policy.java:3 write → Policy.java:3 Policy.TEXT.write (high, lexical scope)",
            "Policy.java:9 write → Policy.java:4 Policy.write (high, type of the receiver)",
            "Policy.java:10 go → Policy.java:5 Policy.Inner.go (high, type of the receiver)",
            "policy.kt:6 paint → policy.kt:3 Shade.paint (high, type of the receiver)",
        ],
    );
}
