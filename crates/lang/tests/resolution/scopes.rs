//! Where a variable begins and ends to be what a name means.

use super::*;

#[test]
fn a_variable_may_have_the_name_of_the_function_around_it() {
    check(
        "=== b.ts
class Tag { check() {} }
function mk(): Tag { return new Tag() }
class S {
  tag(items: Tag[]) { for (const tag of items) { tag.check() } }
  field = () => { const field = mk(); field.check() }
}
function g() { const g = mk(); g.check() }
const h = () => { const h = mk(); h.check() }
const again = (n: number) => { if (n) again(n - 1) }
const log = { debug() {}, all() { log.debug() } }
const made = wrap(() => { const made = mk(); made.check() })
=== a.py
class Tag:
    def check(self, v): return True
def mk() -> Tag: return Tag()
def tag(items: list[Tag]):
    for tag in items:
        tag.check(1)
class S:
    def tag(self):
        tag = mk()
        tag.check(1)
=== a.rs
struct Tag; impl Tag { fn check(&self) {} }
fn mk() -> Tag { Tag }
fn tag() { let tag = mk(); tag.check(); }
=== a.go
package a
type Tag struct{}
func (t *Tag) Check() {}
func mk() *Tag { return &Tag{} }
func tag() { tag := mk(); tag.Check() }
=== a.swift
class Tag { func check() {} }
func mkS() -> Tag { return Tag() }
func tag() { let tag = mkS(); tag.check() }
=== A.java
class Tag { void check() {} }
class A { static Tag mk() { return new Tag(); }
 void tag() { Tag tag = mk(); tag.check(); }
}
=== a.kt
class KTag {
  fun check() {}
}
fun mkk(): KTag = KTag()
fun tag() { 
  val tag = mkk()
  tag.check()
}
=== a.cs
class CTag { public void Check() {} }
class CA { static CTag Mk() { return new CTag(); }
 void tag() { CTag tag = Mk(); tag.Check(); }
}
",
        &[
            "b.ts:4 check → b.ts:1 Tag.check (high, type of the receiver)",
            "b.ts:5 check → b.ts:1 Tag.check (high, type of the receiver)",
            "b.ts:7 check → b.ts:1 Tag.check (high, type of the receiver)",
            "b.ts:8 check → b.ts:1 Tag.check (high, type of the receiver)",
            "b.ts:9 again → b.ts:9 again (high, same file)",
            "b.ts:10 debug → b.ts:10 log.debug (high, qualified path)",
            "b.ts:11 check → b.ts:1 Tag.check (high, type of the receiver)",
            "a.py:6 check → a.py:2 Tag.check (high, type of the receiver)",
            "a.py:10 check → a.py:2 Tag.check (high, type of the receiver)",
            "a.rs:3 check → a.rs:1 Tag.check (high, type of the receiver)",
            "a.go:5 Check → a.go:3 Tag.Check (high, type of the receiver)",
            "a.swift:3 check → a.swift:1 Tag.check (high, type of the receiver)",
            "A.java:3 check → A.java:1 Tag.check (high, type of the receiver)",
            "a.kt:7 check → a.kt:2 KTag.check (high, type of the receiver)",
            "a.cs:3 Check → a.cs:1 CTag.Check (high, type of the receiver)",
        ],
    );
}

