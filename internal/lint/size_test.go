package lint

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the sizes of the packages into ARCHITECTURE.md")

// The largest sizes. A package that grows beyond them is to be split.
const (
	mostLines        = 4500 // code lines of a package, without tests, comments and empty lines
	mostCommandLines = 8000 // of cmd/winnow
	mostMethods      = 90   // of a type
)

// sizes are what a tree consists of, by package.
type sizes struct {
	lines   map[string]int
	methods map[string]int // by package and type
}

// measure counts the code lines of all packages and the methods of their types.
func measure(t *testing.T, root fs.FS) sizes {
	t.Helper()
	s := sizes{map[string]int{}, map[string]int{}}
	err := fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		s.lines[path.Dir(name)] += codeLines(src)
		file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				s.methods[path.Dir(name)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// codeLines returns the number of lines that hold more than comments.
func codeLines(src []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		for i := range strings.Count(text, "\n") + 1 {
			lines[set.Position(pos).Line+i] = true
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func TestSizes(t *testing.T) {
	s := measure(t, os.DirFS(filepath.Join("..", "..")))
	for pkg, n := range s.lines {
		most := mostLines
		if pkg == "cmd/winnow" {
			most = mostCommandLines
		}
		if n > most {
			t.Errorf("%s has %d code lines, more than %d", pkg, n, most)
		}
	}
	for name, n := range s.methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, mostMethods)
		}
	}
}

var packageRow = regexp.MustCompile("(?m)^\\| `([a-z/0-9]+)` \\| *([0-9,]*) \\|")

// TestPackageTable: ARCHITECTURE.md lists every package, with its size to within 200 code
// lines.
func TestPackageTable(t *testing.T) {
	s := measure(t, os.DirFS(filepath.Join("..", "..")))
	name := filepath.Join("..", "..", "ARCHITECTURE.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range packageRow.FindAllStringSubmatch(string(text), -1) {
		listed[row[1]] = true
		n, _ := strconv.Atoi(strings.ReplaceAll(row[2], ",", ""))
		if d := s.lines[row[1]] - n; (d > 200 || d < -200) && !*update {
			t.Errorf("%s has %d code lines, ARCHITECTURE.md says %s: go test ./internal/lint -update", row[1], s.lines[row[1]], row[2])
		}
	}
	for pkg := range s.lines {
		if !listed[pkg] {
			t.Errorf("ARCHITECTURE.md does not list %s", pkg)
		}
	}
	if *update {
		text = packageRow.ReplaceAllFunc(text, func(row []byte) []byte {
			pkg := packageRow.FindSubmatch(row)[1]
			return fmt.Appendf(nil, "| `%s` | %d |", pkg, s.lines[string(pkg)])
		})
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCodeLines(t *testing.T) {
	src := "// Package p is empty.\npackage p\n\n/* two\nlines */\nvar s = `a\nb` // and a comment\n"
	if n := codeLines([]byte(src)); n != 3 {
		t.Errorf("%d lines, want 3", n)
	}
}
