//! Resolution on small sources: one `check` around tables of files and the edges that they make.

#![allow(clippy::unwrap_used)]

mod bare_words;
mod casts;
mod closures;
mod commonjs;
mod constants;
mod cpp;
mod facades;
mod go;
mod impls;
mod languages;
mod literals;
mod mixins;
mod overloads;
mod patterns;
mod qualifiers;
mod regressions;
mod scopes;
mod swift;
mod typescript;

use std::collections::BTreeSet;
use std::sync::Arc;

use kenning_lang::code;
use kenning_lang::languages::resolution_rules;
use kenning_model::{
    Binding, CodeFacts, DepKind, Dependency, GraphFile, Heritage, LookupKey, Package, Reference,
    ReferenceKind, RepoPath, Symbol,
};
use kenning_resolve::{
    CompilerIndex, FactSource, FileIndex, Packages, ResolvedEdges, ResolvedTarget, Resolver,
    SymbolId, SymbolTable, lookup_keys, resolve_file, resolve_heritage,
};

/// Facts as they were extracted.
struct Extracted {
    facts: Vec<CodeFacts>,
    keys: Vec<BTreeSet<u32>>,
}

impl FactSource for Extracted {
    fn symbols(&self, file: FileIndex) -> Vec<Symbol> {
        self.facts[file as usize].symbols.clone()
    }

    fn heritage(&self, file: FileIndex) -> Vec<Heritage> {
        self.facts[file as usize].heritage.clone()
    }

    fn imports_and_bindings(&self, file: FileIndex) -> (Vec<Reference>, Vec<Binding>) {
        let mut imports = self.references(file);
        imports.retain(|one| matches!(one.kind, ReferenceKind::Import | ReferenceKind::Export));
        (imports, self.facts[file as usize].bindings.clone())
    }

    fn references(&self, file: FileIndex) -> Vec<Reference> {
        self.facts[file as usize].references.clone()
    }

    fn files_with(&self, key: LookupKey) -> Vec<FileIndex> {
        let has_key = |file: &FileIndex| self.keys[*file as usize].contains(&key.hash());
        (0..self.keys.len() as FileIndex).filter(has_key).collect()
    }
}

/// How the facts of files are read: all at once, or when something of a file is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    Eager,
    Lazy,
}

/// Files as `=== path` lines followed by text.
fn symbol_table(sources: &str, packages: &[Package], load: Load) -> SymbolTable {
    let mut files = Vec::new();
    let (mut facts, mut keys) = (Vec::new(), Vec::new());
    for (id, part) in sources.split("=== ").skip(1).enumerate() {
        let (path, text) = part.split_once('\n').unwrap();
        let path = RepoPath::new(path.trim()).unwrap();
        let read = code::read(&path, text);
        keys.push(lookup_keys(resolution_rules(read.language), (&read).into()));
        files.push(GraphFile {
            id: id as i64,
            path,
            language: read.language.to_string(),
            package: Some("any".to_string()),
            hash: Vec::new(),
            modified_ns: 0,
        });
        facts.push(read);
    }
    let source = Arc::new(Extracted { facts, keys });
    let mut table = SymbolTable::new(files, Packages::new(packages), source, resolution_rules);
    if load == Load::Eager {
        table.load_all(&kenning_model::Silent);
    }
    table
}

/// Every call, a line each: where, what, and what it leads to. It is the same whether all files are
/// looked at or only those that something is asked of.
#[track_caller]
fn calls(sources: &str, packages: &[Package]) -> String {
    let [all, asked] = [Load::Eager, Load::Lazy].map(|load| {
        let table = symbol_table(sources, packages, load);
        let files = 0..table.files.len() as FileIndex;
        let resolved = files.map(|file| resolve_file(&table, &CompilerIndex::default(), file));
        let sorted = |mut edges: ResolvedEdges| {
            edges.dependencies.sort();
            edges
        };
        let resolved: Vec<ResolvedEdges> = resolved.map(sorted).collect();
        (calls_in(&table), resolved)
    });
    assert_eq!(all, asked);
    all.0
}

