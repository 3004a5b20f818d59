// What Go's own type checker says every name of a module means, as lines of JSON that compare.py
// reads: `go run main.go TREE > truth.jsonl`. Only the standard library is needed: packages of other
// modules are taken as empty, so what is called on their values is not told.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type line struct {
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	EndColumn  int    `json:"endColumn"`
	Symbol     string `json:"symbol"`
	Definition bool   `json:"definition"`
}

type relation struct {
	Type      string `json:"type"`
	Interface string `json:"interface"`
}

type checker struct {
	root, module string
	files        *token.FileSet
	standard     types.Importer
	checked      map[string]*types.Package
	found        []*types.Package
	out          *json.Encoder
}

func main() {
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	files := token.NewFileSet()
	// What needs C is checked without it.
	build.Default.CgoEnabled = false
	c := &checker{root: root, module: moduleName(root), files: files,
		standard: importer.ForCompiler(files, "source", nil),
		checked:  map[string]*types.Package{}, out: json.NewEncoder(os.Stdout)}
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.IsDir() {
			if name := info.Name(); path != root && (strings.HasPrefix(name, ".") || name == "vendor" || name == "testdata") {
				return filepath.SkipDir
			}
			relative, _ := filepath.Rel(root, path)
			c.Import(strings.TrimSuffix(c.module+"/"+filepath.ToSlash(relative), "/."))
			c.tests(path)
		}
		return nil
	})
	c.relations()
}

func moduleName(root string) string {
	text, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "module ") {
			return strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
	}
	panic("no module in go.mod")
}

// Import gives a package of this module, checked; of the standard library; or an empty one.
func (c *checker) Import(path string) (*types.Package, error) {
	if known, ok := c.checked[path]; ok {
		return known, nil
	}
	if path != c.module && !strings.HasPrefix(path, c.module+"/") {
		var found *types.Package
		if !strings.Contains(strings.Split(path, "/")[0], ".") {
			found, _ = c.standard.Import(path)
		}
		if found == nil {
			found = types.NewPackage(path, filepath.Base(path))
			found.MarkComplete()
		}
		c.checked[path] = found
		return found, nil
	}
	directory := filepath.Join(c.root, strings.TrimPrefix(path, c.module))
	// Tests of the package itself are part of it here; those of an outer package come later.
	found := c.check(path, c.parse(directory, func(name string) bool { return !strings.HasSuffix(name, "_test") }))
	c.checked[path] = found
	return found, nil
}

// The tests that stand in a package of their own.
func (c *checker) tests(directory string) {
	files := c.parse(directory, func(name string) bool { return strings.HasSuffix(name, "_test") })
	if len(files) > 0 {
		c.check("test of "+directory, files)
	}
}

func (c *checker) parse(directory string, wanted func(string) bool) []*ast.File {
	var files []*ast.File
	entries, _ := os.ReadDir(directory)
	for _, entry := range entries {
		name := entry.Name()
		fits, _ := build.Default.MatchFile(directory, name)
		if !strings.HasSuffix(name, ".go") || !fits {
			continue
		}
		file, _ := parser.ParseFile(c.files, filepath.Join(directory, name), nil, 0)
		if file != nil && wanted(file.Name.Name) && (len(files) == 0 || files[0].Name.Name == file.Name.Name) {
			files = append(files, file)
		}
	}
	return files
}

func (c *checker) check(path string, files []*ast.File) *types.Package {
	config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	found, _ := config.Check(path, c.files, files, info)
	c.found = append(c.found, found)
	for _, names := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
		for name, object := range names {
			if object != nil {
				c.tell(name, object)
			}
		}
	}
	return found
}

func (c *checker) tell(name *ast.Ident, object types.Object) {
	symbol, is := c.symbol(object)
	if !is {
		return
	}
	place := c.files.Position(name.Pos())
	relative, _ := filepath.Rel(c.root, place.Filename)
	c.out.Encode(line{relative, place.Line, place.Column - 1, place.Column - 1 + len(name.Name), symbol,
		object.Pos() == name.Pos()})
}

// Where a definition of this module stands, with what SCIP ends names of its kind with.
func (c *checker) symbol(object types.Object) (string, bool) {
	if function, is := object.(*types.Func); is {
		object = function.Origin()
	}
	place := c.files.Position(object.Pos())
	if !strings.HasPrefix(place.Filename, c.root+"/") {
		return "", false
	}
	ending := "."
	switch object.(type) {
	case *types.Func:
		ending = "()."
	case *types.TypeName:
		ending = "#"
	case *types.Var:
		if object.Parent() != nil && object.Parent() != object.Pkg().Scope() {
			ending = ")"
		}
	}
	return fmt.Sprintf("%s:%d:%d%s", place.Filename, place.Line, place.Column, ending), true
}

// Which types of the module implement which interfaces of it, and which embed which types.
func (c *checker) relations() {
	var all []*types.TypeName
	for _, found := range c.found {
		for _, name := range found.Scope().Names() {
			object, is := found.Scope().Lookup(name).(*types.TypeName)
			if is && !object.IsAlias() {
				all = append(all, object)
			}
		}
	}
	sort.Slice(all, func(a, b int) bool { return all[a].Pos() < all[b].Pos() })
	for _, one := range all {
		for _, other := range all {
			if one != other && (implements(one, other) || embeds(one, other)) {
				a, _ := c.symbol(one)
				b, _ := c.symbol(other)
				c.out.Encode(relation{a, b})
			}
		}
	}
}

func implements(one, other *types.TypeName) bool {
	wanted, is := other.Type().Underlying().(*types.Interface)
	named, _ := one.Type().(*types.Named)
	wantedNamed, _ := other.Type().(*types.Named)
	if !is || wanted.NumMethods() == 0 || named == nil || named.TypeParams().Len()+wantedNamed.TypeParams().Len() > 0 {
		return false
	}
	return types.Implements(one.Type(), wanted) || types.Implements(types.NewPointer(one.Type()), wanted)
}

func embeds(one, other *types.TypeName) bool {
	structure, is := one.Type().Underlying().(*types.Struct)
	for at := 0; is && at < structure.NumFields(); at++ {
		kind := structure.Field(at).Type()
		if pointer, is := kind.(*types.Pointer); is {
			kind = pointer.Elem()
		}
		if named, is := kind.(*types.Named); is && structure.Field(at).Embedded() && named.Obj() == other {
			return true
		}
	}
	return false
}
