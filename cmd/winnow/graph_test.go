package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	parquetgo "github.com/parquet-go/parquet-go"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/parquet"
	"github.com/winnow-crawler/winnow/internal/console"
)

// must runs a command line in-process and gives its standard output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("winnow %s: exit %d, %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// names lists the files in a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// dyingContext ends after it has been asked a number of times: an interruption that
// can be put at every place where work looks for one.
type dyingContext struct {
	context.Context
	left atomic.Int64
}

func (c *dyingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedAnywhere: wherever Ctrl-C finds a verb, it ends with 130 and leaves
// nothing behind, or gets through. The first looks are tried one by one, later ones
// with growing steps.
func TestInterruptedAnywhere(t *testing.T) {
	dir := t.TempDir()
	web, edges := filepath.Join(dir, "web.wg"), filepath.Join(dir, "web.edges")
	must(t, "graph", "generate", "--pages", "4500", "--links", "30k", "-o", web)
	must(t, "graph", "export", web, "-o", edges)
	for _, verb := range []string{
		"graph import --edges " + edges + " -o OUT/g",
		"graph generate --pages 4500 --links 30k -o OUT/g",
		"graph extract " + web + " --domain example -o OUT/g",
		"graph export " + web + " -o OUT/g",
		"graph export " + web + " --format bv -o OUT/g",
		"graph export " + web + " --format parquet -o OUT/g",
		"rank " + web + " -o OUT/g",
		"graph stats " + web,
		"graph stats " + web + " --seeds best --against " + web,
	} {
		t.Run(strings.ReplaceAll(verb, dir, ""), func(t *testing.T) {
			for n := int64(0); ; n += 1 + n/8 {
				out := t.TempDir()
				ctx := &dyingContext{Context: t.Context()}
				ctx.left.Store(n)
				var stderr bytes.Buffer
				args := strings.Fields("--quiet " + strings.ReplaceAll(verb, "OUT", out)) // progress depends on the clock
				code := run(ctx, args, nil, &bytes.Buffer{}, &stderr)
				if code == 0 && n > 0 {
					return
				}
				left := names(t, out)
				if code != 130 || stderr.String() != "winnow: interrupted\n" || left != "" || hasDirs(t, out) {
					t.Fatalf("after %d looks: exit %d, %q, left behind: %q", n, code, stderr.String(), left)
				}
			}
		})
	}
}

func hasDirs(t *testing.T, dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) > 0
}

// TestParquet: the tables hold what the graph holds, over several row groups.
func TestParquet(t *testing.T) {
	if testing.Short() {
		t.Skip("1.2 million links, and the export is one goroutine")
	}
	dir := t.TempDir()
	web, tables := filepath.Join(dir, "web.wg"), filepath.Join(dir, "tables")
	links := "1.2M"
	if testing.Short() {
		links = "100k" // several row groups of pages, one of links
	}
	must(t, "graph", "generate", "--pages", "70k", "--links", links, "-o", web)
	part := filepath.Join(dir, "part.wg")
	must(t, "graph", "extract", web, "--nodes", writeList(t, dir, 1, 70000), "-o", part)
	must(t, "graph", "export", part, "--format", "parquet", "-o", tables)
	g, err := graph.Open(part)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	pages, err := parquetgo.ReadFile[parquet.Page](filepath.Join(tables, "pages.parquet"))
	if err != nil || len(pages) != g.Pages() {
		t.Fatalf("%d pages of %d, %v", len(pages), g.Pages(), err)
	}
	in, out := g.Backward().Reader(), g.Forward().Reader()
	for i, row := range pages {
		p := graph.Page(i)
		want := parquet.Page{ID: g.ID(p), URL: g.URL(p), Site: g.SiteName(g.Site(p)), OutDegree: uint32(out.Degree(p)), InDegree: uint32(in.Degree(p))}
		if row != want {
			t.Fatalf("page %d: %+v, want %+v", i, row, want)
		}
	}
	rows, err := parquetgo.ReadFile[parquet.Link](filepath.Join(tables, "links.parquet"))
	if err != nil || int64(len(rows)) != g.Links() || len(rows) <= 1<<20 && !testing.Short() {
		t.Fatalf("%d links of %d, %v", len(rows), g.Links(), err)
	}
	for c := g.Forward().Scan(0, graph.Page(g.Pages())); c.Next(); {
		for _, q := range c.List() {
			if want := (parquet.Link{Src: g.ID(c.Page()), Dst: g.ID(q)}); rows[0] != want {
				t.Fatalf("link %+v, want %+v", rows[0], want)
			}
			rows = rows[1:]
		}
	}
}

// writeList writes the ids lo to hi-1.
func writeList(t *testing.T, dir string, lo, hi int) string {
	t.Helper()
	var b bytes.Buffer
	for id := lo; id < hi; id++ {
		fmt.Fprintln(&b, id)
	}
	name := filepath.Join(dir, "list.ids")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestCorruptGraph: a list that passes its checksum and is still none becomes an
// ordinary error; other panics stay.
func TestCorruptGraph(t *testing.T) {
	corrupt := &graph.CorruptError{Path: "web.wg", Err: os.ErrInvalid}
	code, _, stderr := tryVerb(t.Context(), func(*console.UI) error { panic(corrupt) })
	if want := "winnow: error: graph \"web.wg\": invalid argument\n"; code != 1 || stderr != want {
		t.Errorf("exit %d, %q", code, stderr)
	}
	defer func() {
		if e := recover(); e != "a mistake" {
			t.Errorf("recovered %v", e)
		}
	}()
	tryVerb(t.Context(), func(*console.UI) error { panic("a mistake") })
}