#[test]
fn what_a_closure_or_a_block_declares_ends_with_it() {
    check(
        "=== a.go
package m
type Req struct{}
func (q *Req) Foo() {}
type Mux struct{}
func New() *Mux { return &Mux{} }
func (m *Mux) Get(h func(r *Req)) {}
func (m *Mux) Serve() {}
func a() {
	r := New()
	r.Get(func(r *Req) { r.Foo() })
	r.Serve()
}
func b(r *Mux) {
	if r := (&Req{}); r != nil { r.Foo() }
	for _, r := range []*Req{} { r.Foo() }
	r.Serve()
}
=== a.rs
struct Req; impl Req { fn foo(&self) {} }
struct Mux; impl Mux { fn get(&self, h: fn(&Req)) {} fn serve(&self) {} }
fn mk() -> Mux { Mux }
fn a() { let r = mk(); r.get(|r: &Req| r.foo()); r.serve(); }
fn b(r: Mux, q: Option<Req>) {
    if let Some(r) = q { r.foo(); }
    match q { Some(r) => r.foo(), None => r.serve() }
    { let r = Req {}; r.foo(); }
    r.serve();
}
=== a.ts
class Req { foo() {} }
class Mux { get(h: (r: Req) => void) {} serve() {} }
function mk(): Mux { return new Mux() }
function a() { const r = mk(); r.get((r: Req) => { r.foo() }); r.serve() }
function b() { const r = mk(); { const r = new Req(); r.foo() }
  for (const r of [new Req()]) r.foo()
  r.serve() }
function c() {
  if (mk()) { var late = mk() }
  late.serve() }
=== a.swift
class Req { func foo() {} }
class Mux { func get(_ h: (Req) -> Void) {}; func serve() {} }
func mk() -> Mux { Mux() }
func one() -> Req? { nil }
func a() {
  let r = mk()
  r.get { r in r.foo() }
  r.get { (r: Req) in
    r.foo()
    let s = mk()
    s.serve()
  }
  if let r = one() { r.foo() }
  for r in [Req()] { r.foo() }
  r.serve()
}
func b(r: Mux) {
  guard let r = one() else { return }
  r.foo()
}
func c() {
  mk().get { mk().get { $0.foo() }; $0.foo() }
}
",
        &[
            "a.go:10 Foo → a.go:3 Req.Foo (high, type of the receiver)",
            "a.go:11 Serve → a.go:7 Mux.Serve (high, type of the receiver)",
            "a.go:14 Foo → a.go:3 Req.Foo (high, type of the receiver)",
            "a.go:15 Foo → a.go:3 Req.Foo (high, type of the receiver)",
            "a.go:16 Serve → a.go:7 Mux.Serve (high, type of the receiver)",
            "a.rs:4 foo → a.rs:1 Req.foo (high, type of the receiver)",
            "a.rs:4 serve → a.rs:2 Mux.serve (high, type of the receiver)",
            "a.rs:6 foo → a.rs:1 Req.foo (high, type of the receiver)",
            "a.rs:7 foo → a.rs:1 Req.foo (high, type of the receiver)",
            "a.rs:7 serve → a.rs:2 Mux.serve (high, type of the receiver)",
            "a.rs:8 foo → a.rs:1 Req.foo (high, type of the receiver)",
            "a.rs:9 serve → a.rs:2 Mux.serve (high, type of the receiver)",
            "a.ts:4 foo → a.ts:1 Req.foo (high, type of the receiver)",
            "a.ts:4 serve → a.ts:2 Mux.serve (high, type of the receiver)",
            "a.ts:6 foo → a.ts:1 Req.foo (high, type of the receiver)",
            "a.ts:7 serve → a.ts:2 Mux.serve (high, type of the receiver)",
            "a.ts:10 serve → a.ts:2 Mux.serve (high, type of the receiver)",
            "a.swift:7 foo → a.swift:1 Req.foo (high, type of the receiver)",
            "a.swift:9 foo → a.swift:1 Req.foo (high, type of the receiver)",
            "a.swift:13 foo → a.swift:1 Req.foo (high, type of the receiver)",
            "a.swift:14 foo → a.swift:1 Req.foo (high, type of the receiver)",
            "a.swift:15 serve → a.swift:2 Mux.serve (high, type of the receiver)",
            "a.swift:19 foo → a.swift:1 Req.foo (high, type of the receiver)",
            "a.swift:22 foo → a.swift:1 Req.foo (high, type of the receiver)",
        ],
    );
}

#[test]
fn a_field_is_seen_again_after_a_block() {
    check(
        "=== A.java
class Req { void foo() {} }
class Mux { void get(Consumer<Req> h) {} void serve() {} }
class A { static Mux mk() { return new Mux(); }
  Mux r;
  void c() { { Req r = new Req(); r.foo(); } r.serve(); }
  void d() { for (Req r : all()) { r.foo(); } r.serve(); }
  void e() { try { r.serve(); } catch (Req r) { r.foo(); } r.serve(); }
  void f() { mk().get(r -> r.foo()); r.serve(); }
}
=== a.kt
class KReq {
  fun foo() {}
}
class KMux {
  fun get(h: (KReq) -> Unit) {}
  fun serve() {}
}
fun mk(): KMux = KMux()
fun a(all: List<KReq>) {
  val r = mk()
  r.get { r -> r.foo() }
  for (r in all) { r.foo() }
  r.serve()
}
=== a.cs
class CReq { public void Foo() {} }
class CMux { public void Get(System.Action<CReq> h) {} public void Serve() {} }
class CA { CMux r;
  void a() { r.Get(r => r.Foo()); r.Serve(); }
  void b() { foreach (CReq r in all()) { r.Foo(); } r.Serve(); }
  void c() { { var r = new CReq(); r.Foo(); } r.Serve(); }
}
=== a.py
class Req:
    def foo(self): ...
class Mux:
    def serve(self): ...
def a(all: list[Req]):
    r = Mux()
    [r.foo() for r in all]
    sorted(all, key=lambda r: r.name)
    r.serve()
def b(all: list[Req]):
    for q in all:
        pass
    q.foo()
",
        &[
            "A.java:5 foo → A.java:1 Req.foo (high, type of the receiver)",
            "A.java:5 serve → A.java:2 Mux.serve (high, type of the receiver)",
            "A.java:6 foo → A.java:1 Req.foo (high, type of the receiver)",
            "A.java:6 serve → A.java:2 Mux.serve (high, type of the receiver)",
            "A.java:7 foo → A.java:1 Req.foo (high, type of the receiver)",
            "A.java:7 serve → A.java:2 Mux.serve (high, type of the receiver)",
            "A.java:8 serve → A.java:2 Mux.serve (high, type of the receiver)",
            "a.kt:12 foo → a.kt:2 KReq.foo (high, type of the receiver)",
            "a.kt:13 serve → a.kt:6 KMux.serve (high, type of the receiver)",
            "a.cs:4 Serve → a.cs:2 CMux.Serve (high, type of the receiver)",
            "a.cs:5 Foo → a.cs:1 CReq.Foo (high, type of the receiver)",
            "a.cs:5 Serve → a.cs:2 CMux.Serve (high, type of the receiver)",
            "a.cs:6 Serve → a.cs:2 CMux.Serve (high, type of the receiver)",
            "a.py:7 foo → a.py:2 Req.foo (high, type of the receiver)",
            "a.py:9 serve → a.py:4 Mux.serve (high, type of the receiver)",
            "a.py:13 foo → a.py:2 Req.foo (high, type of the receiver)",
        ],
    );
}