fn calls_in(table: &SymbolTable) -> String {
    let mut lines = Vec::new();
    for file in 0..table.files.len() as FileIndex {
        let resolver = Resolver::new(table, file);
        for reference in &table.references(file) {
            if reference.kind != ReferenceKind::Call {
                continue;
            }
            let path = &table.file(file).path;
            let Some(meaning) = resolver.resolve_reference(file, reference) else {
                lines.push(format!("{path}:{} {} → nothing", reference.line, reference.name));
                continue;
            };
            let targets = meaning.targets.iter().map(|target| match target {
                ResolvedTarget::Symbol(id) => {
                    let symbol = table.symbol(*id);
                    let scope = symbol.scope.as_deref().map(|scope| format!("{scope}."));
                    let name = format!("{}{}", scope.unwrap_or_default(), symbol.name);
                    format!("{}:{} {name}", table.file(id.file).path, symbol.line)
                }
                ResolvedTarget::Module(module) => format!("{module:?}"),
            });
            let targets: Vec<String> = targets.collect();
            let (confidence, reason) = (meaning.confidence.as_str(), meaning.reason.as_str());
            lines.push(format!(
                "{path}:{} {} → {} ({confidence}, {reason})",
                reference.line,
                reference.name,
                targets.join(" + ")
            ));
        }
    }
    lines.join("\n")
}

#[track_caller]
fn check(sources: &str, expected: &[&str]) {
    check_in(sources, &[], expected);
}

#[track_caller]
fn check_in(sources: &str, packages: &[Package], expected: &[&str]) {
    let found = calls(sources, packages);
    for line in expected {
        assert!(found.lines().any(|known| known == *line), "no {line}\nin\n{found}");
    }
}

#[test]
fn typescript_follows_imports_barrels_fields_and_returned_types() {
    check(
        "=== src/user.ts
export class User { rename(name: string): void {} }
export default class Admin extends User { promote() { this.rename('x'); } }
=== src/index.ts
export * from './user';
export { default as Boss } from './user';
=== src/repo.ts
import { User } from './index';
export class Repo<T> { private items: T[] = []; first(): T { return this.items[0]; } }
export function open() { return new Repo<User>(); }
export const log = { debug: (text: string) => {} };
=== src/app.ts
import * as repos from './repo';
import Admin from './user';
import { log as logger } from './repo';
import { readFile } from 'fs';
class App {
  private repo = repos.open();
  constructor(private readonly admin: Admin) {}
  async run(names: string[]) {
    const user = this.repo.first();
    user.rename('a');
    this.admin.rename('b');
    this.admin.promote();
    logger.debug('c');
    names.map(name => name.rename());
    readFile('x').rename();
    new App(new Admin());
  }
}
",
        &[
            "src/user.ts:2 rename → src/user.ts:1 User.rename (high, base of the receiver's type)",
            "src/app.ts:6 open → src/repo.ts:3 open (high, import)",
            "src/app.ts:9 first → src/repo.ts:2 Repo.first (high, type of the receiver)",
            "src/app.ts:10 rename → src/user.ts:1 User.rename (high, type of the receiver)",
            "src/app.ts:11 rename → src/user.ts:1 User.rename (high, base of the receiver's type)",
            "src/app.ts:12 promote → src/user.ts:2 Admin.promote (high, type of the receiver)",
            "src/app.ts:13 debug → src/repo.ts:4 log.debug (high, qualified path)",
            "src/app.ts:14 rename → nothing",
            "src/app.ts:15 rename → nothing",
            "src/app.ts:16 App → src/app.ts:7 App.constructor (high, same file)",
            "src/app.ts:16 Admin → src/user.ts:2 Admin (high, import)",
        ],
    );
}

#[test]
fn a_name_of_a_type_and_of_a_value_is_the_one_that_is_written() {
    check(
        "=== core.ts
export interface Maker<T> {
  init(made: T): void;
}
export function Maker(name: string): any {}
export interface Shape {
  draw(): void;
}
export const Shape: Maker<Shape> = Maker('shape');
export const Paint: Maker<Paint> = Maker('paint');
export type Paint = { mix(): void };
=== use.ts
import * as core from './core';
import { Shape, Paint } from './core';
function run(shape: Shape) {
  core.Maker('other');
  core.Shape.init(shape);
  Shape.init(shape);
  Paint.init(shape);
  shape.draw();
  new core.Shape();
}
",
        &[
            "use.ts:4 Maker → core.ts:4 Maker (high, import)",
            "use.ts:5 init → core.ts:2 Maker.init (high, requirement of the receiver's interface)",
            "use.ts:6 init → core.ts:2 Maker.init (high, requirement of the receiver's interface)",
            "use.ts:7 init → core.ts:2 Maker.init (high, requirement of the receiver's interface)",
            "use.ts:8 draw → core.ts:6 Shape.draw (high, requirement of the receiver's interface)",
            "use.ts:9 Shape → core.ts:8 Shape + core.ts:5 Shape (high, import)",
        ],
    );
}

