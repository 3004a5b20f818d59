//! Values that patterns of Rust destructure, and names of the standard library.

use super::*;

#[test]
fn fields_that_a_pattern_names_have_their_types() {
    check(
        "=== src/lib.rs
pub struct Name;
impl Name { pub fn text(&self) {} }
pub struct Other;
impl Other { pub fn text(&self) {} }
pub struct Pair(Name, Other);
pub struct Plain { name: Name, other: Other }
pub enum Tree {
  Leaf { name: Name },
  Both { left: Box<Self>, other: Other },
  Two(Name, Other),
}
impl Tree {
  fn walk(&self) {
    match self {
      Self::Leaf { name } => name.text(),
      Self::Both { left, other: second } => {
        left.walk();
        second.text();
      }
      Tree::Two(_, last) => last.text(),
    }
  }
}
fn named(tree: &Tree) {
  use Tree::*;
  if let Both { left, .. } = tree { left.walk(); }
}
fn take(pair: Pair, Plain { name, .. }: Plain, plain: Plain) {
  let Pair(first, second) = pair;
  first.text();
  second.text();
  let Plain { ref other, .. } = plain;
  other.text();
}
",
        &[
            "src/lib.rs:15 text → src/lib.rs:2 Name.text (high, type of the receiver)",
            "src/lib.rs:17 walk → src/lib.rs:13 Tree.walk (high, type of the receiver)",
            "src/lib.rs:18 text → src/lib.rs:4 Other.text (high, type of the receiver)",
            "src/lib.rs:20 text → src/lib.rs:4 Other.text (high, type of the receiver)",
            "src/lib.rs:26 walk → src/lib.rs:13 Tree.walk (high, type of the receiver)",
            "src/lib.rs:30 text → src/lib.rs:2 Name.text (high, type of the receiver)",
            "src/lib.rs:31 text → src/lib.rs:4 Other.text (high, type of the receiver)",
            "src/lib.rs:33 text → src/lib.rs:4 Other.text (high, type of the receiver)",
        ],
    );
}

#[test]
fn a_blank_in_a_pattern_has_its_place() {
    check(
        "=== src/lib.rs
pub struct Name;
impl Name { pub fn text(&self) {} }
pub struct Other;
impl Other { pub fn text(&self) {} }
pub struct Three(Name, Other, Name);
fn both() -> (Name, Other) { loop {} }
fn three() -> (Name, Other, Name) { loop {} }
fn take(it: Three, all: Vec<Other>) {
  let (_, other) = both();
  other.text();
  let (_, _, last) = three();
  last.text();
  let Three(_, second, _) = it;
  second.text();
  for (_, one) in all.iter().enumerate() { one.text(); }
}
",
        &[
            "src/lib.rs:10 text → src/lib.rs:4 Other.text (high, type of the receiver)",
            "src/lib.rs:12 text → nothing",
            "src/lib.rs:14 text → src/lib.rs:4 Other.text (high, type of the receiver)",
            "src/lib.rs:15 text → src/lib.rs:4 Other.text (high, type of the receiver)",
        ],
    );
}

#[test]
fn places_beyond_the_second_are_not_taken_for_it() {
    check(
        "=== src/lib.rs
pub struct Name;
impl Name { pub fn text(&self) {} }
pub struct Other;
impl Other { pub fn text(&self) {} }
pub struct Three(Name, Name, Other);
fn three() -> (Name, Name, Other) { loop {} }
fn take(a: Three, b: Three, c: Three) {
  let Three(_, second, third) = a;
  second.text();
  third.text();
  let Three(.., last) = b;
  last.text();
  let Three(_, _, mut changed) = c;
  changed.text();
  let (_, also, none) = three();
  also.text();
  none.text();
  let (.., end) = three();
  end.text();
}
",
        &[
            "src/lib.rs:9 text → src/lib.rs:2 Name.text (high, type of the receiver)",
            "src/lib.rs:10 text → nothing",
            "src/lib.rs:12 text → nothing",
            "src/lib.rs:14 text → nothing",
            "src/lib.rs:16 text → src/lib.rs:2 Name.text (high, type of the receiver)",
            "src/lib.rs:17 text → nothing",
            "src/lib.rs:19 text → nothing",
        ],
    );
}

#[test]
fn who_sees_a_struct_is_no_part_of_what_it_holds() {
    check(
        "=== src/lib.rs
pub struct Name;
impl Name { pub fn text(&self) {} }
pub struct Other;
impl Other { pub fn text(&self) {} }
pub(crate) struct Wrap(Name);
pub(in crate::deep) struct Second(pub(crate) Other, pub(in crate::deep) Name);
fn take(wrap: Wrap, second: Second) {
  wrap.0.text();
  second.1.text();
  let Wrap(name) = wrap;
  name.text();
}
",
        &[
            "src/lib.rs:8 text → src/lib.rs:2 Name.text (high, type of the receiver)",
            "src/lib.rs:9 text → src/lib.rs:2 Name.text (high, type of the receiver)",
            "src/lib.rs:11 text → src/lib.rs:2 Name.text (high, type of the receiver)",
        ],
    );
}

#[test]
fn what_the_library_has_is_not_linked_by_its_name_alone() {
    check(
        "=== src/lib.rs
pub struct Range;
impl Range {
  pub fn display(&self) {}
  pub fn bounds_of_it(&self) {}
}
fn show(path: Unseen) {
  let it = unseen!(path);
  it.display();
  it.bounds_of_it();
}
=== a.py
class Formatter:
    def getvalue(self):
        pass
    def laid_out(self):
        pass
def show(it):
    it.getvalue()
    it.laid_out()
",
        &[
            "src/lib.rs:8 display → nothing",
            "src/lib.rs:9 bounds_of_it → src/lib.rs:4 Range.bounds_of_it (medium, only member of that name)",
            "a.py:7 getvalue → nothing",
            "a.py:8 laid_out → a.py:4 Formatter.laid_out (medium, only member of that name)",
        ],
    );
}

#[test]
fn types_of_libraries_may_be_called_otherwise_and_macros_be_given_types() {
    check(
        "=== src/lib.rs
use std::result::Result as StdResult;
pub type Outcome<T> = StdResult<T, Fault>;
pub struct Found;
impl Found { pub fn one<T>(&self, key: &str) {} }
pub struct Fault;
impl Fault { pub fn one(&self) {} }
fn find() -> Outcome<Found> { loop {} }
fn test() {
  let found = find().unwrap();
  assert_eq!(found.one::<String>(\"a\"), 1);
  let fault = find().unwrap_err();
  fault.one();
  find().map_err(|failed| failed.one());
  find().map(|it| it.one(\"b\"));
}
",
        &[
            "src/lib.rs:10 one → src/lib.rs:4 Found.one (high, type of the receiver)",
            "src/lib.rs:12 one → src/lib.rs:6 Fault.one (high, type of the receiver)",
            "src/lib.rs:13 one → src/lib.rs:6 Fault.one (high, type of the receiver)",
            "src/lib.rs:14 one → src/lib.rs:4 Found.one (high, type of the receiver)",
        ],
    );
}
