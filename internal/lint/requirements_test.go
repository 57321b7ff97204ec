package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	requirementID  = regexp.MustCompile(`\b[MPOWSLX][0-9]{1,2}\b`)
	requirementRow = regexp.MustCompile(`(?m)^\| ([MPOWSLX][0-9]{1,2}) \| (.+) \| (.+) \|$`)
	requirementGap = regexp.MustCompile(`\bopen: \S`)
	goFile         = regexp.MustCompile("`([a-z0-9_./]+/[a-z0-9_]+\\.go)`")
	testName       = regexp.MustCompile("`(?:[a-z/]+\\.)?((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)`")
)

// TestRequirements checks that docs/requirements.md has a row for each id that a Go
// comment cites, and no id twice, and that each row names a test or what is open.
func TestRequirements(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "requirements.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, row := range requirementRow.FindAllStringSubmatch(string(text), -1) {
		if rows[row[1]] {
			t.Errorf("docs/requirements.md has two rows for %s", row[1])
		}
		if !testName.MatchString(row[3]) && !requirementGap.MatchString(row[3]) {
			t.Errorf("docs/requirements.md names neither a test for %s nor what is open", row[1])
		}
		rows[row[1]] = true
	}
	eachGoFile(t, root, func(fset *token.FileSet, f *ast.File) {
		for _, group := range f.Comments {
			for _, c := range group.List {
				for _, id := range requirementID.FindAllString(c.Text, -1) {
					if !rows[id] {
						t.Errorf("%s: docs/requirements.md has no row for %s", fset.Position(c.Pos()), id)
					}
				}
			}
		}
	})
}

// TestDocsNameTests checks that every test and every Go file named in the documents exists.
func TestDocsNameTests(t *testing.T) {
	root := filepath.Join("..", "..")
	var tests []string
	eachGoFile(t, root, func(_ *token.FileSet, f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				tests = append(tests, fn.Name.Name)
			}
		}
	})
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("%d documents, error %v", len(docs), err)
	}
	decisions, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	roots, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range slices.Concat(docs, decisions, roots) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range testName.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(tests, name[1]) {
				t.Errorf("%s names %s, which does not exist", doc, name[1])
			}
		}
		for _, name := range goFile.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name[1]))); err != nil {
				t.Errorf("%s names a file: %v", doc, err)
			}
		}
	}
}

var (
	scriptsOf   = regexp.MustCompile("`([a-z/]+)\\.TestScripts` \\(([a-z0-9, -]+)\\)")
	packageTest = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)`")
	winnowLine  = regexp.MustCompile("`winnow ([^`]+)`")
	flagName    = regexp.MustCompile(`--[a-z-]+`)
)

// TestRequirementsShown checks what rows of docs/requirements.md name besides tests: the package of a
// test has it, a script of TestScripts is there, a verb and its flags are those of docs/cli.md, and an
// experiment has a text of its own.
func TestRequirementsShown(t *testing.T) {
	root := filepath.Join("..", "..")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	text, cli := read("docs/requirements.md"), read("docs/cli.md")
	has := map[string]bool{} // directory of a package, dot, test
	eachGoFile(t, root, func(fset *token.FileSet, f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				dir := filepath.ToSlash(filepath.Dir(fset.Position(f.Pos()).Filename))
				has[dir[strings.LastIndexByte(dir, '/')+1:]+"."+fn.Name.Name] = true
			}
		}
	})
	for _, m := range packageTest.FindAllStringSubmatch(text, -1) {
		if !has[m[1][strings.LastIndexByte(m[1], '/')+1:]+"."+m[2]] {
			t.Errorf("package %s has no %s", m[1], m[2])
		}
	}
	for _, m := range scriptsOf.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[2], ", ") {
			if found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(m[1]), "testdata", name+".*")); len(found) == 0 {
				t.Errorf("%s has no script %s", m[1], name)
			}
		}
	}
	for _, m := range winnowLine.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1])
		if !strings.Contains(cli, "winnow "+words[0]) {
			t.Errorf("there is no winnow %s", words[0])
		}
		for _, name := range flagName.FindAllString(m[1], -1) {
			if !strings.Contains(cli, "`"+name) {
				t.Errorf("winnow %s: docs/cli.md has no %s", m[1], name)
			}
		}
		if len(words) < 3 || words[0] != "lab" {
			continue
		}
		for _, name := range words[2:] {
			paper, rest, ok := strings.Cut(name, "-")
			if strings.HasPrefix(name, "--") {
				break
			}
			if _, err := os.Stat(filepath.Join(root, "lab", "papers", paper, "texts", rest+".txt")); ok && err != nil {
				t.Errorf("winnow %s: %v", m[1], err)
			}
		}
	}
}

// eachGoFile parses all Go files below root, tests included, with their comments.
func eachGoFile(t *testing.T, root string, do func(*token.FileSet, *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (d.Name()[0] == '.' || d.Name()[0] == '_' || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		do(fset, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