#[test]
fn rust_follows_modules_traits_wrappers_and_patterns() {
    check(
        "=== src/lib.rs
mod store;
pub use store::Store as Shelf;
pub trait Shape { fn area(&self) -> u32; fn twice(&self) -> u32 { self.area() * 2 } }
pub enum Command { Get(Key) }
pub struct Key;
impl Key { fn hash(&self) {} }
=== src/store.rs
use std::sync::{Arc, Mutex};
use crate::Command; use crate::Shape;
pub struct Item { pub size: u32 }
impl Item { pub fn new() -> Self { Item { size: 1 } } pub fn grow(&mut self) -> Option<Item> { None } }
impl Shape for Item { fn area(&self) -> u32 { self.size } }
pub struct Store { items: Vec<Item>, last: Arc<Mutex<Item>> }
impl Store {
    pub fn open() -> Result<Store, String> { Err(String::new()) }
    fn fill(&mut self, shape: &dyn Shape) {
        self.last.lock().unwrap().grow();
        for item in self.items.iter() { item.twice(); }
        if let Some(mut more) = self.items[0].grow() { more.grow(); }
        self.items.iter().map(|one| one.area());
        shape.area();
        assert!(self.items[0].area() > 0);
        self.items.len();
    }
    fn run(&self, command: Command) { match command { Command::Get(key) => key.hash() } }
}
=== tests/all.rs
fn main() { let mut item = demo::Shelf::open().unwrap(); }
=== src/other.rs
use crate::Shelf;
fn go<T: crate::Shape>(shape: T) -> Result<(), String> { Shelf::open()?; shape.area(); Ok(()) }
",
        &[
            "src/lib.rs:3 area → src/lib.rs:3 Shape.area (high, requirement of the receiver's interface)",
            "src/store.rs:10 grow → src/store.rs:4 Item.grow (high, type of the receiver)",
            "src/store.rs:11 twice → src/lib.rs:3 Shape.twice (high, requirement of the receiver's interface)",
            "src/store.rs:12 grow → src/store.rs:4 Item.grow (high, type of the receiver)",
            "src/store.rs:13 area → src/store.rs:5 Item.area (high, type of the receiver)",
            "src/store.rs:14 area → src/lib.rs:3 Shape.area (high, requirement of the receiver's interface)",
            "src/store.rs:15 area → src/store.rs:5 Item.area (high, type of the receiver)",
            "src/store.rs:16 len → nothing",
            "src/store.rs:18 hash → src/lib.rs:6 Key.hash (high, type of the receiver)",
            "src/other.rs:2 open → src/store.rs:8 Store.open (high, type of the receiver)",
            "src/other.rs:2 area → src/lib.rs:3 Shape.area (high, requirement of the receiver's interface)",
        ],
    );
}

#[test]
fn rust_takes_all_that_is_said_of_a_parameter() {
    check(
        "=== src/lib.rs
pub trait Stream { fn checkpoint(&self) {} }
pub trait Partial { fn finish(&self) {} }
pub trait Bound { fn close(&self) {} }
pub fn run<I: Bound>(input: &I)
where
    I: Partial,
    I: Stream,
{
    input.checkpoint();
    input.finish();
    input.close();
}
",
        &[
            "src/lib.rs:9 checkpoint → src/lib.rs:1 Stream.checkpoint (high, requirement of the receiver's interface)",
            "src/lib.rs:10 finish → src/lib.rs:2 Partial.finish (high, requirement of the receiver's interface)",
            "src/lib.rs:11 close → src/lib.rs:3 Bound.close (high, requirement of the receiver's interface)",
        ],
    );
}

