//! Rules that repositories showed which were not looked at when the others were made.

use super::*;

#[test]
fn rust_tests_begin_crates_and_have_modules() {
    check(
        "=== tests/all.rs
mod feature;
mod util;
use util::Dir;
fn main() { Dir::new(); feature::run(); }
=== tests/feature.rs
use crate::util::Dir;
pub fn run() { Dir::new().open(); }
=== tests/util/mod.rs
mod inner;
pub struct Dir;
impl Dir { pub fn new() -> Dir { Dir } pub fn open(&self) { crate::util::inner::help(); } }
=== tests/util/inner.rs
pub fn help() {}
=== src/lib.rs
mod tests;
pub fn top() {}
=== src/tests/mod.rs
mod one;
=== src/tests/one.rs
fn go() { crate::top(); }
=== src/main.rs
mod own;
fn main() { own::start(); }
pub fn stop() {}
=== src/own.rs
pub fn start() { crate::stop(); }
",
        &[
            "tests/all.rs:4 new → tests/util/mod.rs:3 Dir.new (high, type of the receiver)",
            "tests/all.rs:4 run → tests/feature.rs:2 run (high, qualified path)",
            "tests/feature.rs:2 new → tests/util/mod.rs:3 Dir.new (high, type of the receiver)",
            "tests/feature.rs:2 open → tests/util/mod.rs:3 Dir.open (high, type of the receiver)",
            "tests/util/mod.rs:3 help → tests/util/inner.rs:1 help (high, import)",
            "src/tests/one.rs:1 top → src/lib.rs:2 top (high, import)",
            "src/own.rs:1 stop → src/main.rs:3 stop (high, import)",
        ],
    );
}

