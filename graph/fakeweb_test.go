package graph_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
)

// webSource is a synthetic web on its way into a file.
func webSource(w *fakeweb.Web) graph.Source {
	return graph.Source{Pages: w.Spec().Pages, Lists: w.Each, URLs: w.EachURL}
}

func makeWeb(t testing.TB, pages, sites int, links int64) *fakeweb.Web {
	t.Helper()
	w, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: sites, Links: links, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func open(t testing.TB, path string) *graph.Graph {
	t.Helper()
	g, err := graph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestSyntheticWeb stores a web, exports it, imports that with so little memory
// that links are sorted on disk, and gets the same file byte for byte: what the real
// graphs show where they are to be had.
func TestSyntheticWeb(t *testing.T) {
	const pages, links = 20_000, 400_000
	dir, ctx := t.TempDir(), context.Background()
	src := webSource(makeWeb(t, pages, 300, links))
	src.Card = &graph.Card{Source: "edges urls"}
	direct := filepath.Join(dir, "direct.wg")
	if err := graph.Write(ctx, src, graph.WriteOptions{Path: direct}); err != nil {
		t.Fatal(err)
	}
	g := open(t, direct)
	if g.Pages() != pages || g.Links() != links || g.Sites() != 300 {
		t.Fatalf("%d pages, %d links, %d sites", g.Pages(), g.Links(), g.Sites())
	}
	edges, urls, imported := filepath.Join(dir, "edges"), filepath.Join(dir, "urls"), filepath.Join(dir, "imported.wg")
	writeTo(t, edges, func(w *bufio.Writer) error { return g.ExportEdges(ctx, w, nil) })
	writeTo(t, urls, func(w *bufio.Writer) error {
		return g.EachURL(func(_ graph.Page, url []byte) error {
			w.Write(url)
			return w.WriteByte('\n')
		})
	})
	report, err := graph.Import(ctx, graph.ImportOptions{Edges: edges, URLs: urls,
		WriteOptions: graph.WriteOptions{Path: imported, MaxMemory: 31 << 20, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if report.SpilledBytes == 0 || report.Links != links {
		t.Errorf("report %+v: nothing was sorted on disk", report)
	}
	a, err := os.ReadFile(direct)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(imported)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("written directly %d bytes, imported %d, and they differ", len(a), len(b))
	}
}

func writeTo(t testing.TB, name string, write func(*bufio.Writer) error) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