#[test]
fn a_name_is_another_in_its_own_value() {
    check(
        "=== src/lib.rs
pub struct Text;
impl Text { pub fn parts(&self) -> Parts { Parts } }
pub struct Parts;
impl Parts { pub fn first(&self) -> Option<Word> { None } }
pub struct Word;
impl Word { pub fn len(&self) -> usize { 0 } }
pub fn run(it: Text) {
    let it = it.parts();
    if let Some(it) = it.first() {
        it.len();
    }
}
pub fn matched(text: Text) {
    let word = match text.parts().first() {
        Some(word) => word,
        None => return,
    };
    word.len();
}
",
        &[
            "src/lib.rs:8 parts → src/lib.rs:2 Text.parts (high, type of the receiver)",
            "src/lib.rs:9 first → src/lib.rs:4 Parts.first (high, type of the receiver)",
            "src/lib.rs:10 len → src/lib.rs:6 Word.len (high, type of the receiver)",
            "src/lib.rs:18 len → src/lib.rs:6 Word.len (high, type of the receiver)",
        ],
    );
    check(
        "=== a.swift
struct Text { func read() -> Word? { nil } }
struct Word { func count() {} }
func run(text: Text) {
    guard let text = text.read() else { return }
    text.count()
}
",
        &[
            "a.swift:4 read → a.swift:1 Text.read (high, type of the receiver)",
            "a.swift:5 count → a.swift:2 Word.count (high, type of the receiver)",
        ],
    );
    // Code that runs later sees it.
    check(
        "=== a.ts
export class Watch { constructor(done: () => void) {} stop() {} }
export class Other { stop() {} }
export function run(watch: Other) {
    const watcher = new Watch(() => watcher.stop());
}
",
        &[
            "a.ts:4 Watch → a.ts:1 Watch.constructor (high, same file)",
            "a.ts:4 stop → a.ts:1 Watch.stop (high, type of the receiver)",
        ],
    );
}

#[test]
fn rust_goes_from_a_module_that_is_declared_to_its_file() {
    check(
        "=== src/lib.rs
mod eval;
mod inner {
    pub mod deep;
    pub fn here() {}
}
pub struct Version;
impl Version {
    pub fn matches(&self) -> bool {
        inner::here();
        inner::deep::down();
        let rules: eval::Rules = eval::rules();
        rules.apply();
        eval::matches(self)
    }
}
=== src/eval.rs
pub struct Rules;
impl Rules { pub fn apply(&self) {} }
pub fn rules() -> Rules { Rules }
pub fn matches(version: &crate::Version) -> bool { true }
=== src/inner/deep.rs
pub fn down() {}
",
        &[
            "src/lib.rs:9 here → src/lib.rs:4 inner.here (high, qualified path)",
            "src/lib.rs:10 down → src/inner/deep.rs:1 down (high, import)",
            "src/lib.rs:11 rules → src/eval.rs:3 rules (high, qualified path)",
            "src/lib.rs:12 apply → src/eval.rs:2 Rules.apply (high, type of the receiver)",
            "src/lib.rs:13 matches → src/eval.rs:4 matches (high, qualified path)",
        ],
    );
}