#[test]
fn rust_macros_are_no_functions() {
    check(
        "=== src/lib.rs
#[macro_use]
mod macros;
mod a;
=== src/macros.rs
macro_rules! trace { () => {} }
=== src/a.rs
pub struct Hir;
impl Hir { pub fn char(c: char) -> Hir { Hir } pub fn union(&self) {} pub fn default() -> Hir { Hir } }
fn format() {}
fn go() {
    trace!(\"x\");
    let x = format!(\"y\");
    format();
    assert_eq!(Hir::char('a'), Hir::default());
    assert!(x.union(1), union(2));
}
mod tests {
    macro_rules! assert_eq { () => {} }
    fn in_tests() { assert_eq!(1, 1); }
}
",
        &[
            "src/a.rs:5 trace → src/macros.rs:1 trace (high, same package)",
            "src/a.rs:6 format → nothing",
            "src/a.rs:7 format → src/a.rs:3 format (high, same file)",
            "src/a.rs:8 assert_eq → nothing",
            "src/a.rs:8 char → src/a.rs:2 Hir.char (high, type of the receiver)",
            "src/a.rs:8 default → src/a.rs:2 Hir.default (high, type of the receiver)",
            "src/a.rs:13 assert_eq → src/a.rs:12 tests.assert_eq (high, same file)",
        ],
    );
}

#[test]
fn python_enters_what_with_gives() {
    check(
        "=== a.py
from typing import Iterator
from contextlib import contextmanager
class Response:
    def text(self): ...
class Base:
    def __enter__(self):
        return self
class Client(Base):
    def get(self): ...
class Pending:
    async def __aenter__(self) -> Response: ...
def send() -> Pending: ...
@contextmanager
def opened() -> Iterator[Response]: ...
async def go():
    with Client() as client:
        client.get()
    async with send() as response:
        response.text()
    with opened() as other:
        other.text()
",
        &[
            "a.py:17 get → a.py:9 Client.get (high, type of the receiver)",
            "a.py:19 text → a.py:4 Response.text (high, type of the receiver)",
            "a.py:21 text → a.py:4 Response.text (high, type of the receiver)",
        ],
    );
}

#[test]
fn a_narrower_type_may_be_meant() {
    check(
        "=== a.ts
export class Driver { connect() {} }
export class FileDriver extends Driver { exportDatabase() {} }
export class Other { exportAll() {} }
function go(driver: Driver) {
  if (driver instanceof FileDriver) { driver.exportDatabase(); driver.exportAll(); }
}
",
        &[
            "a.ts:5 exportDatabase → a.ts:2 FileDriver.exportDatabase (medium, only member of that name)",
            "a.ts:5 exportAll → nothing",
        ],
    );
}

#[test]
fn rust_follows_items_targets_places_and_closures() {
    check(
        "=== src/lib.rs
use std::ops::Deref;
mod open;
use open::open;
pub struct Token;
impl Token { pub fn lexeme(&self) {} }
pub struct Name { token: Token }
impl Deref for Name { type Target = Token; fn deref(&self) -> &Token { &self.token } }
pub struct States<'a> { all: &'a [Name] }
impl<'a> Iterator for States<'a> {
    type Item = Name;
    fn next(&mut self) -> Option<Self::Item> { None }
}
pub struct Pair(pub Token, Name);
trait Walk { fn len(&self); }
impl Walk for Pair { fn len(&self) {} }
impl Pair { fn len(&self) {} }
impl<'a, W: Walk + ?Sized> Walk for &'a W { fn len(&self) { (**self).len() } }
fn set(with: impl FnMut(Token) -> bool) {}
fn each<F>(with: F) where F: Fn(&Name) {}
fn go(states: States, pair: Pair, names: Vec<Name>) {
    for state in states { state.lexeme(); }
    pair.0.lexeme();
    pair.len();
    set(|token| token.lexeme());
    each(|name| name.lexeme());
    for (index, name) in names.iter().enumerate() { name.lexeme(); }
    open();
}
=== src/open.rs
pub fn open() {}
",
        &[
            "src/lib.rs:17 len → src/lib.rs:14 Walk.len (high, requirement of the receiver's interface)",
            "src/lib.rs:21 lexeme → src/lib.rs:5 Token.lexeme (high, base of the receiver's type)",
            "src/lib.rs:22 lexeme → src/lib.rs:5 Token.lexeme (high, type of the receiver)",
            "src/lib.rs:23 len → src/lib.rs:16 Pair.len (high, type of the receiver)",
            "src/lib.rs:24 lexeme → src/lib.rs:5 Token.lexeme (high, type of the receiver)",
            "src/lib.rs:25 lexeme → src/lib.rs:5 Token.lexeme (high, base of the receiver's type)",
            "src/lib.rs:26 lexeme → src/lib.rs:5 Token.lexeme (high, base of the receiver's type)",
            "src/lib.rs:27 open → src/open.rs:1 open (high, import)",
        ],
    );
}

#[test]
fn python_takes_pairs_apart() {
    check(
        "=== a.py
class Stream:
    def feed(self): ...
class Seen:
    def show(self): ...
def make() -> tuple[Stream, Seen]: ...
def go(streams: list[Stream], table: dict[str, Stream]):
    stream, seen = make()
    stream.feed()
    seen.show()
    for index, one in enumerate(streams):
        one.feed()
    for key, other in table.items():
        other.feed()
",
        &[
            "a.py:8 feed → a.py:2 Stream.feed (high, type of the receiver)",
            "a.py:9 show → a.py:4 Seen.show (high, type of the receiver)",
            "a.py:11 feed → a.py:2 Stream.feed (high, type of the receiver)",
            "a.py:13 feed → a.py:2 Stream.feed (high, type of the receiver)",
        ],
    );
}

#[test]
fn rust_waits_for_outputs_and_renames_macros() {
    check(
        "=== src/lib.rs
#[macro_use]
mod macros;
mod serve;
pub use serve::serve;
use crate::__log as log;
pub struct Request;
pub struct Answer;
impl Answer { fn text(&self) {} }
impl IntoFuture for Request { type Output = Answer; }
async fn go(request: Request) {
    request.await.text();
    crate::serve();
    log!(1);
    (Answer, 1).text();
}
=== src/macros.rs
macro_rules! __log { () => {} }
=== src/serve.rs
pub fn serve() {}
",
        &[
            "src/lib.rs:11 text → src/lib.rs:8 Answer.text (high, type of the receiver)",
            "src/lib.rs:12 serve → src/serve.rs:1 serve (high, import)",
            "src/lib.rs:13 log → src/macros.rs:1 __log (high, same package)",
            "src/lib.rs:14 text → nothing",
        ],
    );
}
