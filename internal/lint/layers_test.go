package lint

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/winnow-crawler/winnow"

// TestLayers is the rule itself, over this module.
func TestLayers(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	found, err := layers(os.DirFS(root), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range found {
		t.Error(line)
	}
}

// TestViolations proves the rule on sources that break it, whether or not the
// packages it guards exist yet.
func TestViolations(t *testing.T) {
	tests := []struct {
		name, file, src string
		want            string // part of the one violation; empty: none
	}{
		{"time values are data", "policy/a.go", `import "time"; var d time.Duration = time.Second`, ""},
		{"the clock", "policy/a.go", `import "time"; var t = time.Now()`, "policy/a.go:2:24: policy is passive and must not mention time.Now"},
		{"waiting", "frontier/a.go", `import "time"; func f() { time.Sleep(1) }`, "must not mention time.Sleep"},
		{"a timer", "sim/a.go", `import "time"; var c = time.After(1)`, "must not mention time.After"},
		{"the clock under another name", "sim/a.go", `import t "time"; var x = t.Since`, "must not mention time.Since"},
		{"a dot", "sim/a.go", `import . "time"; var x = Now()`, "must not import time with a dot"},
		{"a goroutine", "graph/rank/a.go", `func f() { go f() }`, "graph/rank is passive and must not start goroutines"},
		{"a goroutine in a closure", "frontier/a.go", `var f = func() { for { go func() {}() } }`, "must not start goroutines"},
		{"goroutines elsewhere", "graph/a.go", `import "sync"; func f() { go f() }; var mu sync.Mutex`, ""},
		{"net", "policy/a.go", `import _ "net"`, "must not import net (net)"},
		{"net/url is below net", "policy/a.go", `import _ "net/url"`, "must not import net/url (net)"},
		{"os", "frontier/a.go", `import _ "os"`, "must not import os"},
		{"sync", "sim/a.go", `import _ "sync"`, "must not import sync"},
		{"sync/atomic", "graph/rank/a.go", `import _ "sync/atomic"`, "must not import sync/atomic (sync)"},
		{"syscall", "graph/rank/a.go", `import _ "syscall"`, "must not import syscall"},
		{"x/sys", "graph/rank/a.go", `import _ "golang.org/x/sys/unix"`, "must not import golang.org/x/sys/unix (golang.org/x/sys)"},
		{"unsafe", "graph/rank/a.go", `import _ "unsafe"`, "must not import unsafe"},
		{"log/slog", "policy/a.go", `import _ "log/slog"`, "must not import log/slog"},
		{"crypto/rand", "policy/a.go", `import _ "crypto/rand"`, "must not import crypto/rand"},
		{"global randomness", "policy/a.go", `import "math/rand/v2"; var n = rand.IntN(7)`, "must not mention rand.IntN"},
		{"global randomness, old", "policy/a.go", `import "math/rand"; func f() { rand.Seed(1) }`, "must not mention rand.Seed"},
		{"seeded randomness", "policy/a.go", `import "math/rand/v2"; var r = rand.New(rand.NewPCG(1, 2)); var n = r.IntN(7)`, ""},
		{"names that begin alike", "policy/a.go", `import _ "slices"; import _ "strings"; import _ "math/rand/v2"`, ""},
		{"test files are free", "policy/a_test.go", `import _ "os"`, ""},
		{"fixtures are not code", "policy/testdata/a.go", `import _ "os"`, ""},
		{"conformance suites are not passive", "policy/policytest/a.go", `import _ "sync"`, ""},

		{"up the arrows", "graph/a.go", `import _ "` + module + `/policy"`, "graph must not import policy"},
		{"ranks know no policy", "graph/rank/a.go", `import _ "` + module + `/policy"`, "graph/rank must not import policy"},
		{"policies know no frontier", "policy/a.go", `import _ "` + module + `/frontier"`, "policy must not import frontier"},
		{"the frontier knows no driver", "frontier/a.go", `import _ "` + module + `/sim"`, "frontier must not import sim"},
		{"the simulator knows no crawl", "sim/a.go", `import _ "` + module + `/crawl"`, "sim must not import crawl"},
		{"the crawl knows no oracle", "crawl/a.go", `import _ "` + module + `/lab"`, "crawl must not import lab"},
		{"measures know no comparison", "lab/measure/a.go", `import _ "` + module + `/lab"`, "lab/measure must not import lab"},
		{"comparisons know no paper", "lab/a.go", `import _ "` + module + `/lab/papers"`, "lab must not import lab/papers"},
		{"nothing imports the command", "lab/a.go", `import _ "` + module + `/cmd/winnow"`, "lab must not import cmd/winnow"},
		{"down the arrows", "sim/a.go", `import _ "` + module + `/frontier"; import _ "` + module + `/graph"`, ""},
		{"the command wires all", "cmd/winnow/a.go", `import _ "` + module + `/lab"; import _ "os"`, ""},
		{"a package without a place", "utils/a.go", ``, "package utils is not in the table"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := violations(t, test.file, test.src)
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("found %q, want nothing", found)
			case test.want != "" && (len(found) != 1 || !strings.Contains(found[0], test.want)):
				t.Errorf("found %q, want one with %q", found, test.want)
			}
		})
	}
}

// violations checks a tree of one file.
func violations(t *testing.T, name, src string) []string {
	t.Helper()
	tree := fstest.MapFS{name: {Data: []byte("package p\n" + src)}}
	found, err := layers(tree, module)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestUnreadable: a file the parser refuses is an error, not a clean bill.
func TestUnreadable(t *testing.T) {
	tree := fstest.MapFS{"policy/a.go": {Data: []byte("package")}}
	if _, err := layers(tree, module); err == nil || !strings.Contains(err.Error(), "policy/a.go") {
		t.Errorf("error %v, want one that names policy/a.go", err)
	}
}

// TestArrows: the table allows no cycle and no package it does not know, and its
// passive packages reach only packages that hold the machine for them.
func TestArrows(t *testing.T) {
	for pkg, allowed := range arrows {
		if build.IsLocalImport(pkg) {
			t.Errorf("%s: paths are written from the module root", pkg)
		}
		for _, to := range allowed {
			if _, known := arrows[to]; !known && to != anything {
				t.Errorf("%s may import %s, which has no row", pkg, to)
			}
			if slices.Contains(reach(to, nil), pkg) {
				t.Errorf("%s and %s may import each other", pkg, to)
			}
		}
	}
	for _, pkg := range passive {
		if _, known := arrows[pkg]; !known {
			t.Errorf("passive package %s has no row", pkg)
		}
	}
}

// reach adds all packages that pkg may import, directly or not, to seen.
func reach(pkg string, seen []string) []string {
	for _, to := range arrows[pkg] {
		if !slices.Contains(seen, to) {
			seen = reach(to, append(seen, to))
		}
	}
	return seen
}