#[test]
fn rust_follows_super_through_inline_modules_and_calls_in_macros() {
    check(
        "=== src/lib.rs
pub fn top() -> u32 { 1 }
pub struct Item;
impl Item { pub fn size(&self) -> u32 { 1 } pub fn pair() -> (Item, Item) { (Item, Item) } }
mod outer {
    pub fn middle() {}
    mod inner {
        use super::middle as renamed;
        fn go() {
            super::middle();
            super::super::top();
            crate::top();
            renamed();
        }
    }
}
fn macros(item: &Item) {
    println!(\"{} {}\", top(), item.size());
    let all = vec![format!(\"{}\", item.size()), crate::top().to_string()];
    let (first, second) = Item::pair();
    first.size();
    second.size();
}
#[cfg(test)]
mod tests {
    #[test]
    fn works() { assert_eq!(super::top(), 1); super::top(); }
}
",
        &[
            "src/lib.rs:9 middle → src/lib.rs:5 outer.middle (high, qualified path)",
            "src/lib.rs:10 top → src/lib.rs:1 top (high, import)",
            "src/lib.rs:11 top → src/lib.rs:1 top (high, import)",
            "src/lib.rs:12 renamed → src/lib.rs:5 outer.middle (high, import)",
            "src/lib.rs:17 top → src/lib.rs:1 top (high, same file)",
            "src/lib.rs:17 size → src/lib.rs:3 Item.size (high, type of the receiver)",
            "src/lib.rs:18 size → src/lib.rs:3 Item.size (high, type of the receiver)",
            "src/lib.rs:18 top → src/lib.rs:1 top (high, import)",
            "src/lib.rs:20 size → src/lib.rs:3 Item.size (high, type of the receiver)",
            "src/lib.rs:21 size → src/lib.rs:3 Item.size (high, type of the receiver)",
            "src/lib.rs:26 top → src/lib.rs:1 top (high, import)",
        ],
    );
}

/// Each of these imports leads through all of the others: following every way would take forever.
#[test]
fn imports_that_lead_in_circles_end() {
    let imports: String = (0..40).map(|n| format!("use store::{{self, item_{n}}};\n")).collect();
    let sources = format!(
        "=== src/lib.rs
mod store;
{imports}use missing::{{self, Thing}};
use missing::other::{{self as missing}};
fn go() {{ store::open(); missing::close(); Thing::new(); }}
=== src/store.rs
pub use crate::store::*;
pub use super::store::open as start;
{imports}pub fn open() {{}}
fn again() {{ start(); store::missing(); }}
"
    );
    check(
        &sources,
        &[
            "src/lib.rs:44 open → src/store.rs:43 open (high, import)",
            "src/lib.rs:44 close → nothing",
            "src/store.rs:44 start → src/store.rs:43 open (high, import)",
        ],
    );
}

#[test]
fn python_follows_packages_fields_callables_and_super() {
    check(
        "=== shop/__init__.py
from .base import Base as Root
=== shop/base.py
class Base:
    def save(self) -> 'Base': return self
class Factory:
    def __call__(self) -> Base: ...
=== shop/order.py
import io
from shop import Root
from . import base
class Order(Root):
    def __init__(self, factory: base.Factory, lines: list[Root]):
        super().save()
        self.factory = factory
        self.root = Root()
        self.buffer = io.BytesIO()
        self.lines = [] if lines is None else list(lines)
    def go(self):
        self.root.save().save()
        self.factory().save()
        self.buffer.save()
        for line in self.lines:
            line.save()
        def inner():
            late.save()
        late = base.Base()
",
        &[
            "shop/order.py:6 save → shop/base.py:2 Base.save (high, type of the receiver)",
            "shop/order.py:8 Root → shop/base.py:1 Base (high, import)",
            "shop/order.py:12 save → shop/base.py:2 Base.save (high, type of the receiver)",
            "shop/order.py:13 save → shop/base.py:2 Base.save (high, type of the receiver)",
            "shop/order.py:14 save → nothing",
            "shop/order.py:16 save → shop/base.py:2 Base.save (high, type of the receiver)",
            "shop/order.py:18 save → shop/base.py:2 Base.save (high, type of the receiver)",
        ],
    );
}

#[test]
fn swift_labels_are_part_of_a_name_and_extensions_of_a_type() {
    check(
        "=== Sources/App/User.swift
protocol Named { func name(of user: User) -> String }
extension Named { func greet() { _ = name(of: User(id: 1)) } }
struct User { let id: Int
  init(id: Int) { self.id = id }
  init(name: String) { self.id = 0 }
  func send(to other: User) {}
  func send(text: String) {}
}
=== Sources/App/More.swift
extension User: Named {
  func name(of user: User) -> String { \"\" }
  func go(with user: User?) {
    send(to: self)
    send(text: \"a\")
    if let user = user { user.greet() }
    guard let other = user else { return }
    other.send(text: \"b\")
    let all = [User(name: \"c\")]
    for one in all { one.send(to: other) }
    #if os(Linux)
    one()
    #else
    other.send(to: other)
    #endif
  }
}
",
        &[
            "Sources/App/User.swift:2 name → Sources/App/User.swift:1 Named.name (high, member of the type around it)",
            "Sources/App/User.swift:2 User → Sources/App/User.swift:4 User.init (high, same file)",
            "Sources/App/More.swift:4 send → Sources/App/User.swift:6 User.send (high, member of the type around it)",
            "Sources/App/More.swift:5 send → Sources/App/User.swift:7 User.send (high, member of the type around it)",
            "Sources/App/More.swift:6 greet → Sources/App/User.swift:2 Named.greet (high, requirement of the receiver's interface)",
            "Sources/App/More.swift:8 send → Sources/App/User.swift:7 User.send (high, type of the receiver)",
            "Sources/App/More.swift:9 User → Sources/App/User.swift:5 User.init (high, same directory)",
            "Sources/App/More.swift:10 send → Sources/App/User.swift:6 User.send (high, type of the receiver)",
        ],
    );
}

#[test]
fn java_go_kotlin_and_csharp_follow_their_own_rules() {
    check(
        "=== src/a/b/Base.java
package a.b; public class Base { protected int load(int x) { return x; } public Base next() { return this; } }
=== src/a/c/Main.java
package a.c; import a.b.Base; class Main extends Base {
  private Base base = new Base();
  int go() { return load(1) + this.base.next().load(2); } }
=== lib/src/main/java/a/Tool.java
package a; class Tool { void turn() {} }
=== lib/src/test/java/a/ToolTest.java
package a; class ToolTest { void go() { new Tool().turn(); } }
=== lib/src/test/java/b/Other.java
package b; class Other { void go(Tool tool) { tool.turn(); } }
=== k/Shop.kt
class Shop(val item: Item) {
  fun sell() { item.pack().close() }
}
class Item {
  fun pack(): Box = Box()
}
class Box {
  fun close() {}
}
=== c/Program.cs
class Service { public Item Find(int id) { return null; } }
class Item { public void Drop() {} }
class Program { readonly Service service; void Main() { var item = service.Find(1); item.Drop(); this.Main(); } }
",
        &[
            "src/a/c/Main.java:3 load → src/a/b/Base.java:1 Base.load (high, member of the type around it)",
            "src/a/c/Main.java:3 next → src/a/b/Base.java:1 Base.next (high, type of the receiver)",
            "lib/src/test/java/a/ToolTest.java:1 turn → lib/src/main/java/a/Tool.java:1 Tool.turn (high, type of the receiver)",
            "lib/src/test/java/b/Other.java:1 turn → nothing",
            "k/Shop.kt:2 pack → k/Shop.kt:5 Item.pack (high, type of the receiver)",
            "k/Shop.kt:2 close → k/Shop.kt:8 Box.close (high, type of the receiver)",
            "c/Program.cs:3 Find → c/Program.cs:1 Service.Find (high, type of the receiver)",
            "c/Program.cs:3 Drop → c/Program.cs:2 Item.Drop (high, type of the receiver)",
        ],
    );
}

/// A package, called like the folder of its manifest, that depends on others of the repository.
fn package(kind: &str, manifest: &str, uses: &[&str]) -> Package {
    let manifest = RepoPath::new(manifest).unwrap();
    let folder = manifest.as_str().split('/').next().unwrap_or_default();
    let mut package = Package::new(kind, folder, &manifest);
    let dependency = |used: &&str| Dependency {
        name: used.to_string(),
        kind: DepKind::Runtime,
        version_req: None,
        internal: RepoPath::new(used),
    };
    package.dependencies = uses.iter().map(dependency).collect();
    package
}

#[test]
fn packages_that_cannot_be_used_are_ruled_out() {
    let package =
        |name: &str, uses: &[&str]| package("swift", &format!("{name}/Package.swift"), uses);
    let sources = "=== a/Sources/A.swift
func run() { compute(value: 1) }
=== b/Sources/B.swift
func compute(value: Int) {}
";
    let apart = [package("a", &[]), package("b", &[])];
    let joined = [package("a", &["b"]), package("b", &[])];
    assert_eq!(calls(sources, &apart), "a/Sources/A.swift:1 compute → nothing");
    assert_eq!(
        calls(sources, &joined),
        "a/Sources/A.swift:1 compute → b/Sources/B.swift:1 compute (high, package that can be used)"
    );
}

#[test]
fn rust_goes_from_a_crate_or_an_imported_module_down() {
    let package = |name: &str, uses: &[&str]| package("cargo", &format!("{name}/Cargo.toml"), uses);
    check_in(
        "=== app/src/main.rs
use core_store::disk;
fn main() {
    core_store::open();
    core_store::disk::flush();
    disk::blocks::free();
    disk::flush();
    elsewhere::open();
}
=== core-store/src/lib.rs
pub mod disk;
pub fn open() {}
=== core-store/src/disk.rs
pub mod blocks;
pub fn flush() {}
=== core-store/src/disk/blocks.rs
pub fn free() {}
",
        &[package("app", &["core-store"]), package("core-store", &[])],
        &[
            "app/src/main.rs:3 open → core-store/src/lib.rs:2 open (high, import)",
            "app/src/main.rs:4 flush → core-store/src/disk.rs:2 flush (high, import)",
            "app/src/main.rs:5 free → core-store/src/disk/blocks.rs:1 free (high, import)",
            "app/src/main.rs:6 flush → core-store/src/disk.rs:2 flush (high, import)",
            "app/src/main.rs:7 open → nothing",
        ],
    );
}

#[test]
fn names_alone_are_guesses_and_common_names_are_none() {
    check(
        "=== a.rb
class Store
  def rebuild_everything(x) end
  def get(x) end
end
=== b.rb
def go(store)
  store.rebuild_everything(1)
  store.get(1)
end
",
        &[
            "b.rb:2 rebuild_everything → a.rb:2 Store.rebuild_everything (medium, only member of that name)",
            "b.rb:3 get → nothing",
        ],
    );
}

#[test]
fn what_is_set_on_an_object_is_no_name_around() {
    check(
        "=== a.ts
import { optional } from './b'
export const make = (inst: any) => {
  inst.optional = () => optional(inst)
}
export const Kind = construct('Kind', (inst: any) => {
  inst.optional = () => optional(inst)
})
=== b.ts
export function optional(of: any) { return of }
",
        &[
            "a.ts:3 optional → b.ts:1 optional (high, import)",
            "a.ts:6 optional → b.ts:1 optional (high, import)",
        ],
    );
}

#[test]
fn a_requirement_is_meant_only_if_all_of_its_name_fulfil_it() {
    let both = "=== a.ts
export interface Schema { inspectAll(text: string): void }
export class Own implements Schema { inspectAll(text: string) {} }
";
    let call = "=== c.ts
export function run(what) { what.inspectAll('x') }
";
    check(
        &format!("{both}{call}"),
        &[
            "c.ts:1 inspectAll → a.ts:1 Schema.inspectAll (medium, one of several types of the receiver)",
        ],
    );
    let stranger = "=== b.ts
export class Other { inspectAll(text: string) {} }
";
    check(&format!("{both}{stranger}{call}"), &["c.ts:1 inspectAll → nothing"]);
}

#[test]
fn rust_impls_of_imported_types_are_not_of_namesakes() {
    let found = relations_in(
        "=== src/lib.rs
mod range;
use core::ops::Range;
pub trait Holds { fn holds(&self) -> bool; }
impl Holds for Range<u8> { fn holds(&self) -> bool { true } }
impl Holds for std::cell::Cell<u8> { fn holds(&self) -> bool { true } }
impl Holds for crate::range::Span { fn holds(&self) -> bool { true } }
=== src/range.rs
pub struct Range;
pub struct Span;
pub struct Cell;
",
    );
    // An impl for a type of a library stands for itself.
    let expected = [
        "src/lib.rs:4 is a src/lib.rs:3",
        "src/lib.rs:5 is a src/lib.rs:3",
        "src/range.rs:2 is a src/lib.rs:3",
    ];
    assert_eq!(found, expected);
}

/// Lists subtypes with their supertypes, by place.
fn relations_in(sources: &str) -> Vec<String> {
    let table = symbol_table(sources, &[], Load::Eager);
    let mut found = Vec::new();
    for file in 0..table.files.len() as FileIndex {
        let resolver = Resolver::new(&table, file);
        for index in 0..table.file(file).heritage().len() {
            if let Some((subject, base)) = resolve_heritage(&resolver, file, index) {
                let place = |id: SymbolId| {
                    let path = &table.file(id.file).path;
                    format!("{path}:{}", table.symbol(id).line)
                };
                found.push(format!("{} is a {}", place(subject), place(base)));
            }
        }
    }
    found
}
