//! Languages one by one: what each has that the others do not.

use super::*;

#[test]
fn php_knows_its_receivers_by_their_types() {
    check(
        "=== src/Routing/Collector.php
<?php
namespace Shop\\Routing;
use Shop\\Contracts\\Maps;
use Psr\\Log\\Logger;
trait Naming { public function name(): string { return $this->label(); } protected function label() { return ''; } }
class Collector implements Maps {
    use Naming;
    protected Maps $inner;
    private $other;
    public function __construct(Maps $inner, private readonly ?Helper $helper = null) {
        $this->inner = $inner;
        $this->other = new Helper();
    }
    public function get($path) { return $this->map($path); }
    public function map($path): Route { return $this->inner->map($path); }
    public function chain(): static { $this->helper?->help(); return $this; }
    public static function make(): self { return new static(self::first()); }
    public static function first() { $this->other->help(); return null; }
}
class Child extends Collector {
    public function get($path) { $this->name(); return parent::get($path); }
}
=== src/Routing/Helper.php
<?php
namespace Shop\\Routing;
class Helper { public function help(): void {} }
class Route { public function run(\\Closure $next) { $next->help(); } }
=== src/Contracts/Maps.php
<?php
namespace Shop\\Contracts;
use Shop\\Routing\\Route;
interface Maps { public function map($path): Route; }
=== src/helpers.php
<?php
function shop() { return new \\Shop\\App(); }
=== app.php
<?php
namespace App;
use Shop\\Routing\\Collector as Routes;
use Shop\\Routing\\{Helper, Route as Way};
use function Shop\\nothing;
function typed(Routes $routes, Helper|null $helper) {
    $routes->map('/')->run(fn (Way $way) => $way->run(null));
    $routes->chain()->get('/');
    $helper->help();
}
function made() {
    $routes = new Routes(1);
    $routes->get('/');
    Routes::make()->chain();
    foreach ([new Helper()] as $key => $one) { $one->help(); }
    shop();
    Helper::none();
}
",
        &[
            "src/Routing/Collector.php:5 label → src/Routing/Collector.php:5 Naming.label (high, requirement of the receiver's interface)",
            "src/Routing/Collector.php:14 map → src/Routing/Collector.php:15 Collector.map (high, type of the receiver)",
            "src/Routing/Collector.php:15 map → src/Contracts/Maps.php:4 Maps.map (high, requirement of the receiver's interface)",
            "src/Routing/Collector.php:16 help → src/Routing/Helper.php:3 Helper.help (high, type of the receiver)",
            "src/Routing/Collector.php:17 static → src/Routing/Collector.php:10 Collector.__construct (high, member of the type around it)",
            "src/Routing/Collector.php:17 first → src/Routing/Collector.php:18 Collector.first (high, type of the receiver)",
            "src/Routing/Collector.php:18 help → src/Routing/Helper.php:3 Helper.help (high, type of the receiver)",
            "src/Routing/Collector.php:21 name → src/Routing/Collector.php:5 Naming.name (high, requirement of the receiver's interface)",
            "src/Routing/Collector.php:21 get → src/Routing/Collector.php:14 Collector.get (high, type of the receiver)",
            "src/Routing/Helper.php:4 help → nothing",
            "app.php:7 run → src/Routing/Helper.php:4 Route.run (high, type of the receiver)",
            "app.php:8 get → src/Routing/Collector.php:14 Collector.get (high, type of the receiver)",
            "app.php:9 help → src/Routing/Helper.php:3 Helper.help (high, type of the receiver)",
            "app.php:12 Routes → src/Routing/Collector.php:10 Collector.__construct (high, import)",
            "app.php:13 get → src/Routing/Collector.php:14 Collector.get (high, type of the receiver)",
            "app.php:14 chain → src/Routing/Collector.php:16 Collector.chain (high, type of the receiver)",
            "app.php:15 help → src/Routing/Helper.php:3 Helper.help (high, type of the receiver)",
            "app.php:16 shop → src/helpers.php:2 shop (high, qualified path)",
            "app.php:17 none → nothing",
        ],
    );
}

