//! Go: what its values are, and which interfaces its types fulfil without saying so.

use super::*;

#[test]
fn go_directories_are_packages() {
    let module = RepoPath::new("go.mod").unwrap();
    let packages = [Package::new("go", "example.com/shop", &module)];
    check_in(
        "=== store/store.go
package store
type Store struct { Log *Logger }
type Logger struct{}
func (l *Logger) Print(text string) {}
func Open(name string) (*Store, error) { return nil, nil }
=== store/more.go
package store
func (s *Store) Close() { s.Log.Print(\"x\"); helper() }
func (s *Store) Logger() *Logger { return s.Log }
func helper() {}
=== main.go
package main
import \"example.com/shop/store\"
import \"fmt\"
func main() {
  s, err := store.Open(\"a\")
  s.Close()
  s.Log.Print(\"b\")
  fmt.Print(err)
}
func log(logger store.Logger) { logger.Print(\"c\") }
",
        &packages,
        &[
            "store/more.go:2 Print → store/store.go:4 Logger.Print (high, type of the receiver)",
            "store/more.go:2 helper → store/more.go:4 helper (high, same file)",
            "main.go:5 Open → store/store.go:5 Open (high, import)",
            "main.go:6 Close → store/more.go:2 Store.Close (high, type of the receiver)",
            "main.go:7 Print → store/store.go:4 Logger.Print (high, type of the receiver)",
            "main.go:8 Print → nothing",
            "main.go:10 Print → store/store.go:4 Logger.Print (high, type of the receiver)",
        ],
    );
}

#[test]
fn go_results_assertions_switches_and_ranges_have_types() {
    check(
        "=== a.go
package a
type Context struct { Inner; routes Routes; byName Named }
type Inner struct{}
type Engine struct{ Pool []*Context }
type Route struct{}
type Routes []Route
type Named map[string]*Route
func (c *Context) Next() {}
func (i Inner) Reset() {}
func (e *Engine) Run() {}
func (r Routes) Last() *Route { return nil }
func (r *Route) Match() {}
func Create() (c *Context, r *Engine) { return }
func Both() (a, b *Engine, err error) { return }
=== b.go
package a
func use(any interface{}, in <-chan *Route) {
  c, engine := Create()
  c.Next()
  engine.Run()
  first, second, err := Both()
  first.Run()
  second.Run()
  for _, route := range c.routes { route.Match() }
  for _, route := range c.byName { route.Match() }
  any.(*Engine).Run()
  if known, ok := any.(*Context); ok { known.Next() }
  switch value := any.(type) {
  case *Engine:
    value.Run()
  case *Context:
    value.Next()
  case *Route, Route:
    value.Match()
  }
  made := make([]*Route, 0)
  for _, one := range made { one.Match() }
  listed := []*Engine{}
  listed[0].Run()
  fresh := new(Context)
  fresh.Inner.Reset()
  c.Reset()
  c.routes.Last().Match()
  _ = err
}
",
        &[
            "b.go:4 Next → a.go:8 Context.Next (high, type of the receiver)",
            "b.go:5 Run → a.go:10 Engine.Run (high, type of the receiver)",
            "b.go:7 Run → a.go:10 Engine.Run (high, type of the receiver)",
            "b.go:8 Run → a.go:10 Engine.Run (high, type of the receiver)",
            "b.go:9 Match → a.go:12 Route.Match (high, type of the receiver)",
            "b.go:10 Match → a.go:12 Route.Match (high, type of the receiver)",
            "b.go:11 Run → a.go:10 Engine.Run (high, type of the receiver)",
            "b.go:12 Next → a.go:8 Context.Next (high, type of the receiver)",
            "b.go:15 Run → a.go:10 Engine.Run (high, type of the receiver)",
            "b.go:17 Next → a.go:8 Context.Next (high, type of the receiver)",
            "b.go:22 Match → a.go:12 Route.Match (high, type of the receiver)",
            "b.go:24 Run → a.go:10 Engine.Run (high, type of the receiver)",
            "b.go:26 Reset → a.go:9 Inner.Reset (high, type of the receiver)",
            "b.go:27 Reset → a.go:9 Inner.Reset (high, base of the receiver's type)",
            "b.go:28 Match → a.go:12 Route.Match (high, type of the receiver)",
        ],
    );
}

/// Lists the interfaces that each type fulfils, a line each.
fn fulfilled(sources: &str) -> Vec<String> {
    let table = symbol_table(sources, &[], Load::Lazy);
    let files = 0..table.files.len() as u32;
    let found = files
        .flat_map(|file| Resolver::new(&table, file).heritage().find_structural_interfaces(file));
    let name = |id: SymbolId| table.symbol(id).name.clone();
    found.map(|(one, other)| format!("{} is a {}", name(one), name(other))).collect()
}

#[test]
fn go_types_fulfil_interfaces_by_what_they_have() {
    let found = fulfilled(
        "=== render/render.go
package render
type Render interface {
  Render(http.ResponseWriter) error
  WriteContentType(w http.ResponseWriter)
}
type Writer interface { http.ResponseWriter; Size() int }
type Both interface { Render; Named }
type Named interface { String() string }
type hidden interface { secret() }
=== render/json.go
package render
type JSON struct { Data any }
func (r JSON) Render(w http.ResponseWriter) (err error) { return nil }
=== render/more.go
package render
func (r JSON) WriteContentType(w http.ResponseWriter) {}
type Indented struct { JSON }
func (r Indented) String() string { return \"\" }
type Other struct{}
func (o Other) Render(text string) error { return nil }
func (o Other) WriteContentType(w http.ResponseWriter) {}
func (o Other) String() int { return 1 }
type own struct{}
func (o own) secret() {}
=== other/writer.go
package other
type writer struct { http.ResponseWriter }
func (w *writer) Size() int { return 0 }
func (w *writer) secret() {}
",
    );
    assert_eq!(
        found,
        [
            "JSON is a Render",
            "Indented is a Render",
            "Indented is a Both",
            "Indented is a Named",
            "own is a hidden",
            "writer is a Writer",
        ]
    );
}

#[test]
fn a_requirement_of_several_types_is_not_the_only_member_of_its_name() {
    let module = RepoPath::new("go.mod").unwrap();
    check_in(
        "=== web.go
package web
type Maker interface {
	ToMiddle() int
}
type A struct{}
func (a A) ToMiddle() int { return 1 }
type B struct{}
func (b B) ToMiddle() int { return 2 }
func (b B) Alone() {}
func run() {
	var testCases = []struct {
		given A
	}{}
	for _, tc := range testCases {
		tc.given.ToMiddle()
		tc.given.Alone()
	}
}
",
        &[Package::new("go", "example.com/web", &module)],
        &[
            "web.go:15 ToMiddle → web.go:3 Maker.ToMiddle (medium, one of several types of the receiver)",
            "web.go:16 Alone → web.go:9 B.Alone (medium, only member of that name)",
        ],
    );
}
