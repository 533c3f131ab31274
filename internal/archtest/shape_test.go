package archtest_test

import (
	"go/ast"
	"path"
	"strings"
)

const (
	fileLines     = 350
	functionLines = 60
)

var shortFiles = rule{
	name: "short files",
	why:  "a file that outgrows what its name promises is split by what it is about",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if lines := strings.Count(f.text, "\n"); f.program() && lines > fileLines {
				found = append(found, finding(f, lines, "%d lines, %d at most", lines, fileLines))
			}
		}
		return found
	},
	breaks: [][]file{example("web/a.go", "package web\n"+strings.Repeat("\n", fileLines))},
	keeps: example(
		"web/a.go", "package web\n"+strings.Repeat("\n", fileLines-1),
		"web/a_test.go", "package web\n"+strings.Repeat("\n", 2*fileLines),
	),
}

var shortFunctions = rule{
	name: "short functions",
	why:  "a function that does not fit on a screen does more than its name says",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if !f.program() {
				continue
			}
			for _, d := range f.syntax.Decls {
				function, ok := d.(*ast.FuncDecl)
				if lines := f.line(d.End()) - f.line(d.Pos()) + 1; ok && lines > functionLines {
					found = append(found, finding(f, f.line(d.Pos()), "%s has %d lines, %d at most", function.Name.Name, lines, functionLines))
				}
			}
		}
		return found
	},
	breaks: [][]file{example("web/a.go", "package web\nfunc x() {"+strings.Repeat("\n", functionLines)+"}")},
	keeps: example(
		"web/a.go", "package web\n// x is documented\n// at length.\nfunc x() {"+strings.Repeat("\n", functionLines-1)+"}\nvar y = 1",
		"web/a_test.go", "package web\nfunc x() {"+strings.Repeat("\n", 2*functionLines)+"}",
	),
}

var documentedNames = rule{
	name: "documented names",
	why:  "an exported name is a promise, and its comment says what is promised: shapes, units, errors",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if !f.program() || f.syntax.Name.Name == "main" {
				continue
			}
			documentedUpTo := 0
			for _, d := range f.syntax.Decls {
				// Functions that stand close together share the comment of the first.
				shared := documentedUpTo > 0 && f.line(d.Pos()) == documentedUpTo+1
				for _, name := range undocumented(d) {
					if !shared {
						found = append(found, finding(f, f.line(name.Pos()), "%s has no comment", name.Name))
					}
				}
				documentedUpTo = 0
				if function, ok := d.(*ast.FuncDecl); ok && (function.Doc != nil || shared) {
					documentedUpTo = f.line(d.End())
				}
			}
		}
		return found
	},
	breaks: [][]file{
		example("web/a.go", "package web\nfunc X() {}"),
		example("web/a.go", "package web\ntype X int"),
		example("web/a.go", "package web\ntype (\n\t// X is one.\n\tX int\n\tY int\n)"),
		example("web/a.go", "package web\nvar X = 1"),
		example("web/a.go", "package web\n// T is one.\ntype T int\nfunc (t *T) X() {}"),
		example("web/a.go", "package web\n// X is one.\nfunc X() {}\n\nfunc Y() {}"),
		example("web/a.go", "package web\n// T is one.\ntype T[K any] struct{}\n\nfunc (t T[K]) X() {}"),
	},
	keeps: example(
		"web/a.go", "package web\n// X and Y are two.\nfunc X() {}\nfunc Y() {}\n// The numbers.\nconst (\n\tA = 1\n\tB = 2\n)\nvar C = 1 // C is three.\ntype t int\nfunc (t) X() {}\nfunc z() {}",
		"cmd/countersign/main.go", "package main\nfunc Run() {}",
		"web/a_test.go", "package web\nfunc TestX() {}",
	),
}

// undocumented are the exported names of a declaration that have no comment,
// be it their own or their group's.
func undocumented(d ast.Decl) []*ast.Ident {
	var names []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && (d.Recv == nil || receiver(d).IsExported()) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
					names = append(names, spec.Name)
				}
			case *ast.ValueSpec:
				if spec.Doc == nil && d.Doc == nil && spec.Comment == nil {
					names = append(names, spec.Names...)
				}
			}
		}
	}
	var exported []*ast.Ident
	for _, name := range names {
		if name.IsExported() {
			exported = append(exported, name)
		}
	}
	return exported
}

func receiver(function *ast.FuncDecl) *ast.Ident {
	at := function.Recv.List[0].Type
	for {
		switch typed := at.(type) {
		case *ast.StarExpr:
			at = typed.X
		case *ast.IndexExpr:
			at = typed.X
		case *ast.IndexListExpr:
			at = typed.X
		case *ast.Ident:
			return typed
		default:
			return ast.NewIdent("_")
		}
	}
}

var documentedPackages = rule{
	name: "documented packages",
	why:  "a package's comment says what it owns and what it does not: it is the first thing a newcomer reads",
	check: func(files []file) []string {
		documented, first := map[string]bool{}, map[string]file{}
		for _, f := range files {
			if !f.program() {
				continue
			}
			dir := path.Dir(f.path)
			documented[dir] = documented[dir] || f.syntax.Doc != nil
			if first[dir].path == "" {
				first[dir] = f
			}
		}
		var found []string
		for dir, f := range first {
			if !documented[dir] {
				found = append(found, finding(f, 1, "package %s has no comment", dir))
			}
		}
		return found
	},
	breaks: [][]file{example("web/a.go", "package web", "web/b.go", "package web", "web/a_test.go", "// Tests.\npackage web")},
	keeps:  example("web/a.go", "package web", "web/b.go", "// Package web is the edge.\npackage web"),
}