#[test]
fn classes_with_macros_before_their_names_are_classes() {
    let sources = "=== a.h
namespace n {
class API sink {
public:
  virtual void log(int m) = 0;
};
class API reg {
public:
  static reg &instance();
  void drop(int x);
};
class my_sink : public sink { public: void log(int m) override {} };
}
=== a.cpp
namespace n {
API_INLINE reg &reg::instance() NOEXCEPT { static reg r; return r; }
API_INLINE void reg::drop(int x) {}
void use(sink *s) { reg::instance().drop(1); s->log(1); }
}
=== b.cpp
void other() { n::reg::instance().drop(1); std::reg::instance(); }
";
    check(
        sources,
        &[
            "a.cpp:4 drop → a.h:9 n.reg.drop + a.cpp:3 n.reg.drop (high, type of the receiver)",
            "b.cpp:1 instance → a.h:8 n.reg.instance + a.cpp:2 n.reg.instance (high, type of the receiver)",
            "b.cpp:1 instance → nothing",
        ],
    );
    assert_eq!(relations_in(sources), ["a.h:11 is a a.h:2"]);
}

#[test]
fn types_without_a_name_are_kinds_of_what_they_are_made_of() {
    let sources = "=== St.java
enum St {
  A { boolean process(int t) { return true; } },
  B { boolean process(int t) { return false; } };
  abstract boolean process(int t);
}
interface Vis { void head(int n); }
class Use {
  void use(St s, Vis v) { s.process(1); v.head(1); help(); }
  Vis anon() {
    return new Vis() {
      public void head(int n) { help(); }
    };
  }
  void help() {}
}
";
    check(
        sources,
        &[
            "St.java:8 process → St.java:4 St.process (high, type of the receiver)",
            "St.java:8 head → St.java:6 Vis.head (high, requirement of the receiver's interface)",
            "St.java:10 Vis → St.java:6 Vis (high, same file)",
            "St.java:11 help → St.java:14 Use.help (high, lexical scope)",
        ],
    );
    let kinds =
        ["St.java:2 is a St.java:1", "St.java:3 is a St.java:1", "St.java:10 is a St.java:6"];
    assert_eq!(relations_in(sources), kinds);
}

#[test]
fn kotlin_companions_and_objects() {
    let sources = "=== p/a.kt
package p
interface Source { fun read(): Int }
open class Timeout {
  fun source(): Source {
    return object : Source {
      override fun read(): Int { return 1 }
    }
  }
}
class P { companion object { fun String.toP(): P = P() }; fun run() {} }
fun Int.times(): P = P()
class A { fun f() { val t = g(); t.h() } }
class Final(private var final: Boolean) {
  fun go() {
    while (!final) { final = true }
  }
}
=== q/b.kt
package q
import p.P.Companion.toP
import p.times
fun use() { \"a\".toP(); 1.times() }
";
    check(
        sources,
        &[
            "q/b.kt:4 toP → p/a.kt:10 P.toP (high, import)",
            "q/b.kt:4 times → p/a.kt:11 times (high, import)",
        ],
    );
    assert_eq!(relations_in(sources), ["p/a.kt:5 is a p/a.kt:2"]);
}

#[test]
fn private_names_and_variables_that_are_called_using() {
    check(
        "=== a.ts
class Query {
  #compile = (node: string) => node;
  constructor() { this.#build = () => this.#compile('a'); }
  get #table(): Table { return new Table(); }
  sql(using: string) {
    const sql = `a ${using}` + using;
    this.#table.open();
    return sql;
  }
  next() { this.sql('a'); }
}
class Table { open() {} [Symbol.iterator]() {} }
",
        &[
            "a.ts:3 #compile → a.ts:2 Query.#compile (high, type of the receiver)",
            "a.ts:7 open → a.ts:12 Table.open (high, type of the receiver)",
            "a.ts:10 sql → a.ts:5 Query.sql (high, type of the receiver)",
        ],
    );
}
