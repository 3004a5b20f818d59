//! Casts.

use super::*;

#[test]
fn a_cast_says_what_a_value_is() {
    check(
        "=== a.cs
abstract class W { public abstract int Handle(int r); }
class Other { public int Handle(int r) { return 1; } }
class M {
  Dictionary<int, object> d;
  int A(object x) { var h = (W)d[1]; return h.Handle(1); }
  int B(object x) { var h = x as W; return h.Handle(1); }
  int D(object x) { return ((W)x).Handle(1); }
}
=== A.java
class JW { void handle(int a) {} }
class JO { void handle(int a) {} }
class A { void a(Object x) { var h = (JW) x; h.handle(1); ((JW) x).handle(2); } }
=== a.kt
class KW {
  fun handle(a: Int) {}
}
class KO {
  fun handle(a: Int) {}
}
fun a(x: Any) {
  val h = x as KW
  h.handle(1)
  (x as KW).handle(1)
  (x as? KW)?.handle(1)
  val g = x as? KW ?: return
  g.handle(1)
}
=== a.swift
class SW { func handle() {} }
class SO { func handle() {} }
func a(x: Any) {
  (x as! SW).handle()
  let v = x as! SW
  v.handle()
  if let w = x as? SW { w.handle() }
}
=== a.ts
class TW { handle() {} }
class TO { handle() {} }
function a(x: any) { const h = <TW>x; h.handle(); (x as TW).handle(); const g = x as TW; g.handle() }
=== a.cpp
class XW { public: void handle(); };
class XO { public: void handle(); };
void a(void* x) { static_cast<XW*>(x)->handle(); ((XW*)x)->handle(); auto h = dynamic_cast<XW*>(x); h->handle(); }
",
        &[
            "a.cs:5 Handle → a.cs:1 W.Handle (high, type of the receiver)",
            "a.cs:6 Handle → a.cs:1 W.Handle (high, type of the receiver)",
            "a.cs:7 Handle → a.cs:1 W.Handle (high, type of the receiver)",
            "A.java:3 handle → A.java:1 JW.handle (high, type of the receiver)",
            "a.kt:9 handle → a.kt:2 KW.handle (high, type of the receiver)",
            "a.kt:10 handle → a.kt:2 KW.handle (high, type of the receiver)",
            "a.kt:11 handle → a.kt:2 KW.handle (high, type of the receiver)",
            "a.kt:13 handle → a.kt:2 KW.handle (high, type of the receiver)",
            "a.swift:4 handle → a.swift:1 SW.handle (high, type of the receiver)",
            "a.swift:6 handle → a.swift:1 SW.handle (high, type of the receiver)",
            "a.swift:7 handle → a.swift:1 SW.handle (high, type of the receiver)",
            "a.ts:3 handle → a.ts:1 TW.handle (high, type of the receiver)",
            "a.cpp:3 handle → a.cpp:1 XW.handle (high, type of the receiver)",
        ],
    );
    let found = calls(
        "=== a.cpp
class XW { public: void handle(); };
class XO { public: void handle(); };
void a(void* x) { ((XW*)x)->handle(); auto h = dynamic_cast<XW*>(x); h->handle(); }
",
        &[],
    );
    assert!(!found.contains("handle → nothing"), "{found}");
}
